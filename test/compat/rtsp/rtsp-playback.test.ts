import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RecordingUnreachable } from "../../../src/archive/index.js";
import type { StreamKey } from "../../../src/base/index.js";
import { EDGE_WAIT_MS } from "../../../src/player/rtsp/rtsp-playback.js";
import { readRtcp } from "../../../src/rtsp/rtp/rtcp.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { FRAME_US, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import type { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { OutletHarness, recordedSlices } from "../../support/rtsp/rtsp-outlet.js";

const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };
const START = "&mode=archive&starttime=21.11.2026%2009:00:00";
const REPLAY = { Require: "onvif-replay" };
const TICKS_A_FRAME = 3600;

let api: ApiHarness;
let clock: SimulatedClock;
let outlet: OutletHarness;
let client: RawRtspClient;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US + 86_400_000_000);
  api = await startApi({ clock });
  outlet = new OutletHarness(api, clock);
  await outlet.start();
  client = await outlet.connect();
});

afterEach(async () => {
  await outlet.stop();
  await api.stop();
  expect(api.archive.readers).toBe(0);
});

interface SeenPacket {
  readonly index: number;
  readonly timestamp: number;
  readonly sequence: number;
  readonly extension: Buffer | undefined;
}

/** Each packet is one frame here: the extension, then one slice with the frame's number. */
function seen(): SeenPacket[] {
  return client.packets
    .filter((one) => one.channel === 0)
    .map(({ packet }) => {
      const hasExtension = ((packet[0] ?? 0) & 0x10) !== 0;
      return {
        index: (packet[(hasExtension ? 28 : 12) + 1] ?? 0) - 1,
        timestamp: packet.readUInt32BE(4),
        sequence: packet.readUInt16BE(2),
        extension: hasExtension ? packet.subarray(12, 28) : undefined,
      };
    });
}

const indexes = (): number[] => seen().map(({ index }) => index);
const lastIndex = (): number => indexes().at(-1) ?? -1;
const steps = (): number[] => {
  const times = seen().map(({ timestamp }) => timestamp);
  return times.slice(1).map((time, at) => (time - (times[at] ?? 0)) >>> 0);
};
const hasEnded = (): boolean =>
  client.packets.some((one) => one.channel === 1 && one.packet.subarray(-8)[1] === 203);
