import { describe, expect, it } from "vitest";
import { ambientSound, encodeMulaw } from "../../src/demo/ambient-sound.js";
import { ambientLane, ClipPlayer, type Lane } from "../../src/demo/index.js";
import { Codec } from "../../src/live/codec/codec.js";
import { type Frame, LiveStream } from "../../src/live/index.js";
import { SIMULATED_START_US, SimulatedClock } from "../support/base/simulated-clock.js";

const GOP = 20;
const TURN = 60;

/** Ten pictures a second, a key frame every two seconds, a loop of six seconds; the byte is the position in the loop. */
const VIDEO: Lane = {
  format: { codec: Codec.H264, width: 640, height: 480, initialization: Buffer.alloc(0) },
  length: TURN,
  timeUs: (index) => index * 100_000,
  unit: (index) => ({ bytes: Buffer.from([index % TURN]), key: (index % TURN) % GOP === 0 }),
};

function startPlayer(lanes: readonly Lane[]) {
  const clock = new SimulatedClock();
  const stream = new LiveStream({ channelId: "00000000-0000-0000-0000-000000000001", streamType: "Main" });
  const player = new ClipPlayer({ stream, lanes, clock });
  player.start();
  const frames: Pick<Frame, "decodeTimeUs" | "key" | "isAudio">[] = [];
  const places: number[] = [];
  const sink = {
    onFrame: (frame: Frame) => {
      frames.push({ decodeTimeUs: frame.decodeTimeUs, key: frame.key, isAudio: frame.isAudio });
      if (!frame.isAudio) places.push(frame.copyBytes()[0] ?? -1);
    },
  };
  const watch = () => stream.subscribe(sink, { fromGop: false, atOnce: true });
  return { clock, stream, player, frames, places, watch };
}

describe("ClipPlayer", () => {
  it("publishes in real time, with times that continue across loops", () => {
    const { clock, frames, places, watch, player } = startPlayer([VIDEO]);
    watch();
    clock.advance(15_000_000);
    expect(frames).toHaveLength(151);
    expect(places).toEqual(frames.map((_, at) => at % TURN));
    expect(frames.map((frame) => frame.decodeTimeUs)).toEqual(
      frames.map((_, at) => SIMULATED_START_US + at * 100_000),
    );
    player.stop();
  });

  it("runs one timer for many viewers and none without", () => {
    const { clock, stream, watch, player } = startPlayer([VIDEO]);
    expect([clock.timers, stream.state.state]).toEqual([0, "idle"]);
    const viewers = [watch(), watch(), watch()];
    clock.advance(5_000_000);
    expect([clock.timers, stream.state.state]).toEqual([1, "active"]);
    for (const viewer of viewers) viewer.close();
    expect([clock.timers, stream.state.state]).toEqual([0, "idle"]);
    player.stop();
  });

  it("continues with the next key frame, at its own time, when somebody watches again", () => {
    const { clock, frames, watch } = startPlayer([VIDEO]);
    clock.advance(3_300_000);
    const viewer = watch();
    clock.advance(1_000_000);
    expect(frames[0]).toEqual({ decodeTimeUs: SIMULATED_START_US + 4_000_000, key: true, isAudio: false });
    viewer.close();
  });

  it("skips what it missed while asleep instead of sending it in a burst", () => {
    const { clock, frames, watch, player } = startPlayer([VIDEO]);
    watch();
    clock.advance(1_000_000);
    const before = frames.length;
    const sleep = clock.monotonicUs.bind(clock);
    clock.monotonicUs = () => sleep() + 60_000_000;
    clock.advance(200_000);
    expect(frames).toHaveLength(before);
    clock.advance(2_000_000);
    expect(frames[before]?.key).toBe(true);
    expect(frames[before]?.decodeTimeUs).toBeGreaterThan(SIMULATED_START_US + 61_000_000);
    player.stop();
  });

  it("sends sound and picture in the order of their times", () => {
    const { clock, frames, watch, player } = startPlayer([VIDEO, ambientLane()]);
    watch();
    clock.advance(8_000_000);
    const times = frames.map((frame) => frame.decodeTimeUs);
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(frames.filter((frame) => frame.isAudio)).toHaveLength(8_000 / 40 + 1);
    player.stop();
  });

  it("can be stopped by its own frame", () => {
    const { clock, stream, player, frames, watch } = startPlayer([VIDEO]);
    watch();
    stream.subscribe({ onFrame: () => player.stop() }, { fromGop: false, atOnce: false });
    clock.advance(1_000_000);
    expect([frames.length, clock.timers]).toEqual([1, 0]);
  });
});

describe("ambient sound", () => {
  it("encodes G.711 µ-law as the standard's table has it", () => {
    const table: [number, number][] = [
      [0, 0xff],
      [-1, 0x7f],
      [32_767, 0x80],
      [-32_768, 0x00],
      [1000, 0xce],
      [-1000, 0x4e],
    ];
    expect(table.map(([sample]) => encodeMulaw(sample))).toEqual(table.map(([, code]) => code));
  });

  it("is quiet, not silent, and a loop without a click", () => {
    const samples = ambientSound();
    expect(new Set(samples).size).toBeGreaterThan(50);
    // µ-law magnitudes are inverted: a quiet sample has high exponent bits.
    const exponents = [...samples].map((code) => (~code >> 4) & 7);
    expect(Math.max(...exponents)).toBeLessThan(6);
    expect([samples[0], samples.at(-1)].every((code) => ((~(code ?? 0) >> 4) & 7) < 3)).toBe(true);
  });
});
