import { describe, expect, it } from "vitest";
import { boundedScan } from "../../../src/player/playback/playback-order.js";
import { at, newChannels, PlaybackHarness } from "../../support/api/playback-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

/** Times are seconds after nine o'clock; pictures come every 40 ms, a key frame a second. */

const [GATE = "", YARD = ""] = newChannels(2);

const test = forEachTest(() => PlaybackHarness.start());

const range = (fromS: number, toS: number, stepS = 0.04): number[] =>
  Array.from(
    { length: Math.round((toS - fromS) / stepS) + 1 },
    (_, index) => Math.round((fromS + index * stepS) * 1000) / 1000,
  );

describe("a playback backwards", () => {
  it("sends key frames, the one that is shown at the moment first, each for as long as it is shown", async () => {
    await test.record(GATE, 0, 30);
    test.play([GATE], { fromS: 20.5, speed: -1 });
    await test.run(2.9);
    expect(test.seconds()).toEqual([20, 19, 18, 17, 16]);
    expect(
      test.pictures().every(({ key, jump, durationUs }) => key && jump && durationUs === 1_000_000),
    ).toBe(true);
  });

  it("goes back over a gap with a word about it, and jumps", async () => {
    await test.record(GATE, 0, 5);
    await test.record(GATE, 100, 110);
    test.play([GATE], { fromS: 102.5, speed: -2 });
    await test.run(3);
    expect(test.seconds()).toEqual([102, 101, 100, 4, 3, 2, 1, 0].slice(0, test.seconds().length));
    expect(test.seconds()).toContain(3);
    expect(test.gaps).toEqual([[1, 5, 100]]);
    expect(test.states).toEqual([
      ["playing", 102.5, -2],
      ["playing", 5, -2],
    ]);
  });

  it("keeps channels in step", async () => {
    await test.record(GATE, 0, 60, { gopFrames: 50 });
    await test.record(YARD, 0, 60, { gopFrames: 25 });
    test.play([GATE, YARD], { fromS: 50, speed: -8 });
    await test.run(2);
    const [gate = 0, yard = 0] = [1, 2].map((id) => test.seconds(id).at(-1));
    expect(gate).toBeLessThan(50 - 2 * 8);
    expect(Math.abs(gate - yard)).toBeLessThanOrEqual(2);
  });

  it("comes to the start and stands there", async () => {
    await test.record(GATE, 0, 10);
    test.play([GATE], { fromS: 3, speed: -4 });
    await test.run(2);
    expect(test.seconds().at(-1)).toBe(0);
    expect(test.states).toEqual([
      ["playing", 3, -4],
      ["start", 0, -4],
    ]);
    expect(test.clock.timers).toBe(0);
  });
});

describe("a scan", () => {
  const scan = (fromS: number, toS: number, everyS: number) => ({
    ...{ fromUs: at(fromS), toUs: at(toS), everyUs: everyS * 1_000_000 },
  });

  it("sends the key frames of a stretch at once, as many as are wanted of each channel, and stands", async () => {
    await test.record(GATE, 0, 30);
    await test.record(YARD, 0, 30, { gopFrames: 50 });
    const playback = test.play([GATE, YARD], { fromS: 20, mode: "picture" });
    await test.settle();
    test.clear();
    playback.scan(scan(4.5, 12, 3));
    await test.settle();
    expect(test.seconds(1)).toEqual([4, 7, 10]);
    const yard = test.seconds(2);
    expect(yard[0]).toBe(4);
    expect(yard.every((second) => second % 2 === 0 && second < 12)).toBe(true);
    expect(test.pictures().every(({ key, jump }) => key && jump)).toBe(true);
    expect(test.states).toEqual([["paused", 4.5, 1]]);
  });

  it("is given up for the order behind it, which sends all pictures again", async () => {
    await test.record(GATE, 0, 30);
    const playback = test.play([GATE], { fromS: 20, mode: "picture" });
    await test.settle();
    playback.scan(scan(0, 30, 0.1));
    await test.settle();
    test.clear();
    playback.seek(at(29.08));
    await test.settle();
    expect(test.seconds()).toEqual([29, 29.04, 29.08]);
  });

  it("has no more than 500 pictures, however many are wanted", () => {
    expect(boundedScan(scan(0, 5000, 0.001)).everyUs).toBe(10_000_000);
  });
});