const from = (start: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => start + index);
/** Lets sockets and promises run without moving the clock. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));

describe("a recording over RTSP", () => {
  it("tells where it can be played, for players and for recorders", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const one = await client.request("DESCRIBE", outlet.url("&mode=archive&starttime=21.11.2026%2009:00:01"));
    expect(one.body).toContain(
      "a=range:npt=0.000-3.000\r\na=range:clock=20261121T090000.000000Z-20261121T090004.000000Z\r\n",
    );
    const all = await (await outlet.connect()).request("DESCRIBE", outlet.url("&mode=archive"));
    expect(all.body).toMatch(/a=range:clock=20261121T090000.000000Z-.*\r\na=range:npt=0.000-4.000/);
  });

  it("begins with the key frame before the start, says so, and paces by the frames' times", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const { play } = await outlet.play(client, outlet.url("&mode=archive&starttime=21.11.2026%2009:00:01.4"));
    expect(play.headers.get("range")).toBe("npt=0.000-");
    await until("the key frame", () => indexes().length === 1);
    expect(play.headers.get("rtp-info")).toContain(
      `;seq=${seen()[0]?.sequence};rtptime=${seen()[0]?.timestamp}`,
    );
    await clock.advanceSlowly(400_000, 5000);
    await until("ten frames", () => indexes().length === 11);
    await settle();
    expect(indexes()).toEqual(from(25, 11));
    expect(new Set(steps())).toEqual(new Set([TICKS_A_FRAME]));
  });

  it.each([
    ["npt", "npt=2.0-", "npt=2.000-", 50],
    ["npt in hours", "npt=0:00:02.5-", "npt=2.000-", 50],
    ["the clock", "clock=20261121T090001.5Z-", "clock=20261121T090001.000000Z-", 25],
    [
      "the clock, before all that is recorded",
      "clock=19000101T000000Z-",
      "clock=20261121T090000.000000Z-",
      0,
    ],
    ["the clock, in the future", "clock=20301121T090000Z-", "clock=20261121T090003.000000Z-", 75],
    ["npt, behind the last picture", "npt=1000-", "npt=3.000-", 75],
  ])("is sought by %s, while it plays too", async (_, range, answered, first) => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    const { session } = await outlet.play(client, url);
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(80_000, 5000);
    await until("three frames", () => indexes().length === 3);
    const sought = await client.request("PLAY", url, { Session: session, Range: range });
    expect([sought.status, sought.headers.get("range")]).toEqual([200, answered]);
    await until("the frame", () => indexes().length === 4);
    expect(lastIndex()).toBe(first);
    // RTP timestamps run on over jumps (RFC 2326, Appendix B), and RTP-Info names them.
    expect(steps().at(-1)).toBe(TICKS_A_FRAME);
    expect(sought.headers.get("rtp-info")).toContain(`rtptime=${seen().at(-1)?.timestamp}`);
    expect(api.archive.readers).toBe(1);
  });

  it("waits for recordings that have to be fetched first, at each question", async () => {
    api.archive.record(GATE, recordedSlices(100));
    api.archive.coolDown();
    const url = outlet.url("&mode=archive");
    const described = await client.request("DESCRIBE", url);
    expect([described.status, described.body]).toEqual([
      200,
      expect.stringContaining("a=range:clock=20261121T090000.000000Z-20261121T090004.000000Z\r\n"),
    ]);
    const { session, play } = await outlet.play(client, url);
    expect(play.status).toBe(200);
    await clock.advanceSlowly(400_000, 5000);
    await until("ten frames", () => indexes().length >= 10);
    expect(indexes()).toEqual(from(0, indexes().length));
    const sought = await client.request("PLAY", url, { Session: session, Range: "npt=2.0-" });
    expect([sought.status, sought.headers.get("range")]).toEqual([200, "npt=2.000-"]);
  });

  it("says when to ask again where they do not come in time", async () => {
    api.archive.record(GATE, recordedSlices(100));
    api.archive.needed = () => new Promise(() => undefined);
    const asked = client.request("DESCRIBE", outlet.url(START));
    await clock.advanceSlowly(30_000_000, 500_000);
    const { status, headers } = await asked;
    expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
  });

  it("plays on where it cannot be known whether a section ends", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    await outlet.play(client, url);
    api.archive.fragments = () => {
      throw new RecordingUnreachable("the link is down", { retryAfterMs: 1000 });
    };
    await clock.advanceSlowly(4_000_000, 5000);
    await until("all frames", () => lastIndex() === 99);
    expect(indexes()).toEqual(from(0, 100));
  });

  it("holds no reader for a client that left while it waited", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const { session } = await outlet.play(client, outlet.url(START));
    expect((await client.request("PAUSE", outlet.url(START), { Session: session })).status).toBe(200);
    let fetched: () => void = () => undefined;
    const fetching = new Promise<void>((resolve) => {
      fetched = resolve;
    });
    let isAsked = false;
    api.archive.needed = () => {
      isAsked = true;
      return fetching;
    };
    const unanswered = client.request("PLAY", outlet.url(START), { Session: session, Range: "npt=0-" });
    await until("it waits", () => isAsked);
    client.close();
    await expect(unanswered).rejects.toThrow(/without an answer/);
    api.archive.needed = () => undefined;
    fetched();
    await settle();
    expect(api.archive.readers).toBe(0);
  });

  it("ends a range where it says, with BYE, and plays on afterwards", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    const { session } = await outlet.play(client, url, { play: { Range: "npt=1-1.2" } });
    await clock.advanceSlowly(1_000_000, 5000, hasEnded);
    await until("the end", hasEnded);
    expect(indexes()).toEqual(from(25, 5));
    expect(api.archive.readers).toBe(0);
    expect((await client.request("PLAY", url, { Session: session, Range: "npt=0-" })).status).toBe(200);
    await until("the beginning", () => lastIndex() === 0);
  });

  it("pauses without holding a reader, and goes on behind the last frame", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    const { session } = await outlet.play(client, url);
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(200_000, 5000);
    await until("six frames", () => indexes().length === 6);
    expect((await client.request("PAUSE", url, { Session: session })).status).toBe(200);
    expect(api.archive.readers).toBe(0);
    await clock.advanceSlowly(1_000_000, 50_000);
    await settle();
    expect(indexes()).toHaveLength(6);
    expect((await client.request("PLAY", url, { Session: session })).status).toBe(200);
    await clock.advanceSlowly(200_000, 5000);
    await until("more", () => indexes().length >= 10);
    expect(indexes()).toEqual(from(0, indexes().length));
    expect(new Set(steps())).toEqual(new Set([TICKS_A_FRAME]));
  });

  it("passes a gap without waiting, its timestamps running on, and reports the recorded time behind it", async () => {
    api.archive.record(GATE, recordedSlices(3));
    api.archive.record(GATE, recordedSlices(3, NINE_US + 3600_000_000));
    await outlet.play(client, outlet.url(START));
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(300_000, 5000);
    await until("both fragments", () => indexes().length === 6);
    expect(steps()).toEqual(Array(5).fill(TICKS_A_FRAME));
    const reported: number[] = [];
    for (const { channel, packet } of client.packets) {
      if (channel !== 1) continue;
      readRtcp(packet, 0, packet.length, {
        onSenderReport: ({ ntpUs }) => reported.push(Math.round(ntpUs)),
        onGoodbye: () => undefined,
      });
    }
    const expected = [NINE_US, NINE_US + 3600_000_000];
    expect(reported.map((us) => expected.some((one) => Math.abs(us - one) <= 1))).toEqual([true, true]);
  });

  it("plays by Scale: faster, its timestamps denser, beyond a bound key frames only", async () => {
    api.archive.record(GATE, recordedSlices(200));
    const url = outlet.url(START);
    const { play, session } = await outlet.play(client, url, { play: { Scale: "2.0" } });
    expect(play.headers.get("scale")).toBe("2");
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(200_000, 5000);
    await until("ten more", () => indexes().length >= 11);
    expect(new Set(steps())).toEqual(new Set([TICKS_A_FRAME / 2]));
    await client.request("PLAY", url, { Session: session, Range: "npt=0-", Scale: "10" });
    client.packets.length = 0;
    await clock.advanceSlowly(400_000, 5000);
    await until("key frames", () => indexes().length >= 4);
    expect(indexes().every((index) => index % 25 === 0)).toBe(true);
  });

  it("plays at the speed of its URL as /video does", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const { play } = await outlet.play(client, outlet.url(`${START}&speed=0,5`));
    expect(play.headers.get("scale")).toBe("0.5");
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(400_000, 5000);
    await until("five more", () => indexes().length === 6);
    expect(new Set(steps())).toEqual(new Set([TICKS_A_FRAME * 2]));
  });

  it("delivers by Speed faster and leaves the timestamps as they are", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const { play } = await outlet.play(client, outlet.url(START), { play: { Speed: "4" } });
    expect(play.headers.get("speed")).toBe("4");
    await until("the first frame", () => indexes().length === 1);
    await clock.advanceSlowly(200_000, 5000);
    await until("twenty more", () => indexes().length >= 21);
    expect(new Set(steps())).toEqual(new Set([TICKS_A_FRAME]));
  });

  it.each<[string, Record<string, string>, number]>([
    ["backwards", { Scale: "-1.0" }, 501],
    ["a Scale that is none", { Scale: "fast" }, 400],
    ["a range that ends before it begins", { Range: "npt=3-1" }, 457],
    ["a time that is none", { Range: "clock=yesterday-" }, 457],
    ["an unknown unit", { Range: "smpte=10:07:00-" }, 501],
    ["no range at all", { Range: "later" }, 400],
    ["unknown frames", { Frames: "some" }, 400],
  ])("refuses %s and goes on", async (_, headers, status) => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    const { session } = await outlet.play(client, url);
    expect((await client.request("PLAY", url, { Session: session, ...headers })).status).toBe(status);
    await clock.advanceSlowly(80_000, 5000);
    await until("it goes on", () => indexes().length >= 2);
  });

  it("takes a PLAY without a word for a keep-alive", async () => {
    api.archive.record(GATE, recordedSlices(100));
    const url = outlet.url(START);
    const { session } = await outlet.play(client, url);
    expect((await client.request("PLAY", url, { Session: session })).status).toBe(200);
    await clock.advanceSlowly(400_000, 5000);
    await until("all in order", () => indexes().length === 11);
    expect(indexes()).toEqual(from(0, 11));
  });

  it("says BYE where the recording ends and nothing follows, and waits for what is being recorded", async () => {
    api.archive.record(GATE, recordedSlices(5));
    await outlet.play(client, outlet.url(START));
    await clock.advanceSlowly(400_000, 5000, () => indexes().length === 5);
    await until("all of it", () => indexes().length === 5);
    api.archive.record(
      GATE,
      recordedSlices(6)
        .slice(5)
        .map((frame) => ({ ...frame, startsFragment: false })),
    );
    await clock.advanceSlowly(200_000, 5000);
    await until("the next frame", () => indexes().length === 6);
    expect(hasEnded()).toBe(false);
    await clock.advanceSlowly(EDGE_WAIT_MS * 1000 + 100_000, 1_000_000);
    await until("the end", hasEnded);
    expect(client.closed).toBe(false);
  });
});

describe("ONVIF replay", () => {
  it("marks each frame with its recorded time, clean points, jumps and ends of sections", async () => {
    api.archive.record(GATE, recordedSlices(30));
    api.archive.record(GATE, recordedSlices(2, NINE_US + 60_000_000));
    api.archive.batchFrames = 30;
    const options = { setup: REPLAY, play: { ...REPLAY, "Rate-Control": "no" } };
    const { play } = await outlet.play(client, outlet.url(START), options);
    expect(play.headers.get("rate-control")).toBe("no");
    // Without a tick of the clock: as fast as it is taken.
    await until("all frames", () => indexes().length === 32);
    const marks = seen().map(({ extension = Buffer.alloc(16) }) => ({
      profile: extension.readUInt32BE(0).toString(16),
      us: ntpUs(extension),
      flags: extension[12],
      cseq: extension[13],
    }));
    expect(new Set(marks.map(({ profile }) => profile))).toEqual(new Set(["abac0003"]));
    const times = [...from(0, 30).map((at) => NINE_US + at * FRAME_US)];
    times.push(NINE_US + 60_000_000, NINE_US + 60_000_000 + FRAME_US);
    expect(marks.map(({ us }) => us)).toEqual(times);
    const flagged = marks.flatMap(({ flags }, at) => (flags === 0 ? [] : [[at, flags]]));
    expect(flagged).toEqual([
      [0, 0xa0],
      [25, 0x80],
      [29, 0x40],
      [30, 0xa0],
      [31, 0x40],
    ]);
    expect(new Set(marks.map(({ cseq }) => cseq))).toEqual(new Set([Number(play.headers.get("cseq"))]));
  });

  it("marks the end of a section that ended a moment ago, where the next one has begun", async () => {
    const beginUs = clock.nowUs() - 4_000_000;
    api.archive.record(GATE, recordedSlices(30, beginUs));
    api.archive.record(GATE, recordedSlices(2, beginUs + 3_000_000));
    api.archive.batchFrames = 30;
    const play = { ...REPLAY, "Rate-Control": "no" };
    await outlet.play(client, outlet.url("&mode=archive"), { setup: REPLAY, play });
    await until("all frames", () => indexes().length === 32);
    const ends = seen().flatMap(({ extension }, at) => (((extension?.[12] ?? 0) & 0x40) === 0 ? [] : [at]));
    expect(ends).toEqual([29]);
  });

  it("sends key frames alone where they are asked for, so far apart", async () => {
    api.archive.record(GATE, recordedSlices(200));
    const play = { "Rate-Control": "no", Frames: "intra/1500" };
    await outlet.play(client, outlet.url(START), { setup: REPLAY, play });
    await until("each second one", () => indexes().length === 4);
    await settle();
    expect(indexes()).toEqual([0, 50, 100, 150]);
  });

  it("is refused for live streams and other features", async () => {
    const live = await client.request("DESCRIBE", outlet.url(), { Require: "implicit-play" });
    expect([live.status, live.headers.get("unsupported")]).toEqual([551, "implicit-play"]);
  });
});

/** Microseconds of the extension's NTP time. */
function ntpUs(extension: Buffer): number {
  const seconds = extension.readUInt32BE(4) - 2_208_988_800;
  return seconds * 1_000_000 + Math.round((extension.readUInt32BE(8) * 1_000_000) / 2 ** 32);
}
