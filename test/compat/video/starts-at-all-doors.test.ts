import { afterAll, describe, expect, it } from "vitest";
import type { Archive } from "../../../src/archive/index.js";
import { SystemClock } from "../../../src/base/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { GATE_MAIN, videoUnits } from "../../support/api/exported-archive.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { startReader, type TestReader } from "../../support/away/bucket-samples.js";
import { ReturningBox } from "../../support/away/returning-box.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { MultipartParser } from "../../support/http/multipart-reader.js";
import { OutletHarness } from "../../support/rtsp/rtsp-outlet.js";

/** Recorded are seconds 0 to 4 and 64 to 68, with 25 pictures and a key frame in each. */
const RUN_S = 4;
const SECOND_RUN_S = 64;
const GOP_FRAMES = 25;
/** From 1900, which NTP counts from, to 1970. */
const NTP_TO_UNIX_S = 2_208_988_800;
const YEAR_2222_S = 200 * 365 * 86_400;
const YEAR_1970_S = -50 * 365 * 86_400;

/** Where to begin; the key frame that a stream begins with; the picture that is shown there. Seconds. */
const STARTS: readonly [when: string, startS: number, keyS: number, shownS: number][] = [
  ["in a recording", 1.4, 1, 1.4],
  ["right at the end of one", 4, 3, 3.96],
  ["in a gap, nearer to its beginning", 10, 3, 3.96],
  ["in a gap, nearer to its end", 60, 64, 64],
  ["before the first picture", -10, 0, 0],
  ["in 1970", YEAR_1970_S, 0, 0],
  ["behind the last picture", 70, 67, 67.96],
  ["in the far future", YEAR_2222_S, 67, 67.96],
];

/** A name of HLS holds one for a while after its last use. */
const READERS = 64;
const REPLAY = { Require: "onvif-replay" };

/** A server with the recordings. */
interface House {
  readonly api: ApiHarness;
  readonly outlet: OutletHarness;
}

let store: ScriptedStore;
let directory: TemporaryDirectory;
let box: ReturningBox;
let reader: TestReader;
let houses: Record<"here" | "away", House>;
const clock = new SystemClock();
let prepared: Promise<void> | undefined;

async function prepare(): Promise<void> {
  store = await new ScriptedStore().start();
  directory = new TemporaryDirectory("nvrd-starts");
  const target = { endpoint: `http://127.0.0.1:${store.port}`, prefix: "a/" };
  box = await new ReturningBox(target, undefined, GATE_MAIN).start({ readersMax: READERS });
  const units = (await videoUnits("h264", { seconds: RUN_S, gopFrames: GOP_FRAMES })).slice(
    0,
    RUN_S * GOP_FRAMES,
  );
  await box.recordUnits(units);
  const laterUs = SECOND_RUN_S * 1_000_000;
  await box.recordUnits(units.map((unit) => ({ ...unit, decodeTimeUs: unit.decodeTimeUs + laterUs })));
  await box.send();
  reader = await startReader(store, directory, { clock });
  await until("the boxes", () => reader.reader.fault === undefined);
  houses = { here: await open(box.archive), away: await open(reader.archive) };
}

async function open(archive: Archive): Promise<House> {
  const api = await startApi({ archive, clock, codec: new NativeCodec() });
  const outlet = new OutletHarness(api, clock);
  await outlet.start();
  return { api, outlet };
}

afterAll(async () => {
  for (const house of Object.values(houses ?? {})) {
    await house.outlet.stop();
    await house.api.stop();
  }
  await reader?.stop();
  await box?.stop();
  store?.stop();
  directory?.remove();
});

describe.each(["here", "away"] as const)("recordings that are %s", (place) => {
  it.each(STARTS)(
    "begin at every door with what is recorded nearest: %s",
    { timeout: 3 * PATIENCE_MS },
    async (_when, startS, keyS, shownS) => {
      prepared ??= prepare();
      await prepared;
      const house = houses[place];
      const [video, hls, rtsp, sought, still, mobile] = await Promise.all([
        firstPart(house, "/video", startS),
        firstSegment(house, startS),
        overRtsp(house, startS),
        overRtsp(house, 1, startS),
        stillAt(house, startS),
        firstPart(house, "/mobile", startS),
      ]);
      expect({ video, hls, rtsp, sought }).toEqual({ video: keyS, hls: keyS, rtsp: keyS, sought: keyS });
      expect({ still, mobile }).toEqual({ still: shownS, mobile: shownS });
    },
  );

  it.each(STARTS.filter(([, startS]) => startS < RUN_S || startS > SECOND_RUN_S))(
    "begin over the live socket with what is recorded nearest: %s",
    { timeout: 3 * PATIENCE_MS },
    async (_when, startS, keyS) => {
      prepared ??= prepare();
      await prepared;
      expect(await overSocket(houses[place], startS)).toBe(keyS);
    },
  );

  it("go over the live socket from a moment in a gap to the next picture, as all channels are in step", {
    timeout: 3 * PATIENCE_MS,
  }, async () => {
    prepared ??= prepare();
    await prepared;
    expect(await overSocket(houses[place], 10)).toBe(SECOND_RUN_S);
  });

  it("are exported from a moment in a gap on without anything before it, and not where the interval has none", async () => {
    prepared ??= prepare();
    await prepared;
    expect(await exported(houses[place], 10, 66)).toEqual([64, 66]);
    for (const [fromS, toS] of [
      [10, 60],
      [-10, -5],
      [70, 80],
      [YEAR_2222_S, YEAR_2222_S + 10],
    ] as const)
      expect([fromS, await exported(houses[place], fromS, toS)]).toEqual([fromS, 404]);
  });
});

