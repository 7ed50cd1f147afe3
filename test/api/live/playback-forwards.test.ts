import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, newChannels, PlaybackHarness } from "../../support/api/playback-harness.js";

/** Times are seconds after nine o'clock; pictures come every 40 ms, a key frame a second. */

const [GATE = "", YARD = "", DOOR = ""] = newChannels(3);
let test: PlaybackHarness;

beforeEach(async () => {
  test = await PlaybackHarness.start();
});

afterEach(async () => {
  await test.stop();
});

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
    expect(test.messagesOf("playback")).toEqual([
      { type: "playback", state: "playing", time: at(2.4) / 1000, speed: 1 },
    ]);
  });
});
