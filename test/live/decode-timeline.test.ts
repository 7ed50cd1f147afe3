import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DecodeTimeline } from "../../src/live/index.js";

const FRAME_US = 40_000;

/** Decode times for presentation times in frames; key at the first. */
function decode(timeline: DecodeTimeline, frames: number[], keys: number[] = [0]) {
  return frames.map((frame, index) => ({ ...timeline.next(frame * FRAME_US, keys.includes(index)) }));
}

describe("decode times", () => {
  it("are the presentation times without B-frames", () => {
    const times = decode(new DecodeTimeline(0), [0, 1, 2, 3]);
    expect(times.map((time) => time.decodeUs / FRAME_US)).toEqual([0, 1, 2, 3]);
    expect(times.every((time) => time.presentationOffsetUs === 0)).toBe(true);
  });

  it("lag by the stated reorder depth", () => {
    const times = decode(new DecodeTimeline(1), [0, 3, 1, 2, 6, 4, 5]);
    expect(times.map((time) => time.decodeUs / FRAME_US)).toEqual([-1, 0, 1, 2, 3, 4, 5]);
    expect(times.map((time) => time.presentationOffsetUs / FRAME_US)).toEqual([1, 3, 0, 0, 3, 0, 0]);
  });

  it("lag by two for a pyramid", () => {
    const times = decode(new DecodeTimeline(2), [0, 4, 2, 1, 3, 8, 6, 5, 7]);
    expect(times.map((time) => time.decodeUs / FRAME_US)).toEqual([-2, -1, 0, 1, 2, 3, 4, 5, 6]);
  });

  it("learn the depth from a stream that does not state it, and no more than it needs", () => {
    const timeline = new DecodeTimeline(0);
    decode(timeline, [0, 3, 1, 2, 6, 4, 5]);
    expect(timeline.depth).toBe(1);
    const times = decode(timeline, [9, 7, 8, 12, 10, 11], []);
    expect(times.map((time) => time.decodeUs / FRAME_US)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(times.map((time) => time.presentationOffsetUs / FRAME_US)).toEqual([3, 0, 0, 3, 0, 0]);
  });

  it("restart when a key frame is shown before its predecessors: the media clock was set back", () => {
    const timeline = new DecodeTimeline(0);
    const times = decode(timeline, [100, 101, 102, 80, 81], [0, 3]);
    expect(times.map((time) => time.decodeUs / FRAME_US)).toEqual([100, 101, 102, 80, 81]);
    expect(timeline.depth).toBe(0);
  });

  it("restart after a gap, so that no frame gets a time from before it", () => {
    const times = decode(new DecodeTimeline(2), [0, 1, 2, 1000, 1001], [0]);
    expect(times[3]?.presentationOffsetUs).toBe(2 * FRAME_US);
  });

  it("rise strictly for any presentation times, until the media clock goes back", () => {
    fc.assert(
      fc.property(
        fc.nat(4),
        fc.array(fc.integer({ min: -30, max: 60 }), { maxLength: 100 }),
        (depth, steps) => {
          const timeline = new DecodeTimeline(depth);
          let frame = 0;
          let last = Number.NEGATIVE_INFINITY;
          for (const step of steps) {
            frame += step;
            const { decodeUs, presentationOffsetUs } = timeline.next(frame * FRAME_US, false);
            expect(decodeUs).toBeGreaterThan(last);
            expect(presentationOffsetUs).toBeGreaterThanOrEqual(0);
            expect(timeline.depth).toBeLessThanOrEqual(16);
            last = decodeUs;
          }
        },
      ),
    );
  });
});
