import { describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { SlabPool, StreamClock } from "../../../src/live/index.js";
import { STEP_BACK_US_MAX } from "../../../src/live/stream-clock.js";
import { UNIT_SILENCE_MS } from "../../../src/rtsp/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { H264_SPROP, idr, slice } from "../../support/media/sample-nal-units.js";
import { fuA } from "../../support/rtsp/rtp-packets.js";
import { type HarnessOptions, TrackHarness } from "../../support/rtsp/track-harness.js";

const T = 3600;
const H264: HarnessOptions = { codec: Codec.H264, fmtp: { "sprop-parameter-sets": H264_SPROP } };

function playFrames(track: TrackHarness, count: number, firstTimestamp: number, ssrc = 0x1234): void {
  for (let index = 0; index < count; index += 1) {
    const timestamp = (firstTimestamp + index * T) % 2 ** 32;
    track.send({ timestamp, marker: true, ssrc }, index % 10 === 0 ? idr() : slice());
    track.clock.advance(40_000);
  }
}

function steps(track: TrackHarness): number[] {
  return track.frames
    .slice(1)
    .map((frame, index) => frame.decodeTimeUs - (track.frames[index]?.decodeTimeUs ?? 0));
}

const SECOND_TICKS = 90_000;

/** Presentation times, counted from the first frame's arrival: the stream's reorder depth stands between the two. */
function presentations(track: TrackHarness): number[] {
  const offsetUs = track.frames[0]?.presentationOffsetUs ?? 0;
  return track.frames.map((frame) => frame.decodeTimeUs + frame.presentationOffsetUs - offsetUs);
}

/** Lets `ms` pass in ticks of 100 ms. */
function idle(track: TrackHarness, ms: number): void {
  for (let passed = 0; passed < ms; passed += 100) {
    track.clock.advance(100_000);
    track.receiver.onTick(track.clock.monotonicUs());
  }
}

describe("one frame a second, whose end only the next frame shows", () => {
  it("is published after a silence, at the time it arrived", () => {
    const track = new TrackHarness(H264);
    const arrivals: number[] = [];
    for (let picture = 0; picture < 3; picture += 1) {
      arrivals.push(track.clock.nowUs());
      track.send({ timestamp: picture * SECOND_TICKS }, picture === 0 ? idr() : slice());
      idle(track, UNIT_SILENCE_MS + 200);
      expect(track.frames).toHaveLength(picture + 1);
      idle(track, 1000 - UNIT_SILENCE_MS - 200);
    }
    expect(presentations(track)).toEqual(arrivals);
    expect(track.frames.some((frame) => frame.damaged)).toBe(false);
  });

  it("is stamped with its arrival also when the next frame ends it first", () => {
    const track = new TrackHarness(H264);
    const arrivals: number[] = [];
    for (let picture = 0; picture < 3; picture += 1) {
      arrivals.push(track.clock.nowUs());
      track.send({ timestamp: picture * SECOND_TICKS }, picture === 0 ? idr() : slice());
      track.clock.advance(1_000_000);
    }
    expect(presentations(track)).toEqual(arrivals.slice(0, 2));
  });

  it("is stamped with its arrival also when the source ends long after it", () => {
    const track = new TrackHarness(H264);
    // No marker comes, and the timestamps run twice as fast as the pictures: their times are taken from the arrival.
    for (let index = 0; index < 100; index += 1) {
      track.send({ timestamp: index * 2 * 9000 }, index === 0 ? idr() : slice());
      track.clock.advance(100_000);
    }
    const sentUs = track.clock.nowUs() - 100_000;
    track.clock.advance(5_000_000);
    const { frames } = track.flush();
    expect(Math.abs((frames.at(-1)?.decodeTimeUs ?? 0) - sentUs)).toBeLessThan(500_000);
  });

  it("waits while a NAL unit is unfinished, and where markers are set for the marker", () => {
    const track = new TrackHarness(H264);
    const [first = Buffer.alloc(0), last = Buffer.alloc(0)] = fuA(idr(1500), 1000);
    track.send({ timestamp: 0 }, first);
    idle(track, 2000);
    expect(track.frames).toHaveLength(0);
    track.send({ timestamp: 0, marker: true }, last).send({ timestamp: 3600, marker: true }, slice());
    track.send({ timestamp: 7200 }, slice());
    idle(track, 2000);
    expect(track.frames).toHaveLength(2);
  });

  it("that continues after a pause is damaged, and no later one is ended by a pause", () => {
    const track = new TrackHarness(H264).send({ timestamp: 0 }, idr());
    idle(track, 1000);
    track.send({ timestamp: 0 }, idr(60, 3, false)).send({ timestamp: SECOND_TICKS }, idr());
    idle(track, 1000);
    track.send({ timestamp: SECOND_TICKS }, idr(60, 3, false)).flush();
    expect(track.frames.map((frame) => [frame.key, frame.undecodable])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });
});

describe("times of frames", () => {
  it("continue evenly over a wrap of the RTP timestamp", () => {
    const track = new TrackHarness(H264);
    playFrames(track, 20, 2 ** 32 - 10 * T);
    expect(steps(track).every((us) => Math.abs(us - 40_000) <= 2)).toBe(true);
    expect(track.frames.filter((frame) => frame.discontinuity)).toHaveLength(1);
  });

  it.each([
    ["forward", 90_000 * 3600],
    ["back", 2 ** 32 - 90_000 * 3600],
  ])("a jump of the RTP timestamp %s costs no picture and begins no fragment", (_name, jump) => {
    const track = new TrackHarness(H264);
    playFrames(track, 10, 0);
    playFrames(track, 10, (9 * T + jump) % 2 ** 32);
    track.flush();
    const jumps = track.frames
      .map((frame, index) => (frame.discontinuity ? index : -1))
      .filter((index) => index >= 0);
    expect(jumps).toEqual([0]);
    expect(track.frames).toHaveLength(20);
    expect(steps(track).every((us) => us > 0 && us < 200_000)).toBe(true);
  });

  it("another SSRC, in the middle of a group of pictures and of a picture, costs nothing", () => {
    const track = new TrackHarness({ ...H264, keepsOrder: true });
    playFrames(track, 5, 0);
    const [first = Buffer.alloc(0), last = Buffer.alloc(0)] = fuA(slice(1500), 1000);
    track.send({ sequence: 900, timestamp: 5 * T, ssrc: 5 }, first);
    track.send({ sequence: 77, timestamp: 5 * T, marker: true, ssrc: 6 }, last).flush();
    expect(track.frames).toHaveLength(6);
    expect(track.frames.filter(({ damaged, undecodable }) => damaged || undecodable)).toEqual([]);
    expect(track.frames.filter(({ discontinuity }) => discontinuity)).toHaveLength(1);
  });

  it("a new session of the same stream begins with a discontinuity and later times, also when the clock was set back a little", () => {
    const clock = new SimulatedClock();
    const streamClock = new StreamClock(clock);
    const first = new TrackHarness({ ...H264, clock, streamClock });
    playFrames(first, 10, 0);
    first.close();
    clock.stepWall(-STEP_BACK_US_MAX / 2);
    const second = new TrackHarness({ ...H264, clock, streamClock });
    playFrames(second, 10, 123_456);
    expect(second.frames[0]?.discontinuity).toBe(true);
    expect(second.frames[0]?.decodeTimeUs).toBeGreaterThan(first.frames.at(-1)?.decodeTimeUs ?? 0);
  });
});

describe("memory of a track", () => {
  it("drops and reports a loss while the pool is empty, and recovers with the next key frame", () => {
    const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 2 * 256 * 1024 });
    const track = new TrackHarness({ ...H264, pool });
    playFrames(track, 2, 0);
    const hoard = pool.take();
    const big = slice(60_000);
    for (let index = 2; index < 20; index += 1) track.send({ timestamp: index * T, marker: true }, big);
    expect(track.window?.starvedReads).toBeGreaterThan(0);
    const whole = track.frames.length;
    hoard?.release();
    for (let index = 20; index < 24; index += 1) track.send({ timestamp: index * T, marker: true }, big);
    track.send({ timestamp: 24 * T, marker: true }, idr()).send({ timestamp: 25 * T, marker: true }, slice());
    expect(track.frames.slice(whole).map((frame) => frame.damaged)).toEqual([
      ...Array(track.frames.length - whole - 2).fill(true),
      false,
      false,
    ]);
    expect(track.receiver.statistics.droppedUnits).toBeGreaterThan(0);
    track.close();
    expect(pool.idleBytes).toBe(pool.allocatedBytes);
  });

  it.each(["tcp", "udp"] as const)(
    "an access unit larger than a slab lies in several ranges over %s",
    (transport) => {
      const track = new TrackHarness({ ...H264, transport });
      const parts = Array.from({ length: 12 }, (_, index) => idr(60_000, index, index === 0));
      for (const part of parts) track.send({ timestamp: 0, marker: part === parts.at(-1) }, part);
      track.flush();
      expect(track.frames[0]?.ranges).toBeGreaterThan(2);
      expect(track.frames[0]?.bytes.subarray(-720_000 / 12)).toEqual(parts.at(-1)?.subarray(2));
      expect(track.frames[0]?.bytes).toHaveLength(
        12 * 60_006 + Buffer.from(track.frames[0]?.format.initialization ?? []).length,
      );
      track.close();
      expect(track.pool.idleBytes).toBe(track.pool.allocatedBytes);
    },
  );

  it("an access unit without end is given up at the limit", () => {
    const track = new TrackHarness(H264);
    track.send({ timestamp: 0, marker: true }, idr());
    for (let index = 0; index < 200; index += 1)
      track.send({ timestamp: T }, slice(60_000, index, index === 0));
    track.send({ timestamp: 2 * T, marker: true }, idr()).send({ timestamp: 3 * T, marker: true }, slice());
    expect(track.frames.map((frame) => frame.damaged)).toEqual([false, false, false]);
    expect(track.pool.allocatedBytes).toBeLessThan(10 * 1024 * 1024);
    expect(track.receiver.statistics.droppedUnits).toBe(1);
  });

  it("idle connections do not use up slabs: read positions return to the frames' end", () => {
    const track = new TrackHarness(H264);
    for (let index = 0; index < 2000; index += 1) track.send({ payloadType: 72 }, slice(1000));
    expect(track.pool.allocatedBytes).toBe(track.pool.slabBytes);
  });
});

describe("sender reports", () => {
  it("give the report block its last report and the delay since", () => {
    const track = new TrackHarness(H264);
    playFrames(track, 1, 0);
    const ntpUs = 1_704_067_200_500_000;
    track.receiver.senderReport(ntpUs, 0);
    track.clock.advance(250_000);
    const report = track.receiver.receptionReport();
    const seconds = (1_704_067_200 + 2_208_988_800) % 65_536;
    expect(report).toMatchObject({
      lastSenderReport: seconds * 65_536 + 32_768,
      delaySinceLastSenderReport: 16_384,
    });
  });
});

it("a track that is told to turn to another payload type takes its packets at once", () => {
  const first = (isTold: boolean): number => {
    const track = new TrackHarness(H264);
    playFrames(track, 2, 0);
    if (isTold) track.receiver.turnTo(97);
    track.send({ timestamp: 2 * T, marker: true, payloadType: 97 }, slice());
    return track.frames.length;
  };
  expect([first(false), first(true)]).toEqual([2, 3]);
});