const iso = (second: number): string => new Date(box.startUs / 1000 + second * 1000).toISOString();
const secondOf = (ms: number): number => Math.round(ms - box.startUs / 1000) / 1000;
const archived = (startS: number): string =>
  `channelid=${GATE_ID}&mode=archive&starttime=${encodeURIComponent(iso(startS))}`;

/** The time of the first part of an endless answer. */
async function firstPart({ api }: House, path: string, startS: number): Promise<number> {
  const leaving = new AbortController();
  const answer = await fetch(`${api.url(`${path}?${archived(startS)}`)}&${ROOT_QUERY}`, {
    signal: leaving.signal,
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const parser = new MultipartParser();
  try {
    for await (const chunk of answer.body ?? new ReadableStream<Uint8Array>())
      for (const { timestampMs } of parser.push(Buffer.from(chunk))) return secondOf(timestampMs);
  } finally {
    leaving.abort();
  }
  throw new Error(`${path}: no part`);
}

async function firstSegment({ api }: House, startS: number): Promise<number> {
  const answer = await api.get(`/hls?${archived(startS)}`);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/hls: ${answer.status} ${text}`);
  const playlist = await fetch(api.url(`/hls/${text.replace(/\.m3u8$/, "")}/media.m3u8`));
  const [first] = readPlaylist(await playlist.text()).segments;
  return secondOf(first?.timeMs ?? Number.NaN);
}

async function stillAt({ api }: House, startS: number): Promise<number> {
  const answer = await api.get(`/site?${archived(startS)}`);
  if (answer.status !== 200) throw new Error(`/site: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
  const [, day, month, year, time] =
    /^(\d\d)\.(\d\d)\.(\d{4}) (.*)$/.exec(answer.headers.get("timestamp") ?? "") ?? [];
  return secondOf(Date.parse(`${year}-${month}-${day}T${time}Z`));
}

/** The recorded time of the first picture of a URL with a start, or of a Range of it. */
async function overRtsp({ outlet }: House, startS: number, rangeS?: number): Promise<number> {
  const client = await outlet.connect();
  try {
    const url = outlet.url(`&mode=archive&starttime=${encodeURIComponent(iso(startS))}`);
    const range = rangeS === undefined ? {} : { Range: `clock=${iso(rangeS).replace(/[-:]/g, "")}-` };
    const { play } = await outlet.play(client, url, { setup: REPLAY, play: { ...REPLAY, ...range } });
    expect([play.status, play.body]).toEqual([200, ""]);
    await until("a picture", () => client.packets.some(({ channel }) => channel === 0), PATIENCE_MS);
    const first = client.packets.find(({ channel }) => channel === 0)?.packet ?? Buffer.alloc(0);
    // Behind the header of the extension (ONVIF Streaming Specification, 6.3): seconds since 1900, and 2^-32 of them.
    const unixMs = (first.readUInt32BE(16) - NTP_TO_UNIX_S + first.readUInt32BE(20) / 2 ** 32) * 1000;
    return secondOf(Math.round(unixMs));
  } finally {
    client.close();
  }
}

async function overSocket({ api }: House, startS: number): Promise<number> {
  const client = new LiveSocketClient(api.port);
  try {
    await client.greet();
    const watches = [{ id: 1, channel: GATE_ID, tile: { width: 640, height: 360 } }];
    client.say({ type: "play", watches, from: box.startUs / 1000 + startS * 1000, speed: 1 });
    await until(
      "a picture",
      () => client.pictures().length > 0 || client.of("error").length > 0,
      PATIENCE_MS,
    );
    expect(client.of("error")).toEqual([]);
    return secondOf((client.pictures()[0]?.timeUs ?? Number.NaN) / 1000);
  } finally {
    client.close();
  }
}

/** From when to when a file is, or the status of the refusal. */
async function exported({ api }: House, fromS: number, toS: number): Promise<[number, number] | number> {
  const span = `fromtime=${encodeURIComponent(iso(fromS))}&totime=${encodeURIComponent(iso(toS))}`;
  const answer = await api.get(`/exportarchive?channelid=${GATE_ID}&${span}&digest=true`);
  const body = await answer.text();
  if (answer.status !== 200) return answer.status;
  const { Stretches } = JSON.parse(body) as { Stretches: { FromTime: string; ToTime: string }[] };
  const [first, last] = [Stretches[0], Stretches.at(-1)];
  return [secondOf(Date.parse(first?.FromTime ?? "")), secondOf(Date.parse(last?.ToTime ?? ""))];
}
