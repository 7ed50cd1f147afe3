import { writeFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import { NativeCodec } from "../../../src/picture/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { ExportedArchive } from "../../support/api/exported-archive.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { openPlayer, say, shown } from "../../support/api/playback-page.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { archived, pictureHashes } from "../../support/hls/hls-clips.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { JOINED_FRAME_US, joinedLate } from "../../support/rtsp/joined-late.js";

const KEY = { channelId: GATE_ID, streamType: "Main" } as const;
const TILE = { width: 640, height: 360 };
const PICTURES_MAX = 1000;
/** ffmpeg leaves out what it knows to be damaged otherwise. */
const DAMAGED_TOO = ["-flags", "+output_corrupt"];
/** Pictures that a player may hold back for those behind them. */
const MARGIN = 5;

/** Streams that are recorded from places where decoding can begin, and what is shown is not right at first. */
const ENCODES = {
  "H.264 with recovery points": {
    codec: Codec.H264,
    encode: ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=20:bframes=0:slices=1"],
    copyFormat: "h264",
    raw: "h264",
    pace: 1,
  },
  "H.265 without random access points": {
    codec: Codec.H265,
    encode: ["-c:v", "libx265", "-x265-params", "intra-refresh=1:keyint=20:bframes=0:log-level=error"],
    copyFormat: "hevc",
    raw: "hevc",
    pace: 10,
  },
} as const;
type Name = keyof typeof ENCODES;
const NAMES = Object.keys(ENCODES) as Name[];

const frames = new Map<Name, Frame[]>();
let directory: TemporaryDirectory;
let api: ApiHarness;
let browser: Browser;

/** What the track published, as frames from nine o'clock on. */
async function framesOf(name: Name): Promise<Frame[]> {
  const track = await joinedLate(ENCODES[name]);
  const made = track.frames.map(
    ({ format, bytes, key, damaged, undecodable }, index) =>
      new Frame({
        ...{ format, key, damaged, undecodable, presentationOffsetUs: 0 },
        decodeTimeUs: NINE_US + index * JOINED_FRAME_US,
        discontinuity: index === 0,
        ranges: [{ slab: undefined, bytes }],
      }),
  );
  track.close();
  return made;
}

beforeAll(async () => {
  directory = new TemporaryDirectory("unclean");
  for (const name of NAMES) frames.set(name, await framesOf(name));
  if (noBrowser === undefined) browser = await sharedChromium();
});
afterAll(() => directory.remove());
beforeEach(async () => {
  api = await startApi({ codec: new NativeCodec() });
});
afterEach(async () => {
  for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) await page.close();
  await api.stop();
});

const of = (name: Name): Frame[] => frames.get(name) ?? expect.fail(`no frames of ${name}`);

/** What ffmpeg makes of the frames as they are. */
async function pictures(name: Name): Promise<string[]> {
  const file = directory.join(`${ENCODES[name].raw}.raw`);
  await writeFile(file, Buffer.concat(of(name).map((frame) => frame.copyBytes())));
  return (await pictureHashes(file, PICTURES_MAX, [...DAMAGED_TOO, "-f", ENCODES[name].raw])).hashes.slice();
}

function record(name: Name): void {
  api.archive.record(
    KEY,
    of(name).map((frame, index) => ({ ...archived(frame, index === 0), damaged: frame.damaged })),
  );
}

async function playlistOf(query: string): Promise<string> {
  const response = await api.get(`/hls?channelid=${GATE_ID}${query}`);
  return api.url(`/hls/${await response.text()}`);
}