describe("steps of a playback", () => {
  it("forwards send one picture more of each channel, up to the same moment", async () => {
    await test.record(GATE, 0, 10);
    await test.record(YARD, 0, 10, { framesASecond: 50, gopFrames: 50 });
    const playback = test.play([GATE, YARD], { fromS: 2.4, mode: "picture" });
    await test.settle();
    expect(test.seconds(1)).toEqual(range(2, 2.4));
    expect(test.seconds(2)).toEqual(range(2, 2.4, 0.02));
    expect(test.states).toEqual([["paused", 2.4, 1]]);
    test.clear();
    playback.step(1);
    await test.settle();
    expect(test.seconds(1)).toEqual([2.44]);
    expect(test.seconds(2)).toEqual([2.42, 2.44]);
    expect(test.pictures().some(({ jump }) => jump)).toBe(false);
    expect(test.states).toEqual([["paused", 2.44, 1]]);
  });

  it("forwards cross into the next group and over a gap", async () => {
    await test.record(GATE, 0, 4);
    await test.record(GATE, 50, 54);
    const playback = test.play([GATE], { fromS: 3.93, mode: "picture" });
    await test.settle();
    playback.step(1);
    await test.settle();
    test.clear();
    playback.step(1);
    await test.settle();
    expect(test.seconds()).toEqual([50]);
    expect(test.pictures()[0]).toMatchObject({ key: true, jump: true });
    expect(test.states).toEqual([["paused", 50, 1]]);
  });

  it("backwards send the group from its key frame to the picture again", async () => {
    await test.record(GATE, 0, 10);
    const playback = test.play([GATE], { fromS: 2.08, mode: "picture" });
    await test.settle();
    test.clear();
    playback.step(-1);
    await test.settle();
    expect(test.seconds()).toEqual([2, 2.04]);
    expect(test.pictures()[0]?.jump).toBe(true);
    playback.step(-1);
    await test.settle();
    test.clear();
    playback.step(-1);
    await test.settle();
    expect(test.seconds()).toEqual(range(1, 1.96));
    expect(test.states).toEqual([["paused", 1.96, 1]]);
  });

  it("go by the order in which pictures are shown, not decoded", async () => {
    // I P B B P B B …: pictures are decoded a P ahead of the Bs that are shown before it.
    const shownAfterFrames = (inGop: number): number => (inGop === 0 ? 2 : inGop % 3 === 1 ? 4 : 1);
    await test.record(GATE, 0, 4, { shownAfterFrames });
    const playback = test.play([GATE], { fromS: 2.08, mode: "picture" });
    await test.settle();
    const seen: (number | undefined)[] = [];
    for (const by of [1, 1, 1, 1, -1, -1, -1] as const) {
      playback.step(by);
      await test.settle();
      seen.push(test.states.at(-1)?.[1]);
    }
    expect(seen).toEqual([2.12, 2.16, 2.2, 2.24, 2.2, 2.16, 2.12]);
    expect(test.seconds()).toContain(2.24);
  });

  it("add up while they are not done, and end at the ends of the recordings", async () => {
    await test.record(GATE, 0, 2);
    const playback = test.play([GATE], { fromS: 1, mode: "picture" });
    await test.settle();
    for (let count = 0; count < 5; count++) playback.step(1);
    await test.settle();
    expect(test.states.at(-1)).toEqual(["paused", 1.2, 1]);
    for (let count = 0; count < 200; count++) {
      playback.step(1);
      await test.settle();
    }
    expect(test.states.at(-1)).toEqual(["paused", 1.96, 1]);
    for (let count = 0; count < 100; count++) {
      playback.step(-1);
      await test.settle();
    }
    expect(test.states.at(-1)).toEqual(["paused", 0, 1]);
  });

  it("pause a playback that runs", async () => {
    await test.record(GATE, 0, 20);
    const playback = test.play([GATE], { fromS: 2 });
    await test.run(1);
    playback.step(1);
    await test.settle();
    test.clear();
    await test.run(2);
    expect(test.pictures()).toEqual([]);
  });
});

