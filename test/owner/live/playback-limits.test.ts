import process from "node:process";
import { describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { PLAYBACK_CHANNELS_MAX } from "../../../src/player/playback/playback.js";
import { CLIENT_BYTES_MAX } from "../../../src/player/playback/playback-pump.js";
import { formatOf, newChannels, PlaybackHarness } from "../../support/api/playback-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

/** Times are seconds after nine o'clock; pictures come every 40 ms, a key frame a second. */

const [GATE = "", YARD = ""] = newChannels(2);

const test = forEachTest(() => PlaybackHarness.start());

describe("a playback whose client does not read", () => {
  it("waits for it with bounded bytes, drops nothing, and goes on where it was", async () => {
    await test.record(GATE, 0, 20, { size: 50_000 });
    const playback = test.play([GATE], { fromS: 2 });
    test.reads = false;
    await test.run(10);
    expect(test.waitingBytes).toBeLessThan(CLIENT_BYTES_MAX + 200_000);
    const last = test.seconds().at(-1) ?? 0;
    test.reads = true;
    test.waitingBytes = 0;
    test.clear();
    playback.drained();
    await test.run(2);
    expect(test.messagesOf("dropped")).toEqual([]);
    expect(test.seconds()[0]).toBeCloseTo(last + 0.04, 3);
    expect(test.states.map(([state]) => state)).toEqual(["playing"]);
    // It stood while it waited: what is read ahead is no more than before.
    expect(test.seconds().at(-1)).toBeLessThan(last + 4);
  });

  it("leaves key frames out beyond speed 4, and says how many", async () => {
    await test.record(GATE, 0, 120, { size: 300_000, framesASecond: 1, gopFrames: 1 });
    const playback = test.play([GATE], { fromS: 2, speed: 16 });
    test.reads = false;
    await test.run(3);
    expect(test.waitingBytes).toBeLessThan(CLIENT_BYTES_MAX + 600_000);
    const before = test.pictures().at(-1);
    test.reads = true;
    test.waitingBytes = 0;
    test.clear();
    playback.drained();
    await test.run(1);
    const [dropped] = test.messagesOf("dropped");
    expect(dropped?.count).toBeGreaterThan(3);
    const sequence = test.pictures()[0]?.sequence ?? 0;
    expect(sequence - (before?.sequence ?? 0)).toBe((dropped?.count ?? 0) + 1);
    expect(test.states).toEqual([]);
  });
});

describe("the bounds of a playback", () => {
  it("refuses more channels than it may have", () => {
    expect(() => test.play(newChannels(PLAYBACK_CHANNELS_MAX + 1))).toThrow(/1 to 16 channels, not 17/);
  });

  it("says that too many recordings are read, and tries again by itself", async () => {
    await test.record(GATE, 0, 60);
    const readers = Array.from({ length: 64 }, () =>
      test.archive.archive.read({ channelId: GATE, streamType: "Main" }, { fromUs: 0 }),
    );
    test.play([GATE], { fromS: 2 });
    await test.settle();
    expect(test.messagesOf("problem")).toMatchObject([{ id: 1, reason: "too-many-viewers" }]);
    for (const reader of readers) reader.close();
    await test.run(2.5);
    expect(test.seconds()[0]).toBe(2);
    expect(test.messagesOf("problem")).toHaveLength(1);
  });

  it("says that the index is being opened, and begins when it is open", async () => {
    await test.record(GATE, 0, 60);
    test.fault = "the index is being opened";
    test.play([GATE, YARD], { fromS: 70 });
    await test.run(1);
    expect(test.messagesOf("problem")).toEqual(
      [1, 2].map((id) => ({
        type: "problem",
        id,
        reason: "index-opening",
        text: "the index is being opened",
      })),
    );
    test.fault = undefined;
    await test.run(3);
    expect(test.messagesOf("problem")).toHaveLength(2);
    expect(test.states.at(-1)?.[0]).toBe("edge");
  });

  it("goes on without a channel whose recording takes too long to read", async () => {
    await test.record(GATE, 0, 60);
    await test.record(YARD, 0, 60, { size: 20_000 });
    test.play([GATE, YARD], { fromS: 2 });
    await test.run(1);
    test.hangs = YARD;
    await test.run(4);
    const standing = test.seconds(1).at(-1) ?? 0;
    await test.run(4);
    expect(test.seconds(1).at(-1)).toBeGreaterThan(standing + 2);
    test.hangs = undefined;
    await test.run(3);
    expect(test.seconds(2).at(-1)).toBeCloseTo(test.seconds(1).at(-1) ?? 0, 0);
  });
});

describe("a playback that is closed", () => {
  it("before its order has been begun leaves nothing that fails", async () => {
    await test.record(GATE, 0, 20);
    const failed: unknown[] = [];
    const note = (error: unknown): unknown => failed.push(error);
    process.on("unhandledRejection", note);
    try {
      test.play([GATE], { fromS: 2 }).close();
      const playback = test.play([GATE], { fromS: 2 });
      await test.run(1);
      playback.step(1);
      playback.close();
      await test.run(1);
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(failed).toEqual([]);
  });
});

describe("the rights of a playback", () => {
  it("are those of each channel: one that is refused ends, the others play", async () => {
    await test.record(GATE, 0, 60);
    await test.record(YARD, 0, 60);
    test.streams = (channelId) => {
      if (channelId === YARD)
        throw new NvrdError("FORBIDDEN", "you may not watch the archive of channel Yard");
      return ["Main"];
    };
    const playback = test.play([GATE, YARD], { fromS: 2 });
    await test.run(1);
    expect(test.messagesOf("ended")).toEqual([
      { type: "ended", id: 2, code: "FORBIDDEN", text: "you may not watch the archive of channel Yard" },
    ]);
    expect(playback.ids).toEqual([1]);
    expect(test.pictures(2)).toEqual([]);
    expect(test.pictures(1).length).toBeGreaterThan(30);
  });

  it("are followed while it runs", async () => {
    await test.record(GATE, 0, 60);
    await test.record(YARD, 0, 60);
    const playback = test.play([GATE, YARD], { fromS: 2 });
    await test.run(1);
    test.streams = (channelId) => {
      if (channelId === GATE) throw new NvrdError("NOT_FOUND", "there is no such channel");
      return ["Main"];
    };
    test.clear();
    playback.review();
    await test.run(1);
    expect(test.messagesOf("ended")).toMatchObject([{ id: 1, code: "NOT_FOUND" }]);
    expect(test.pictures(1)).toEqual([]);
    expect(test.pictures(2).length).toBeGreaterThan(20);
    expect(test.readers).toBe(1);
  });

  it("without the main stream give what the others have", async () => {
    await test.record(GATE, 0, 60);
    await test.record(GATE, 5, 60, { streamType: "Alternative" });
    test.streams = () => ["Alternative"];
    test.play([GATE], { fromS: 10 });
    await test.settle();
    expect(test.streamsSent).toMatchObject([{ source: "alternative" }]);
  });
});

describe("the stream of a playback", () => {
  it("is the smallest that fills the tile, where several are recorded", async () => {
    await test.record(GATE, 0, 20, { format: { ...formatOf(Codec.H264), width: 1920, height: 1080 } });
    await test.record(GATE, 0, 20, { streamType: "Alternative" });
    for (const [tile, source] of [
      [{ width: 320, height: 240 }, "alternative"],
      [{ width: 640, height: 360 }, "alternative"],
      [{ width: 1280, height: 720 }, "main"],
      [{ width: 3840, height: 2160 }, "main"],
    ] as const) {
      test.clear();
      const playback = test.play([GATE], { fromS: 3, mode: "picture" }, { watch: { tile } });
      await test.settle();
      expect(test.streamsSent).toMatchObject([{ source }]);
      playback.close();
    }
  });

  it("changes with the tile", async () => {
    await test.record(GATE, 0, 20, { format: { ...formatOf(Codec.H264), width: 1920, height: 1080 } });
    await test.record(GATE, 0, 20, { streamType: "Alternative" });
    const playback = test.play([GATE], { fromS: 3 }, { watch: { tile: { width: 320, height: 240 } } });
    await test.run(1);
    playback.change({ type: "change", id: 1, tile: { width: 1920, height: 1080 } });
    await test.run(1);
    expect(test.streamsSent.map(({ source }) => source)).toEqual(["alternative", "main"]);
    playback.change({ type: "change", id: 1, stream: "alternative" });
    await test.run(1);
    expect(test.streamsSent.map(({ source }) => source)).toEqual(["alternative", "main", "alternative"]);
    expect(test.states).toHaveLength(1);
    expect(test.seconds().at(-1)).toBeCloseTo(7.5, 0);
  });
});

describe("a playback of what has to be fetched first", () => {
  it.each([
    ["at speed 1", { speed: 1 }],
    ["by key frames", { speed: 16 }],
    ["backwards", { speed: -1, fromS: 15 }],
    ["a picture", { mode: "picture" }],
    ["in a gap", { fromS: 28 }],
  ] as const)("waits for it, and says nothing of a problem: %s", async (_what, order) => {
    await test.record(GATE, 0, 20);
    await test.record(GATE, 30, 40);
    await test.record(YARD, 0, 40);
    test.isCold = true;
    test.play([GATE, YARD], { fromS: 2, ...order });
    const shown = () => new Set(test.messagesOf("stream").map(({ id }) => id));
    await test.runUntil(() => shown().size === 2);
    expect(test.messagesOf("problem")).toEqual([]);
  });
});
