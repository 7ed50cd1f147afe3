import { createServer } from "node:net";
import { expect, it } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import { placeOf, Signs } from "../../src/reserve/signs.js";
import { until } from "../support/base/until.js";
import { freePorts } from "../support/service/background-process.js";
import { MemorySite } from "../support/site/memory-site.js";
import { addCamera } from "../support/site/site-samples.js";

it.each([
  ["rtsp://192.0.2.1/main", { host: "192.0.2.1", port: 554 }],
  ["rtsps://gate.lan:8322/", { host: "gate.lan", port: 8322 }],
  ["192.0.2.1", { host: "192.0.2.1", port: 80 }],
  ["https://192.0.2.1", { host: "192.0.2.1", port: 443 }],
  ["http://[2001:db8::1]:8080/onvif", { host: "2001:db8::1", port: 8080 }],
  ["", undefined],
  ["http://", undefined],
])("a camera at %s answers at its port", (hostname, place) => {
  expect(placeOf(hostname)).toEqual(place);
});

async function cameraAt(port: number) {
  const site = new MemorySite();
  const { cameras } = await site.change(addCamera({ name: "Gate" }));
  const [camera] = cameras;
  if (camera === undefined) throw new Error("no camera");
  return { ...camera, connection: { ...camera.connection, hostname: `rtsp://127.0.0.1:${port}/main` } };
}

it("a camera that takes a connection is a sign, and so is one that refuses it: somebody is there", async () => {
  const clock = new SystemClock();
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [free = 0] = await freePorts(1);
  for (const each of [port, free]) {
    const signs = new Signs(clock);
    signs.want([await cameraAt(each)]);
    await until("there is a sign", () => signs.signUs !== undefined, { seen: () => each });
  }
  server.close();
});

it("a camera that does not answer is none", async () => {
  const signs = new Signs(new SystemClock(), async () => false);
  signs.want([await cameraAt(1)]);
  await new Promise((resolve) => setImmediate(resolve));

  expect(signs.signUs).toBeUndefined();
});
