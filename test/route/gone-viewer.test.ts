import { afterEach, beforeEach, expect, it } from "vitest";
import { GATE_ID, ROOT_MD5 } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../support/api/api-harness.js";
import { LiveSocketClient } from "../support/api/live-socket-client.js";
import { MEMORY_VIDEO } from "../support/api/memory/memory-recordings.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { OutletHarness } from "../support/rtsp/rtsp-outlet.js";

/** What is fetched from far away is given up when who asked for it has left. The clock stands: nothing ends by itself. */

const CHANNEL = `channelid=${GATE_ID}`;
const START = "starttime=21.11.2026+09:00:01";
const SPAN = "fromtime=21.11.2026+09:00:00&totime=21.11.2026+09:00:04";
const FROM_MS = NINE_US / 1000;
const TIMES = `from=${FROM_MS}&to=${FROM_MS + 4000}`;
const ARCHIVE_URL = "&mode=archive&starttime=21.11.2026%2009:00:01";

let api: ApiHarness;
let outlet: OutletHarness;

beforeEach(async () => {
  const clock = new SimulatedClock(NINE_US + 86_400_000_000);
  api = await startApi({ clock });
  outlet = new OutletHarness(api, clock);
  await outlet.start();
  const frames = archivedFrames(100).map((frame) => ({ ...frame, format: MEMORY_VIDEO }));
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, frames);
});

afterEach(async () => {
  await outlet.stop();
  await api.stop();
});

/** Asks a door; answers how to leave. */
type Door = () => Promise<() => void>;

const http =
  (path: string): Door =>
  async () => {
    const client = api.connect();
    client.socket.write(
      `GET ${path}${path.includes("?") ? "&" : "?"}login=root&password=${ROOT_MD5} HTTP/1.1\r\nHost: nvr\r\n\r\n`,
    );
    return () => client.socket.destroy();
  };

const rtsp: Door = async () => {
  const client = await outlet.connect();
  client.request("DESCRIBE", outlet.url(ARCHIVE_URL)).catch(() => undefined); // it is not answered
  return () => client.close();
};

/** The keep-alive that players send beside a PLAY. */
const rtspWithMore: Door = async () => {
  const leave = await rtsp();
  const client = outlet.clients.at(-1);
  await until("it waits", () => api.archive.waiting > 0);
  client?.request("OPTIONS", outlet.url()).catch(() => undefined); // it is not answered
  return leave;
};

const socket: Door = async () => {
  const client = new LiveSocketClient(api.port);
  await client.greet();
  client.say({
    type: "play",
    watches: [{ id: 1, channel: GATE_ID, tile: { width: 640, height: 360 } }],
    from: FROM_MS + 1000,
  });
  return () => client.close();
};

const LOOKUPS: readonly [string, Door][] = [
  ["/archivefragments", http(`/archivefragments?${CHANNEL}&${SPAN}`)],
  ["findarchive", http(`/command?type=findarchive&${CHANNEL}&searchtime=21.11.2026+09:00:01`)],
  ["/video", http(`/video?${CHANNEL}&mode=archive&${START}`)],
  ["/mobile", http(`/mobile?${CHANNEL}&mode=archive&${START}`)],
  ["/site", http(`/site?${CHANNEL}&mode=archive&${START}`)],
  ["HLS", http(`/hls?${CHANNEL}&mode=archive&${START}`)],
  ["the timeline", http(`/api/timeline?channels=${GATE_ID}&${TIMES}&steps=10`)],
  ["a strip of pictures", http(`/api/strip?channel=${GATE_ID}&${TIMES}`)],
  ["RTSP", rtsp],
  ["RTSP with another request on its way", rtspWithMore],
  ["the live socket", socket],
];

it.each(LOOKUPS)("what is recorded is not looked up any more for who left %s", async (_name, door) => {
  const { archive } = api;
  archive.needed = () => new Promise(() => undefined);
  const leave = await door();
  await until("it waits", () => archive.waiting > 0);
  leave();
  await until("nobody waits", () => archive.waiting === 0);
  expect(archive.gone).toBeGreaterThan(0);
});

const READINGS = LOOKUPS.filter(([name]) =>
  ["/video", "/mobile", "/site", "HLS", "RTSP", "the live socket"].includes(name),
);

it.each(READINGS)("what is recorded is not read any more for who left %s", async (_name, door) => {
  const { archive } = api;
  archive.isFarAway = true;
  const leave = await door();
  await until("it is read", () => archive.readers > 0, { seen: () => archive.readers });
  leave();
  await until("nothing is read", () => archive.readers === 0, { seen: () => archive.readers });
});

it.each([
  ["/exportarchive", http(`/exportarchive?${CHANNEL}&${SPAN}`)],
  ["the digest of an export", http(`/exportarchive?${CHANNEL}&${SPAN}&digest=true`)],
])("what is recorded is not read any more for who left %s", async (_name, door) => {
  const { recordings } = api.archive;
  recordings.beforeRead = () => new Promise(() => undefined);
  const leave = await door();
  await until("it is read", () => recordings.open > 0, { seen: () => recordings.open });
  leave();
  await until("nothing is read", () => recordings.open === 0, { seen: () => recordings.open });
});
