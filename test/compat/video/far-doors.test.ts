import { createHash } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import type { Archive } from "../../../src/archive/index.js";
import { RECORD_HEADER_BYTES } from "../../../src/archive/segment/segment-format.js";
import { type Clock, SystemClock } from "../../../src/base/index.js";
import { type AudioFormat, Codec } from "../../../src/live/codec/codec.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { GATE_MAIN, type RecordedUnit, soundUnits, videoUnits } from "../../support/api/exported-archive.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ReturningBox } from "../../support/away/returning-box.js";
import { type Asked, type Fault, ScriptedStore } from "../../support/away/scripted-store.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { MultipartParser } from "../../support/http/multipart-reader.js";
import { OutletHarness } from "../../support/rtsp/rtsp-outlet.js";

const GOP_FRAMES = 25;
const BLOCK_BYTES = 256 * 1024;
const MEBIBYTE = 1024 * 1024;
const SOUND: AudioFormat = {
  codec: Codec.PCMU,
  sampleRate: 8000,
  channels: 1,
  initialization: new Uint8Array(),
};
/** A byte is an eighth of a millisecond. */
const SOUND_US = 125;
/** Of each second the key frame and the other pictures, bytes in the file; 0: as the encoder made them. */
const SIZES = [
  { key: 0, others: 0 },
  // A piece of some blocks, whose borders lie within pictures.
  { key: 0, others: 40_000 },
  // The border lies between two pictures, within the header of the second, and before the last byte of the first.
  { key: BLOCK_BYTES, others: 0 },
  { key: BLOCK_BYTES - RECORD_HEADER_BYTES + 1, others: 0 },
  { key: BLOCK_BYTES + 1, others: 0 },
  { key: 5 * MEBIBYTE, others: 50_000 },
  { key: 16 * MEBIBYTE - 1000, others: 0 },
  { key: 0, others: 0 },
];
const PICTURES = SIZES.length * GOP_FRAMES;
/** Of a run that may go on: the last one waits for what follows it. */
const PICTURES_OVER_RTSP = PICTURES - 1;
/** The most that is sent of one stream beside time, so that all of it is compared soon. */
const FASTEST = 8;

/** Of two seconds or more: all but the last of the recording. */
const HLS_SEGMENTS = 3;
/** Of so many requests the store refuses one. */
const BUSY_EACH = 7;

/** A server with the same recordings. */
interface House {
  readonly api: ApiHarness;
  readonly outlet: OutletHarness;
}

let store: ScriptedStore;
let directory: TemporaryDirectory;
let box: ReturningBox;
let reader: TestReader;
let here: House;
let away: House;
const clock = new SystemClock();

let prepared: Promise<void> | undefined;

async function prepare(): Promise<void> {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-far-doors");
  box = await new ReturningBox(
    { endpoint: `http://127.0.0.1:${store.port}`, prefix: "a/" },
    undefined,
    GATE_MAIN,
  ).start();
  await box.recordUnits(await units());
  await box.send();
  reader = await startReader(store, directory, { clock });
  await until("the boxes", () => reader.reader.fault === undefined);
  here = await open(box.archive, clock);
  away = await open(reader.archive, clock);
}

afterAll(async () => {
  for (const house of [here, away]) {
    await house?.outlet.stop();
    await house?.api.stop();
  }
  await reader?.stop();
  await box?.stop();
  store?.stop();
  directory?.remove();
});

it.each<[string, (house: House) => Promise<unknown>]>([
  ["an export", exported],
  ["the digest of an export", digested],
  ["/video", overVideo],
  ["HLS", overHls],
  ["/site", stills],
  ["strips of the timeline", strip],
  ["playback over the live socket", playedOverSocket],
  ["playback of key frames over the live socket", playedFast],
  ["RTSP", overRtsp],
])(
  "%s gives recordings of all sizes out of a bucket as from the disk",
  {
    timeout: 3 * PATIENCE_MS,
  },
  async (_name, door) => {
    // The clip is made within a test.
    prepared ??= prepare();
    await prepared;
    const wanted = await door(here);
    expect(await door(away)).toEqual(wanted);
  },
);

