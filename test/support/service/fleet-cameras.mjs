/**
 * Many cameras as one process, so that they can stand in a network namespace: `node fleet-cameras.mjs JSON` (an object
 * of `FleetOrder` in fleet.ts). Each has an address of its own with ONVIF at port 80, RTSP at 554 and an ear for
 * discovery; all send the same clip and want a login. Says `ready` when they listen. On a line `report` it writes one
 * JSON line with every TCP connection that was taken: milliseconds (Unix), address, port.
 */
import { subscribe } from "node:diagnostics_channel";
import process from "node:process";
import { createInterface } from "node:readline";
import { createLog, newGuid, SystemClock } from "../../../dist/base/index.js";
import { H264_CLIP } from "../../../dist/demo/demo-cameras.js";
import { ClipPlayer, clipLane, readClip } from "../../../dist/demo/index.js";
import { SERVICE_PATHS } from "../../../dist/demo/onvif-answers.js";
import { OnvifDevice } from "../../../dist/demo/onvif-device.js";
import { LiveStream } from "../../../dist/live/index.js";
import { answeringAddresses, DiscoveryResponder } from "../../../dist/onvif/index.js";
import { LiveMount, RtspServer } from "../../../dist/rtsp/server/index.js";

const { hosts, login, password } = JSON.parse(process.argv[2] ?? "{}");
const RTSP_PORT = 554;
const CONNECTIONS_MAX = 1024;

const clock = new SystemClock();
const log = createLog({ level: "warn", destination: process.stderr });
const credentials = { user: login, password, schemes: ["Digest MD5"] };
const connections = [];
subscribe("net.server.socket", ({ socket }) => {
  connections.push([Date.now(), (socket.localAddress ?? "").replace("::ffff:", ""), socket.localPort ?? 0]);
});

const clip = await readClip(H264_CLIP);
const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
const lane = clipLane(clip);
const mounts = new Map([
  ["/main", new LiveMount({ title: "Fleet", stream, fromGop: false, formats: [lane.format] })],
]);
const rtsp = { listen: "0.0.0.0", port: RTSP_PORT, mounts, clock, log, credentials };
await new RtspServer({ ...rtsp, connectionsMax: CONNECTIONS_MAX }).start();
new ClipPlayer({ stream, lanes: [lane], clock }).start();

for (const [index, host] of hosts.entries()) {
  const number = String(index + 1).padStart(12, "0");
  const identity = `urn:uuid:f1ee7000-0000-4000-8000-${number}`;
  const profile = {
    token: "main",
    name: "Main",
    encoding: "H264",
    width: clip.width,
    height: clip.height,
    framesPerSecond: clip.framesPerSecond,
    gopLength: 20,
    hasSound: false,
    streamUrl: `rtsp://${host}/main`,
  };
  const facts = {
    identity,
    manufacturer: "Fleet",
    model: "F1",
    firmware: "1",
    serial: number,
    profiles: [profile],
  };
  const snapshot = () => new Uint8Array();
  await new OnvifDevice({ listen: host, port: 80, facts, snapshot, credentials, clock, log }).start();
  const scopes = [`onvif://www.onvif.org/name/Fleet%20${index + 1}`];
  const serviceUrl = () => `http://${host}${SERVICE_PATHS.device}`;
  await new DiscoveryResponder({
    addresses: () => answeringAddresses(host),
    devices: () => [{ identity, scopes, serviceUrl }],
    clock,
    random: Math.random,
    log,
  }).start();
}
process.stdout.write("ready\n");

createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "report") process.stdout.write(`${JSON.stringify(connections)}\n`);
});
process.stdin.on("end", () => process.exit(0));