describe.each(NAMES)("%s, entered where no clean key frame is", (name) => {
  it("begins with a picture that is a key, and is damaged", () => {
    expect(of(name)[0]).toMatchObject({ key: true, damaged: true, undecodable: false });
  });

  it("is shown by ffmpeg as a recording over HLS, from the first picture on", async () => {
    record(name);
    const url = await playlistOf("&mode=archive&starttime=21.11.2026+09:00:00");
    const wanted = await pictures(name);
    const { hashes } = await pictureHashes(url, wanted.length - MARGIN, DAMAGED_TOO);
    expect(hashes.length).toBeGreaterThan(10);
    expect(wanted.join()).toContain(hashes.join());
  });

  it("is shown by ffmpeg as a live stream over HLS", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    const all = of(name);
    const later = all.map((frame) => shifted(frame, all.length * JOINED_FRAME_US));
    for (const frame of all) stream.publish(shifted(frame, 0));
    const opened = playlistOf("");
    await until("the packager is there", () => stream.subscribers === 1);
    for (const frame of later) stream.publish(frame);
    const flags = [...DAMAGED_TOO, "-live_start_index", "0"];
    const { hashes } = await pictureHashes(await opened, 10, flags);
    expect(hashes).toHaveLength(10);
  });

  it("comes transcoded over live HLS once it is known, with nothing that players would leave out", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    stream.losses.name("no-clean-key-frame");
    const all = of(name);
    let at = 0;
    const publish = () => {
      const later = Math.floor(at / all.length) * all.length * JOINED_FRAME_US;
      const frame = all[at++ % all.length];
      if (frame !== undefined) stream.publish(shifted(frame, later));
    };
    const camera = setInterval(publish, 20);
    try {
      const { hashes } = await pictureHashes(await playlistOf(""), 10, ["-live_start_index", "0"]);
      expect(hashes).toHaveLength(10);
    } finally {
      clearInterval(camera);
    }
  });

  it("goes on over live HLS as it is for who plays it already", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    const all = of(name);
    const laterUs = all.length * JOINED_FRAME_US;
    for (const frame of all) stream.publish(shifted(frame, 0));
    const opened = playlistOf("");
    await until("the packager is there", () => stream.subscribers === 1);
    for (const frame of all) stream.publish(shifted(frame, laterUs));
    const url = await opened;
    stream.losses.name("no-clean-key-frame");
    const [first] = all;
    if (first === undefined) throw new Error("no frames");
    const { format, ranges } = first;
    const times = { decodeTimeUs: NINE_US + 2 * laterUs, presentationOffsetUs: 0, discontinuity: false };
    stream.publish(new Frame({ format, ranges, ...times, key: false, damaged: true, undecodable: true }));
    for (const frame of all) stream.publish(shifted(frame, 2 * laterUs + JOINED_FRAME_US));
    expect((await fetch(url)).status).toBe(200);
    expect(stream.subscribers).toBe(1);
  });

  it("is shown by ffmpeg as an exported file", async () => {
    const recorder = await ExportedArchive.start(directory);
    try {
      const units = of(name).map((frame) => ({
        ...{ format: frame.format, key: frame.key, damaged: frame.damaged, bytes: frame.copyBytes() },
        ...{ decodeTimeUs: frame.decodeTimeUs - NINE_US, presentationOffsetUs: 0 },
      }));
      await recorder.record(units);
      const file = await recorder.save("unclean.mp4", recorder.path(-1, 60));
      const { hashes } = await pictureHashes(file, PICTURES_MAX, DAMAGED_TOO);
      expect(hashes).toEqual(await pictures(name));
    } finally {
      await recorder.stop();
    }
  });
});

function shifted(frame: Frame, byUs: number): Frame {
  const { format, key, damaged, undecodable, ranges } = frame;
  const fields = { format, key, damaged, undecodable, ranges, presentationOffsetUs: 0, discontinuity: false };
  return new Frame({ ...fields, decodeTimeUs: frame.decodeTimeUs + byUs });
}

describe.each(NAMES)("%s, live over the live socket", (name) => {
  it("comes transcoded, from a key frame on, to who plays its codec", async () => {
    const stream = api.streams.live(GATE_ID);
    stream.setState({ state: "active" });
    stream.losses.name("no-clean-key-frame");
    const client = new LiveSocketClient(api.port);
    try {
      await client.greet();
      client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE, stream: "main" });
      await until("the stream is watched", () => stream.subscribers > 0);
      const all = of(name);
      let at = 0;
      const enough = () => {
        const later = Math.floor(at / all.length) * all.length * JOINED_FRAME_US;
        const frame = all[at++ % all.length];
        if (frame !== undefined) stream.publish(shifted(frame, later));
        return client.pictures().length >= 10;
      };
      await until("pictures", enough);
      expect(client.of("stream")[0]).toMatchObject({ source: "transcode", reason: "codec-not-playable" });
      expect(client.of("stream")[0]?.mime).toContain("avc1");
      expect(client.pictures()[0]?.key).toBe(true);
    } finally {
      client.close();
    }
  });
});

describe.skipIf(noBrowser !== undefined)(`a browser${notHere(noBrowser)}`, () => {
  const name = "H.264 with recovery points";

  const watching = async (): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(api.url("/api/wallclock"));
    const socket = `ws://127.0.0.1:${api.port}/api/live?${ROOT_QUERY}`;
    await openPlayer(page, { socket, epochMs: NINE_US / 1000 - 1000 });
    await expect.poll(() => page.evaluate("window.messages.length"), { timeout: PATIENCE_MS }).toBe(1);
    return page;
  };
  const isShown = async (page: Page): Promise<boolean> => ((await shown(page))[1]?.readyState ?? 0) >= 2;

  it("shows a recording that is entered at recovery points, over the live socket", async () => {
    record(name);
    const page = await watching();
    const watches = [{ id: 1, channel: GATE_ID, tile: TILE }];
    await say(page, { type: "play", watches, from: NINE_US / 1000 + 1000, paused: true });
    await expect.poll(() => isShown(page), { timeout: PATIENCE_MS }).toBe(true);
  });
});