it.each<[string, Fault, (asked: Asked) => boolean]>([
  ["is busy", { status: 503, code: "SlowDown" }, () => true],
  ["sends half of what was asked for", { part: "short" }, isPart],
  ["sends what was not asked for", { part: "elsewhere" }, isPart],
  ["sends other bytes", { part: "other" }, isPart],
  ["ends connections in the middle", { part: "cut" }, isPart],
])(
  "answers as from the disk while the store %s now and then, and listeners do not pile up",
  {
    timeout: 3 * PATIENCE_MS,
  },
  async (what, fault, isMeant) => {
    prepared ??= prepare();
    await prepared;
    const wanted = [await exported(here), await overVideo(here)];
    const warnings: string[] = [];
    const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
    process.on("warning", onWarning);
    let asked = 0;
    const before = new Set<string>();
    store.fault = (one) => {
      const name = `${one.method} ${one.key} ${one.query} ${one.headers.range}`;
      // What is read twice and damaged both times is damaged.
      if (!isMeant(one) || (isMeant === isPart && before.has(name))) return undefined;
      before.add(name);
      return asked++ % BUSY_EACH === 0 ? fault : undefined;
    };
    const cold = await startReader(store, directory, { clock, name: `cold ${what}` });
    const house = await open(cold.archive, clock);
    try {
      await until("the boxes", () => cold.reader.fault === undefined);
      expect([await exported(house), await overVideo(house)]).toEqual(wanted);
      expect(asked).toBeGreaterThan(2 * BUSY_EACH);
      expect(warnings).toEqual([]);
    } finally {
      store.fault = () => undefined;
      process.off("warning", onWarning);
      await house.outlet.stop();
      await house.api.stop();
      await cold.stop();
    }
  },
);

function isPart({ method, headers }: Asked): boolean {
  return method === "GET" && headers.range !== undefined;
}

/** Pictures of the sizes, and sound in units of one byte beside them. */
async function units(): Promise<RecordedUnit[]> {
  const clip = await videoUnits("h264", { seconds: SIZES.length, gopFrames: GOP_FRAMES });
  const pictures = clip.slice(0, PICTURES).map((unit, at) => {
    const size = SIZES[Math.floor(at / GOP_FRAMES)];
    const bytes = (at % GOP_FRAMES === 0 ? size?.key : size?.others) ?? 0;
    return { ...unit, bytes: padded(unit.bytes, bytes - RECORD_HEADER_BYTES) };
  });
  const samples = Array.from({ length: 400 }, (_one, at) => Buffer.from([at & 0xff]));
  const sound = soundUnits(SOUND, samples, SOUND_US);
  return [...pictures, ...sound].sort((one, other) => one.decodeTimeUs - other.decodeTimeUs);
}

/** With filler data behind it (NAL unit type 12). */
function padded(picture: Buffer, bytes: number): Buffer {
  if (bytes <= picture.length) return picture;
  const filled = Buffer.alloc(bytes, 0xff);
  picture.copy(filled);
  filled.set([0, 0, 0, 1, 12], picture.length);
  filled[bytes - 1] = 0x80;
  return filled;
}

async function open(archive: Archive, by: Clock): Promise<House> {
  const api = await startApi({ archive, clock: by, codec: new NativeCodec() });
  const outlet = new OutletHarness(api, by);
  await outlet.start();
  return { api, outlet };
}

function time(second: number): string {
  const iso = new Date(box.startUs / 1000 + second * 1000).toISOString();
  return `${iso.slice(8, 10)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}+${iso.slice(11, 23)}`;
}

const span = (): string => `channelid=${GATE_ID}&fromtime=${time(0)}&totime=${time(SIZES.length)}`;

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function bytesOf({ api }: House, path: string): Promise<Buffer> {
  const answer = await api.get(path);
  const body = Buffer.from(await answer.arrayBuffer());
  expect([path, answer.status, answer.status === 200 ? "" : body.toString()]).toEqual([path, 200, ""]);
  return body;
}

