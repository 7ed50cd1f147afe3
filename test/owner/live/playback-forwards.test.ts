import { describe, expect, it } from "vitest";
import { MemoryArchive } from "../../support/api/api-fakes.js";
import { archivedFrames } from "../../support/api/api-frames.js";
import { MEMORY_VIDEO } from "../../support/api/memory/memory-recordings.js";
import { at, newChannels, PlaybackHarness } from "../../support/api/playback-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

/** Times are seconds after nine o'clock; pictures come every 40 ms, a key frame a second. */

const [GATE = "", YARD = "", DOOR = ""] = newChannels(3);

const test = forEachTest(() => PlaybackHarness.start());

describe("a playback forwards", () => {
  it("sends the group up to the moment and the read-ahead at once, then paces by the pictures' times", async () => {
    await test.record(GATE, 0, 30);
    test.play([GATE], { fromS: 2.4 });
    await test.settle();
    expect(test.seconds()[0]).toBe(2);
    expect(test.seconds().at(-1)).toBe(3.88);
    await test.run(2);
    expect(test.seconds().at(-1)).toBeCloseTo(5.88, 1);
    expect(test.streamsSent).toMatchObject([
      { id: 1, feed: 1, mime: 'video/mp4; codecs="avc1.4d001e"', source: "main", width: 640, height: 480 },
    ]);
    expect(test.sent.filter(({ kind }) => kind === "init")).toHaveLength(1);
    expect(test.states).toEqual([["playing", 2.4, 1]]);
  });

  it.each([0.25, 0.5, 2, 4])("passes %d s of the recordings in a second", async (speed) => {
    await test.record(GATE, 0, 40);
    test.play([GATE], { fromS: 1, speed });
    await test.settle();
    const begun = test.seconds().at(-1) ?? 0;
    expect(begun).toBeCloseTo(1 + 1.5 * speed, 1);
    await test.run(4);
    expect(test.seconds().at(-1)).toBeCloseTo(begun + 4 * speed, 1);
    const seconds = test.seconds();
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
    expect(seconds.length).toBe(Math.round(((seconds.at(-1) ?? 0) - 1) * 25) + 1);
  });

  it("sends the pictures of several channels within one picture of each other", async () => {
    await test.record(GATE, 0, 20);
    await test.record(YARD, 0.013, 20, { framesASecond: 12.5, gopFrames: 20 });
    await test.record(DOOR, 0.02, 20, { framesASecond: 30, gopFrames: 300, size: 20_000 });
    test.play([GATE, YARD, DOOR], { fromS: 5 });
    await test.run(8);
    const newest = new Map<number, number>();
    let apart = 0;
    for (const each of test.sent) {
      if (each.kind !== "fragment" || each.second < 5) continue;
      newest.set(each.id, each.second);
      if (newest.size === 3)
        apart = Math.max(apart, Math.max(...newest.values()) - Math.min(...newest.values()));
    }
    expect(apart).toBeLessThanOrEqual(0.081);
    for (const id of [1, 2, 3]) expect(test.seconds(id).at(-1)).toBeCloseTo(14.5, 0);
  });

  it("flags the first picture as a jump, and gives all channels' pictures media times that are Unix time", async () => {
    await test.record(GATE, 0, 10);
    await test.record(YARD, 0, 10);
    test.play([GATE, YARD], { fromS: 2.4 });
    await test.settle();
    for (const id of [1, 2]) {
      const [first, ...others] = test.pictures(id);
      expect(first).toMatchObject({ jump: true, key: true, second: 2, durationUs: 40_000, sequence: 1 });
      expect(others.some(({ jump }) => jump)).toBe(false);
      const tfdt = first?.bytes.indexOf("tfdt") ?? -1;
      expect(first?.bytes.readBigUInt64BE(tfdt + 8)).toBe((BigInt(at(2)) * 9n) / 100n);
    }
  });

  it("jumps over a gap of all channels, and tells each of its own", async () => {
    for (const channel of [GATE, YARD]) await test.record(channel, 0, 4);
    await test.record(GATE, 60, 80);
    await test.record(YARD, 62, 80);
    test.play([GATE, YARD], { fromS: 2 });
    await test.run(1);
    expect(test.gaps).toEqual([]);
    await test.run(2);
    expect(test.gaps).toEqual([
      [1, 4, 60],
      [2, 4, 62],
    ]);
    expect(test.states).toEqual([
      ["playing", 2, 1],
      ["playing", 60, 1],
    ]);
    expect(test.pictures(1).find(({ second }) => second === 60)).toMatchObject({ jump: true, key: true });
    expect(test.seconds(2).at(-1)).toBe(3.96);
    await test.run(2);
    expect(test.seconds(2).some((second) => second >= 62)).toBe(true);
  });

  it("goes on for the others over a gap of one channel, without a jump", async () => {
    await test.record(GATE, 0, 20);
    await test.record(YARD, 0, 4);
    await test.record(YARD, 8, 20);
    test.play([GATE, YARD], { fromS: 2 });
    await test.run(4);
    expect(test.gaps).toEqual([[2, 4, 8]]);
    expect(test.seconds(1).at(-1)).toBeCloseTo(7.5, 1);
    expect(test.seconds(2).at(-1)).toBe(3.96);
    await test.run(3);
    expect(test.seconds(2).at(-1)).toBeCloseTo(test.seconds(1).at(-1) ?? 0, 1);
    expect(test.states).toEqual([["playing", 2, 1]]);
  });

  it("reports the gap that it begins in, and goes on where the recordings do", async () => {
    await test.record(GATE, 0, 4);
    await test.record(GATE, 60, 70);
    test.play([GATE], { fromS: 30 });
    await test.run(0.1);
    expect(test.gaps).toEqual([[1, 4, 60]]);
    expect(test.states).toEqual([
      ["playing", 30, 1],
      ["playing", 60, 1],
    ]);
    expect(test.seconds()[0]).toBe(60);
  });

  it.each([
    ["a minute behind the last picture", 64],
    ["in the future", 86_400 * 365],
  ])("begins with the last picture where it is to begin %s", async (_when, fromS) => {
    await test.record(GATE, 0, 4);
    await test.record(YARD, 0, 2);
    test.play([GATE, YARD], { fromS });
    await test.run(1);
    expect(test.seconds(1)[0]).toBe(3);
    expect(test.states).toEqual([
      ["playing", 4, 1],
      ["edge", 4, 1],
    ]);
  });

  it("stands at the last picture where it is to show one that is not recorded yet", async () => {
    await test.record(GATE, 0, 4);
    test.play([GATE], { fromS: 86_400 * 2, mode: "picture" });
    await test.run(1);
    expect(test.seconds().at(-1)).toBe(3.96);
    expect(test.states).toEqual([["paused", 4, 1]]);
  });

  it("comes to the edge, and goes on there with what is recorded", async () => {
    await test.record(GATE, 0, 4, { isOpen: true });
    test.play([GATE], { fromS: 2, speed: 4 });
    await test.run(1);
    expect(test.states).toEqual([
      ["playing", 2, 4],
      ["edge", 4, 1],
    ]);
    await test.record(GATE, 4, 6, { isOpen: true });
    await test.run(1);
    expect(test.seconds().at(-1)).toBeGreaterThan(5);
    expect(test.states).toHaveLength(2);
  });

  it("sends key frames only beyond speed 4, no more than ten a second", async () => {
    await test.record(GATE, 0, 120, { framesASecond: 5, gopFrames: 5 });
    test.play([GATE], { fromS: 10, speed: 16 });
    await test.run(2);
    const pictures = test.pictures();
    expect(pictures.every(({ key, jump }) => key && jump)).toBe(true);
    const seconds = test.seconds();
    expect(seconds[0]).toBe(10);
    expect(seconds.at(-1)).toBeGreaterThan(10 + 3 * 16);
    const steps = seconds.slice(1).map((second, index) => second - (seconds[index] ?? 0));
    expect(steps.every((step) => step >= 1 && step <= 3)).toBe(true);
    expect(pictures[0]?.durationUs).toBe((steps[0] ?? 0) * 1e6);
  });

  it("goes on whole at speed 1 from the newest key frame when key frames come to the edge", async () => {
    await test.record(GATE, 0, 30.4, { isOpen: true });
    test.play([GATE], { fromS: 2, speed: 32 });
    await test.run(2);
    expect(test.states).toEqual([
      ["playing", 2, 32],
      ["playing", 30, 1],
      ["edge", 30.4, 1],
    ]);
    expect(test.seconds().at(-1)).toBe(30.36);
  });

  it("gives a change of the format a new stream, with the init segment before its pictures", async () => {
    await test.record(GATE, 0, 4);
    await test.record(GATE, 4, 8, {
      format: { ...MEMORY_VIDEO, width: 320, height: 240 },
      streamType: "Alternative",
    });
    test.play([GATE], { fromS: 2 });
    await test.run(3);
    expect(test.streamsSent).toMatchObject([
      { feed: 1, source: "main", width: 640 },
      { feed: 2, source: "alternative", width: 320 },
    ]);
    const kinds = test.sent.flatMap((each) => (each.kind === "message" ? [] : [`${each.kind} ${each.feed}`]));
    expect(kinds.indexOf("init 2")).toBeLessThan(kinds.indexOf("fragment 2"));
    expect(test.gaps).toEqual([]);
  });
});

