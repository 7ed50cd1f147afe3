import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe } from "vitest";
import { ObjectStore } from "../../../src/away/store/object-store.js";
import { StoreDoor } from "../../../src/away/store/store-door.js";
import { SystemClock } from "../../../src/base/index.js";
import { s3Target } from "../../support/away/away-samples.js";
import { itStoresObjects } from "../../support/away/store-contract.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

/** By the same contract as Ceph's gateway in `rados-gateway.test.ts`. */
describe("the store of replicas", () => {
  const directory = new TemporaryDirectory();
  let server: Server;

  beforeAll(async () => {
    const clock = new SystemClock();
    const store = new ObjectStore({ directory: directory.path, bytesMax: 1e9, freeBytesMin: 0, clock });
    const door = new StoreDoor({
      accessTo: () => ({ store, mayWrite: true }),
      clock,
      onFailure: (error) => {
        throw error;
      },
    });
    server = createServer((request, response) => void door.serve(request, response));
    server.on("checkContinue", (request, response) => void door.serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.close();
    directory.remove();
  });

  itStoresObjects(() => s3Target({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
