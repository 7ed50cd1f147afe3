// Own process: it measures the memory of a link, and of nothing else.

import { rmSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { IdentitySigner } from "../../src/fleet/link/identity.js";
import { ALICE, FleetBench, type FleetBox } from "../support/fleet/fleet-bench.js";
import { BackgroundProcess } from "../support/service/background-process.js";

/** All that both connections of a link may hold of a recorder's memory. */
const LINK_BYTES_MAX = 4 * 1024 * 1024;
/** As many as a recorder takes at once, over each of both connections. */
const STREAMS = 48;
/** Objects of 96 streams and their requests, without what they hold of answers. */
const OBJECT_BYTES_MAX = 2 * 1024 * 1024;
const HOLD_MS = 3000;

let bench: FleetBench;
let box: FleetBox;
let hub: BackgroundProcess | undefined;
const apis: BackgroundProcess[] = [];

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

beforeEach(async () => {
  bench = await FleetBench.start();
  box = await bench.joined({ openDoor: endlessApi });
});

afterEach(async () => {
  await hub?.stop("SIGKILL");
  for (const api of apis.splice(0)) await api.stop("SIGKILL");
  await bench.stop();
});

/** An API whose every answer is endless, in a process of its own. */
async function endlessApi(directory: string) {
  const socket = path.join(directory, "api.sock");
  rmSync(socket, { force: true });
  const api = new BackgroundProcess(process.execPath, ["-e", API, socket]);
  apis.push(api);
  await api.waitFor(/ready/);
  return { path: socket, stop: async () => void (await api.stop("SIGKILL")) };
}

const API = `
require("node:http").createServer((request, response) => {
  const chunk = Buffer.alloc(65536, 1);
  const more = () => { while (response.write(chunk)); };
  response.on("drain", more);
  response.on("error", () => undefined);
  more();
}).listen(process.argv[1], () => console.log("ready"));
`;

/** A hub that asks for as many answers as it may, gives each of them a window as wide as can be, and reads. */
const HUB = `
const [folder, port, path, ...identities] = process.argv.slice(1);
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const pem = (name) => readFileSync(join(folder, name + ".pem"));
const sockets = [];
let begun = 0;
require("node:tls").createServer({ key: pem("hub-key"), cert: pem("hub"), ALPNProtocols: ["h2"] }, (socket) => {
  socket.on("error", () => undefined);
  const session = require("node:http2").connect("https://box", {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: 2 ** 31 - 1 },
  });
  session.on("error", () => undefined);
  session.once("connect", () => session.setLocalWindowSize(2 ** 31 - 1));
  for (const identity of identities.splice(0, ${STREAMS})) {
    const stream = session.request({ ":path": path, "nvrd-identity": identity }, { endStream: true });
    stream.on("error", () => undefined);
    stream.once("data", () => { begun += 1; if (begun === 2 * ${STREAMS}) console.log("all begun"); });
    stream.resume();
  }
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
`;

function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("a link to a hub that stopped reading holds four megabytes at the most, whatever the hub asked for", async () => {
  const { port } = bench.hub;
  await bench.hub.stop();
  const signer = new IdentitySigner(bench.pem("authority-key"), bench.clock);
  const identities = await Promise.all(Array.from({ length: 2 * STREAMS }, () => signer.sign(ALICE, box.id)));
  const before = usedBytes();

  hub = new BackgroundProcess(process.execPath, [
    ...["-e", HUB, bench.path("hub/hub"), `${port}`, "/video", ...identities],
  ]);
  await hub.waitFor(/all begun/);
  hub.signal("SIGSTOP");
  let most = 0;
  for (const end = performance.now() + HOLD_MS; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    most = Math.max(most, usedBytes() - before);
  }
  console.info(`held while the hub does not read: ${(most / 1e6).toFixed(1)} MB`);

  expect(most).toBeLessThan(LINK_BYTES_MAX + OBJECT_BYTES_MAX);
});
