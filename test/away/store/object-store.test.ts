import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
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

it("a share holds no more than it may while objects are made of their parts, however many at once", async () => {
  const MB = 1_000_000;
  const directory = new TemporaryDirectory();
  onTestFinished(() => directory.remove());
  const clock = new SystemClock();
  const store = new ObjectStore({ directory: directory.path, bytesMax: 5 * MB, freeBytesMin: 0, clock });
  const uploadId = store.uploads.begin("a");
  const object = store.incoming();
  await object.write(Buffer.alloc(4 * MB, 1));
  const { md5, bytes } = object.digests();
  store.uploads.settle(uploadId, { number: 1, md5, bytes }, object);

  const joining = store.join(uploadId, "a", [{ number: 1, md5 }]);
  await expect(store.join(uploadId, "a", [{ number: 1, md5 }])).rejects.toMatchObject({
    code: "QuotaExceeded",
  });

  store.settle("a", await joining, bytes);
  store.uploads.forget(uploadId);
  expect(store.room.usedBytes).toBeLessThan(bytes + 4096);
  store.room.take(0.9 * MB).free();
});

describe("what a share holds already", () => {
  const OBJECTS = 401;

  async function holding(): Promise<ObjectStore> {
    const directory = new TemporaryDirectory();
    onTestFinished(() => directory.remove());
    const folder = directory.join("objects", "day");
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < OBJECTS; at++) writeFileSync(path.join(folder, `${at}`), "a");
    const clock = new SystemClock();
    return new ObjectStore({ directory: directory.path, bytesMax: 1e9, freeBytesMin: 0, clock });
  }

  it("is counted in whole blocks, and others have their turn meanwhile", async () => {
    const store = await holding();
    let turns = 0;
    await store.count(() => {
      turns += 1;
      return true;
    });
    expect(turns).toBe(2);
    expect(store.room.usedBytes).toBe(OBJECTS * 4096);
  });

  it("is not counted further once it is not needed", async () => {
    const store = await holding();
    await store.count(() => false);
    expect(store.room.usedBytes).toBe(200 * 4096);
  });

  it("is less once objects are removed, and empty folders go with the last of them", async () => {
    const store = await holding();
    await store.count(() => true);
    store.remove("day/0");
    store.remove("day/0");
    expect(store.room.usedBytes).toBe((OBJECTS - 1) * 4096);
    expect(store.folders("", "", 10)).toEqual({ found: ["day/"], isMore: false });
    for (let at = 1; at < OBJECTS; at++) store.remove(`day/${at}`);
    expect(store.room.usedBytes).toBe(0);
    expect(store.folders("", "", 10)).toEqual({ found: [], isMore: false });
  });

  it("is listed in parts, each of which says whether there is more", async () => {
    const store = await holding();
    expect(store.list("day/", "", 1)).toEqual({ found: [{ key: "day/0", bytes: 1 }], isMore: true });
    const { found, isMore } = store.list("day/", "day/0", OBJECTS - 1);
    expect([found.length, isMore]).toEqual([OBJECTS - 1, false]);
  });
});