describe("a playback of recordings whose clock was set back", () => {
  it("shows the time that was recorded twice twice, all channels from the same moment on", async () => {
    const archive = new MemoryArchive();
    const clip = (fromS: number, seconds: number) =>
      archivedFrames(seconds * 25, at(fromS)).map((frame) => ({
        ...frame,
        format: MEMORY_VIDEO,
        bytes: Buffer.concat([Buffer.from([0, 0, 0, 1, frame.key ? 0x65 : 0x41]), frame.bytes]),
      }));
    for (const channelId of [GATE, YARD]) {
      archive.record({ channelId, streamType: "Main" }, clip(0, 10));
      archive.record({ channelId, streamType: "Main" }, clip(5, 10));
    }
    test.play([GATE, YARD], { fromS: 3 }, { archive });
    await test.run(16);
    for (const id of [1, 2]) {
      const seconds = test.seconds(id);
      const back = seconds.findIndex((second, index) => second < (seconds[index - 1] ?? 0));
      expect(seconds[back - 1]).toBe(9.96);
      expect(seconds.slice(back)).toEqual(expect.arrayContaining([5, 6, 7, 8, 9, 10, 11, 12]));
    }
    expect(test.states.slice(0, 2)).toEqual([
      ["playing", 3, 1],
      ["playing", 5, 1],
    ]);
  });
});
