import { createHash } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { withoutCameras } from "../../../src/site/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { GATE_MAIN, videoUnits } from "../../support/api/exported-archive.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { append, startArchive, type TestArchive } from "../../support/archive/archive-fixture.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { MultipartParser } from "../../support/http/multipart-reader.js";
import { OutletHarness } from "../../support/rtsp/rtsp-outlet.js";

/**
 * Each door to recordings gives of a former camera, and of the camera that was given its recordings, what it gave while the camera was
 * set up.
 */

const SECONDS = 8;
const GOP_FRAMES = 25;
const PICTURES = SECONDS * GOP_FRAMES;
/** Of a run that may go on: the last one waits for what follows it. */
const PICTURES_OVER_RTSP = PICTURES - 1;
const FASTEST = 8;
const HLS_SEGMENTS = 2;
/** Five minutes ago: nothing of it is being recorded. */
const startUs = Math.floor(Date.now() / 1000 - 300) * 1_000_000;

const clock = new SystemClock();
let directory: TemporaryDirectory;
let recorded: TestArchive;
let api: ApiHarness;
let outlet: OutletHarness;
/** Whose id is asked for. */
let channel: Guid = GATE_ID;

async function prepare(): Promise<void> {
  directory = new TemporaryDirectory("nvrd-former-doors");
  recorded = await startArchive(directory.path, { segmentSeconds: 3 });
  const writer = recorded.archive.writer(GATE_MAIN);
  for (const unit of await videoUnits("h264", { seconds: SECONDS, gopFrames: GOP_FRAMES }))
    append(writer, { ...unit, decodeTimeUs: startUs + unit.decodeTimeUs });
  await writer.end();
  api = await startApi({ archive: recorded.archive, clock, codec: new NativeCodec() });
  outlet = new OutletHarness(api, clock);
  await outlet.start();
}

afterAll(async () => {
  await outlet?.stop();
  await api?.stop();
  await recorded?.archive.stop();
  directory?.remove();
});

const DOORS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["an export", exported],
  ["/video", overVideo],
  ["/mobile", overMobile],
  ["HLS", overHls],
  ["/site", still],
  ["strips of the timeline", strip],
  ["playback over the live socket", overSocket],
  ["RTSP", overRtsp],
];

describe("recordings of a former camera", () => {
  const configured = new Map<string, unknown>();

  it("come out of each door while it is set up", { timeout: 2 * PATIENCE_MS }, async () => {
    await prepare();
    for (const [name, door] of DOORS) configured.set(name, await door());
    expect(configured.size).toBe(DOORS.length);
  });

  it.each(DOORS)("come out of %s by its own id when it was removed", async (name, door) => {
    await api.site.change((site) => withoutCameras(site, [GATE_ID]));
    expect(await door()).toEqual(configured.get(name));
  });

  it.each(DOORS)("come out of %s by the id of the camera that they were given to", async (name, door) => {
    await recorded.archive.giveRecordings(GATE_ID, YARD_ID);
    channel = YARD_ID;
    expect(await door()).toEqual(configured.get(name));
  });

  it.each([
    ["an export", () => `/exportarchive?${span()}`],
    ["/video", () => `/video?channelid=${channel}&mode=archive&starttime=${time(0)}`],
    ["/mobile", () => `/mobile?channelid=${channel}&mode=archive&starttime=${time(0)}`],
    ["HLS", () => `/hls?channelid=${channel}&mode=archive&starttime=${time(0)}`],
    ["/site", () => `/site?channelid=${channel}&mode=archive&starttime=${time(0)}`],
  ])("come out of %s by the former id no more then", async (_name, path) => {
    channel = GATE_ID;
    expect((await api.get(path())).status).toBe(404);
  });
});

