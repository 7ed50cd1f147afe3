import { createServer } from "node:net";
import { expect, it } from "vitest";
import { restoreBucket } from "../../src/away/index.js";
import { s3Target } from "../support/away/away-samples.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { QuickClock } from "../support/base/quick-clock.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

it("restoring from a port at which nothing listens says so without another try", async () => {
  const directory = new TemporaryDirectory("nvrd-restore-address");
  const clock = new SimulatedClock();
  const target = s3Target({ endpoint: `http://127.0.0.1:${await closedPort()}` });
  const restored = restoreBucket({ target, directory: directory.path, clock });
  await expect(restored).rejects.toThrow(/refuses connections: nothing listens there/);
  expect(clock.monotonicUs()).toBe(0);
  directory.remove();
});

it("restoring waits for a store that is away after it has answered", async () => {
  const directory = new TemporaryDirectory("nvrd-restore-address");
  const store = await new ScriptedStore().start();
  let asked = 0;
  store.fault = () => (asked++ === 1 ? { status: 503, code: "SlowDown" } : undefined);
  const target = s3Target({ endpoint: `http://127.0.0.1:${store.port}` });
  const restored = restoreBucket({ target, directory: directory.path, clock: new QuickClock(20) });
  expect((await restored).segments).toBe(0);
  expect(asked).toBeGreaterThan(2);
  store.stop();
  directory.remove();
});