describe("orders of a playback", () => {
  it("a seek while it runs begins there with a jump, in the same stream", async () => {
    await test.record(GATE, 0, 100);
    const playback = test.play([GATE], { fromS: 2 });
    await test.run(1);
    test.clear();
    playback.seek(at(70.5));
    await test.settle();
    expect(test.states).toEqual([["playing", 70.5, 1]]);
    expect(test.pictures()[0]).toMatchObject({ second: 70, key: true, jump: true });
    expect(test.seconds().at(-1)).toBe(72);
    expect(test.streamsSent).toEqual([]);
    await test.run(1);
    expect(test.seconds().at(-1)).toBeCloseTo(73, 1);
  });

  it("a seek while it stands sends the picture of that moment", async () => {
    await test.record(GATE, 0, 100);
    await test.record(YARD, 0, 50);
    const playback = test.play([GATE, YARD], { fromS: 2, mode: "picture" });
    await test.settle();
    test.clear();
    playback.seek(at(70.1));
    await test.settle();
    expect(test.seconds(1)).toEqual(range(70, 70.08));
    expect(test.pictures(2)).toEqual([]);
    expect(test.gaps.map(([id, from]) => [id, from])).toEqual([[2, 50]]);
    expect(test.states).toEqual([["paused", 70.1, 1]]);
    expect(test.clock.timers).toBe(0);
  });

  it("of many seeks at once some pictures are sent, and that of the last one", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2, mode: "picture" });
    for (let second = 3; second < 53; second += 0.5) {
      playback.seek(at(second));
      if (second % 5 === 0) await test.settle();
    }
    await test.settle();
    expect(test.states.at(-1)).toEqual(["paused", 52.5, 1]);
    expect(test.seconds().at(-1)).toBe(52.48);
    expect(test.states.length).toBeLessThan(30);
    expect(test.states.length).toBeGreaterThan(8);
  });

  it("pause stands at the moment, and resume goes on from it", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2 });
    await test.run(3);
    playback.pause();
    expect(test.states.at(-1)).toEqual(["paused", 5, 1]);
    const sent = test.pictures().length;
    await test.run(5);
    expect(test.pictures().length).toBe(sent);
    test.clear();
    playback.resume();
    await test.run(1);
    expect(test.states).toEqual([["playing", 5, 1]]);
    expect(test.seconds()[0]).toBe(5);
    expect(test.pictures()[0]?.jump).toBe(true);
    expect(test.seconds().at(-1)).toBeCloseTo(7.5, 1);
  });

  it("resume from a picture that was sent goes on behind it, without a jump", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 20, mode: "picture" });
    await test.settle();
    playback.seek(at(2.4));
    await test.settle();
    test.clear();
    playback.resume();
    await test.run(1);
    expect(test.states).toEqual([["playing", 2.4, 1]]);
    expect(test.seconds().slice(0, 2)).toEqual([2.44, 2.48]);
    expect(test.pictures().some(({ jump }) => jump)).toBe(false);
  });

  it("a speed by key frames and back, after such a resume, leaves out no picture", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2.4, mode: "picture" });
    await test.settle();
    playback.resume();
    await test.run(0.1);
    playback.setSpeed(-8);
    await test.settle();
    test.clear();
    playback.setSpeed(2);
    await test.settle();
    expect(test.seconds()[1]).toBeCloseTo((test.seconds()[0] ?? 0) + 0.04, 3);
    expect(test.pictures()[0]?.jump).toBe(true);
  });

  it("a new speed among those that show all pictures goes on without a jump", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2 });
    await test.run(2);
    playback.setSpeed(4);
    await test.run(2);
    expect(test.states).toEqual([
      ["playing", 2, 1],
      ["playing", 4, 4],
    ]);
    expect(test.pictures().filter(({ jump }) => jump)).toHaveLength(1);
    expect(test.seconds().at(-1)).toBeCloseTo(4 + 8 + 6, 0);
  });

  it("a new speed or direction by key frames goes on from the moment", async () => {
    await test.record(GATE, 0, 100);
    const playback = test.play([GATE], { fromS: 50 });
    await test.run(2);
    test.clear();
    playback.setSpeed(-4);
    await test.run(1);
    expect(test.states).toEqual([["playing", 52, -4]]);
    expect(test.seconds()[0]).toBe(52);
    expect(test.seconds().at(-1)).toBeLessThan(48);
  });

  it("a speed set while it stands is that of the resumed playback", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2, mode: "picture" });
    await test.settle();
    playback.setSpeed(4);
    expect(test.states.at(-1)).toEqual(["paused", 2, 4]);
    playback.resume();
    await test.run(2);
    expect(test.states.at(-1)).toEqual(["playing", 2, 4]);
    expect(test.seconds().at(-1)).toBeCloseTo(2 + 8 + 6, 0);
  });

  it("leaving one subscription leaves the others as they are", async () => {
    await test.record(GATE, 0, 60);
    await test.record(YARD, 0, 60);
    const playback = test.play([GATE, YARD], { fromS: 2 });
    await test.run(1);
    playback.leave(1);
    expect(playback.ids).toEqual([2]);
    test.clear();
    await test.run(2);
    expect(test.pictures(1)).toEqual([]);
    expect(test.seconds(2)).toEqual(range(test.seconds(2)[0] ?? 0, test.seconds(2).at(-1) ?? 0));
    expect(test.seconds(2).length).toBeCloseTo(50, -1);
  });

  it("close ends all: no reader and no timer is left", async () => {
    await test.record(GATE, 0, 60);
    const playback = test.play([GATE], { fromS: 2 });
    await test.run(1);
    playback.close();
    test.clear();
    await test.run(1);
    expect(test.sent).toEqual([]);
    expect(test.clock.timers).toBe(0);
    expect(test.readers).toBe(0);
  });
});