function time(second: number): string {
  const iso = new Date(startUs / 1000 + second * 1000).toISOString();
  return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}+${iso.slice(11, 23)}`;
}

const span = (): string => `channelid=${channel}&fromtime=${time(0)}&totime=${time(SECONDS)}`;

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function bytesOf(path: string): Promise<Buffer> {
  const answer = await api.get(path);
  const body = Buffer.from(await answer.arrayBuffer());
  expect([path, answer.status, answer.status === 200 ? "" : body.toString()]).toEqual([path, 200, ""]);
  return body;
}

/** Its pictures: the rest of the file says the camera's name. */
async function exported(): Promise<unknown> {
  const movie = await bytesOf(`/exportarchive?${span()}`);
  const media: string[] = [];
  for (let at = 0; at < movie.length; at += movie.readUInt32BE(at))
    if (movie.toString("latin1", at + 4, at + 8) === "mdat")
      media.push(sha256(movie.subarray(at, at + movie.readUInt32BE(at))));
  expect(media).not.toEqual([]);
  return media;
}

/** The first pictures of a multipart answer. */
async function parts(path: string, count: number): Promise<unknown> {
  const leaving = new AbortController();
  const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`, { signal: leaving.signal });
  expect([path, answer.status]).toEqual([path, 200]);
  const parser = new MultipartParser();
  const found: unknown[] = [];
  try {
    for await (const chunk of answer.body ?? new ReadableStream<Uint8Array>())
      for (const part of parser.push(Buffer.from(chunk))) {
        if (found.length === count) continue;
        found.push([part.contentType, part.timestampMs, part.body.length, sha256(part.body)]);
        if (found.length === count) leaving.abort();
      }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
  expect(found).toHaveLength(count);
  return found;
}

function overVideo(): Promise<unknown> {
  return parts(`/video?channelid=${channel}&mode=archive&starttime=${time(0)}&speed=${FASTEST}`, PICTURES);
}

/** Which pictures come depends on the machine's time; the first one does not. */
function overMobile(): Promise<unknown> {
  const size = "resolutionx=160&resolutiony=90&fps=5";
  return parts(`/mobile?channelid=${channel}&mode=archive&starttime=${time(1)}&${size}`, 1);
}

async function overHls(): Promise<unknown> {
  const name = (await bytesOf(`/hls?channelid=${channel}&mode=archive&starttime=${time(0)}`))
    .toString()
    .replace(/\.m3u8$/, "");
  const seen = new Map<string, string>();
  const fetched = async (file: string): Promise<Buffer> => {
    const answer = await fetch(api.url(`/hls/${name}/${file}`));
    expect([file, answer.status]).toEqual([file, 200]);
    return Buffer.from(await answer.arrayBuffer());
  };
  while (seen.size < HLS_SEGMENTS) {
    const { segments } = readPlaylist((await fetched("media.m3u8")).toString());
    for (const { uri = "" } of segments) if (!seen.has(uri)) seen.set(uri, sha256(await fetched(uri)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return [...seen].slice(0, HLS_SEGMENTS);
}

async function still(): Promise<unknown> {
  return sha256(await bytesOf(`/site?channelid=${channel}&mode=archive&starttime=${time(2.1)}`));
}

async function strip(): Promise<unknown> {
  const iso = (second: number): string => new Date(startUs / 1000 + second * 1000).toISOString();
  return sha256(
    await bytesOf(`/api/strip?channel=${channel}&from=${iso(0)}&to=${iso(SECONDS)}&count=4&width=160`),
  );
}

async function overSocket(): Promise<unknown> {
  const client = new LiveSocketClient(api.port);
  try {
    await client.greet();
    const watches = [{ id: 1, channel, tile: { width: 640, height: 360 } }];
    client.say({ type: "play", watches, from: startUs / 1000, speed: 4 });
    const isDone = (): boolean => client.pictures().length >= PICTURES / 2 || client.of("error").length > 0;
    await until("the pictures", isDone, PATIENCE_MS);
    expect(client.of("error")).toEqual([]);
    return client
      .pictures()
      .slice(0, PICTURES / 2)
      .map(({ timeUs, key, media }) => [timeUs, key, media.length]);
  } finally {
    client.close();
  }
}

async function overRtsp(): Promise<unknown> {
  const client = await outlet.connect();
  const url = outlet.url(`&mode=archive&starttime=${time(0).replace("+", "%20")}`).replace(GATE_ID, channel);
  await outlet.play(client, url, { play: { Require: "onvif-replay", "Rate-Control": "no" } });
  const payloads = () =>
    client.packets.filter(({ channel: track }) => track === 0).map(({ packet }) => packet);
  const isWhole = (): boolean =>
    payloads().filter((packet) => ((packet[1] ?? 0) & 0x80) !== 0).length >= PICTURES_OVER_RTSP;
  await until("all pictures", isWhole, PATIENCE_MS);
  const whole = createHash("sha256");
  let pictures = 0;
  for (const packet of payloads()) {
    if (pictures === PICTURES_OVER_RTSP) break;
    whole.update(packet.subarray(((packet[0] ?? 0) & 0x10) === 0 ? 12 : 28));
    if (((packet[1] ?? 0) & 0x80) !== 0) pictures += 1;
  }
  return whole.digest("hex");
}