async function exported(house: House): Promise<unknown> {
  const movie = await bytesOf(house, `/exportarchive?${span()}`);
  expect(movie.length).toBeGreaterThan(20 * MEBIBYTE);
  return [movie.length, sha256(movie)];
}

async function digested(house: House): Promise<unknown> {
  const answer = JSON.parse((await bytesOf(house, `/exportarchive?${span()}&digest=true`)).toString());
  expect(answer.Sha256).toMatch(/^[0-9a-f]{64}$/);
  return [answer.Bytes, answer.Sha256];
}

async function overVideo({ api }: House): Promise<unknown> {
  const leaving = new AbortController();
  const path = `/video?channelid=${GATE_ID}&mode=archive&starttime=${time(0)}&speed=${FASTEST}&sound=on`;
  const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`, { signal: leaving.signal });
  expect(answer.status).toBe(200);
  const parser = new MultipartParser();
  const parts: unknown[] = [];
  let pictures = 0;
  const body = answer.body ?? new ReadableStream<Uint8Array>();
  try {
    for await (const chunk of body)
      for (const part of parser.push(Buffer.from(chunk))) {
        if (!part.contentType.startsWith("video") || pictures === PICTURES) continue;
        pictures += 1;
        parts.push([part.contentType, part.timestampMs, part.body.length, sha256(part.body)]);
        if (pictures === PICTURES) leaving.abort();
      }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
  expect(pictures).toBe(PICTURES);
  return parts;
}

async function overHls(house: House): Promise<unknown> {
  const name = (await bytesOf(house, `/hls?channelid=${GATE_ID}&mode=archive&starttime=${time(0)}`))
    .toString()
    .replace(/\.m3u8$/, "");
  const seen = new Map<string, string>();
  const fetched = async (file: string): Promise<Buffer> => {
    const answer = await fetch(house.api.url(`/hls/${name}/${file}`));
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

async function stills(house: House): Promise<unknown> {
  const found: string[] = [];
  for (const second of SIZES.keys())
    found.push(
      sha256(await bytesOf(house, `/site?channelid=${GATE_ID}&mode=archive&starttime=${time(second + 0.1)}`)),
    );
  return found;
}

async function strip(house: House): Promise<unknown> {
  const iso = (second: number): string => new Date(box.startUs / 1000 + second * 1000).toISOString();
  const over = `from=${iso(0)}&to=${iso(SIZES.length)}`;
  return sha256(await bytesOf(house, `/api/strip?channel=${GATE_ID}&${over}&count=8&width=160`));
}

async function playedOverSocket(house: House): Promise<unknown> {
  return await played(house, 2, 6 * GOP_FRAMES);
}

/** Key frames alone, as they are played at this speed. */
async function playedFast(house: House): Promise<unknown> {
  return await played(house, 32, 3);
}

async function played({ api }: House, speed: number, count: number): Promise<unknown> {
  const client = new LiveSocketClient(api.port);
  try {
    await client.greet();
    const watches = [{ id: 1, channel: GATE_ID, tile: { width: 640, height: 360 } }];
    client.say({ type: "play", watches, from: box.startUs / 1000, speed });
    await until(
      "the pictures",
      () => client.pictures().length >= count || client.of("error").length > 0,
      PATIENCE_MS,
    );
    expect(client.of("error")).toEqual([]);
    return client
      .pictures()
      .slice(0, count)
      .map(({ timeUs, key, media }) => [timeUs, key, media.length]);
  } finally {
    client.close();
  }
}

async function overRtsp({ outlet }: House): Promise<unknown> {
  const client = await outlet.connect();
  const url = outlet.url(`&mode=archive&starttime=${time(0).replace("+", "%20")}`);
  await outlet.play(client, url, { play: { Require: "onvif-replay", "Rate-Control": "no" } });
  const payloads = () => client.packets.filter(({ channel }) => channel === 0).map(({ packet }) => packet);
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
