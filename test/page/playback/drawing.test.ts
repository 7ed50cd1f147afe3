import { describe, expect, it } from "vitest";
import { Drawing } from "../../../src/page/playback/watch/drawing.js";

function drawn(): Drawing {
  const drawing = new Drawing(false, 0);
  drawing.isScanning = false;
  return drawing;
}

describe("a hand that is drawn along the timeline", () => {
  it("rests once where it has not moved for a while", () => {
    const drawing = drawn();
    drawing.move(1000);
    expect([1016, 1032, 1048, 1119].map((nowMs) => drawing.rests(nowMs))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(drawing.rests(1120)).toBe(true);
    expect(drawing.rests(1136)).toBe(false);
    drawing.move(1150);
    expect([1200, 1250, 1300].map((nowMs) => drawing.rests(nowMs))).toEqual([false, false, true]);
  });

  it("does not rest where the screen is drawn so slowly that its moves are far apart", () => {
    const drawing = drawn();
    for (let nowMs = 0; nowMs < 10_000; nowMs += 300) {
      drawing.move(nowMs);
      expect([nowMs + 150, nowMs + 290].map((at) => drawing.rests(at))).toEqual([false, false]);
    }
  });

  it("does not rest while the key frames are still asked for", () => {
    const drawing = new Drawing(false, 0);
    drawing.move(0);
    expect([100, 200, 300, 400].some((nowMs) => drawing.rests(nowMs))).toBe(false);
  });
});
