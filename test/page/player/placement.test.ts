import { describe, expect, it } from "vitest";
import { fragmentTimes, timeScales } from "../../../src/page/player/fragment.js";
import type { MediaHeader } from "../../../src/page/player/media-header.js";
import { Placement } from "../../../src/page/player/placement.js";
import { fragment, initSegment } from "../../support/page/live-media.js";

const WALL_MS = 1_795_399_200_000;
const PLAIN: MediaHeader = {
  kind: "fragment",
  isKey: false,
  isDiscontinuity: false,
  isSound: false,
  isPlayback: false,
  feed: 1,
  wallMs: WALL_MS,
  handOverMs: WALL_MS,
  durationMs: 40,
  sequence: 0,
};
const KEY = { ...PLAIN, isKey: true };
const JUMP = { ...KEY, isDiscontinuity: true };

/** Where the fragment is placed, seconds; undefined when it is left out. */
function placedAt(placement: Placement, header: MediaHeader, bytes: Uint8Array): number | undefined {
  if (placement.place(header, bytes) === undefined) return undefined;
  return fragmentTimes(bytes, timeScales(initSegment()))?.decodeS;
}

function begun(): Placement {
  const placement = new Placement();
  placement.begin(initSegment());
  return placement;
}

describe("where fragments are placed", () => {
  it("begins at 0 with the first key frame, and leaves out what comes before it", () => {
    const placement = begun();
    expect(placedAt(placement, PLAIN, fragment(1000, 0.04))).toBeUndefined();
    expect(placedAt(placement, KEY, fragment(1000.04, 0.04))).toBeCloseTo(0, 5);
    expect(placedAt(placement, PLAIN, fragment(1000.08, 0.04))).toBeCloseTo(0.04, 4);
  });

  it("keeps the distances of uneven pictures", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04));
    expect(placedAt(placement, PLAIN, fragment(50.033, 0.04))).toBeCloseTo(0.033, 4);
    expect(placedAt(placement, PLAIN, fragment(50.09, 0.04))).toBeCloseTo(0.09, 4);
  });

  it("continues at the end where the stream jumps, forwards and backwards", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04));
    expect(placedAt(placement, JUMP, fragment(90, 0.04))).toBeCloseTo(0.04, 4);
    expect(placedAt(placement, KEY, fragment(10, 0.04))).toBeCloseTo(0.08, 4);
  });

  it("closes a hole without a key frame, so that a slow camera goes on", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04));
    expect(placedAt(placement, PLAIN, fragment(51, 0.04))).toBeCloseTo(0.04, 4);
    expect(placedAt(placement, PLAIN, fragment(52, 0.04))).toBeCloseTo(0.08, 4);
  });

  it("waits for a key frame where the stream goes back", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04));
    expect(placedAt(placement, PLAIN, fragment(40, 0.04))).toBeUndefined();
  });

  it("moves sound by as much as the pictures, and leaves it out before the first", () => {
    const placement = begun();
    const sound = { ...KEY, isSound: true };
    expect(placedAt(placement, sound, fragment(50, 0.1, { isSound: true }))).toBeUndefined();
    placedAt(placement, KEY, fragment(50, 0.04));
    expect(placedAt(placement, sound, fragment(50.02, 0.1, { isSound: true }))).toBeCloseTo(0.02, 3);
  });

  it("after a jump that was asked for, leaves out the rest of the old place and begins apart from it", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04));
    placement.jump();
    expect(placedAt(placement, PLAIN, fragment(50.04, 0.04))).toBeUndefined();
    expect(placedAt(placement, KEY, fragment(50.08, 0.04))).toBeUndefined();
    expect(placedAt(placement, JUMP, fragment(20, 0.04))).toBeCloseTo(1.04, 4);
    expect(placedAt(placement, PLAIN, fragment(20.04, 0.04))).toBeCloseTo(1.08, 4);
  });

  it("knows of each media time the moment, and of each moment the picture", () => {
    const placement = begun();
    placedAt(placement, KEY, fragment(50, 0.04, { offsetS: 0.08 }));
    placedAt(placement, { ...PLAIN, wallMs: WALL_MS + 40 }, fragment(50.04, 0.04, { offsetS: 0.08 }));
    placedAt(placement, { ...JUMP, wallMs: WALL_MS + 60_000 }, fragment(80, 0.04, { offsetS: 0.08 }));
    const { times } = placement;
    expect(times.wallAt(0.01)).toBeUndefined();
    expect(times.wallAt(0.09)).toBeCloseTo(WALL_MS + 10, 3);
    expect(times.wallAt(0.121)).toBeCloseTo(WALL_MS + 41, 3);
    expect(times.wallAt(0.17)).toBeCloseTo(WALL_MS + 60_010, 3);
    expect(times.wallAt(9)).toBeCloseTo(WALL_MS + 60_040, 3);
    expect(times.pictureOf(WALL_MS + 41)?.wallMs).toBe(WALL_MS + 40);
    expect(times.pictureOf(WALL_MS + 59_999)?.wallMs).toBe(WALL_MS + 40);
    expect(times.pictureOf(0)?.wallMs).toBe(WALL_MS);
  });

  it("finds a moment in the newest stretch after a jump backwards", () => {
    const placement = begun();
    placedAt(placement, { ...KEY, wallMs: WALL_MS + 5000 }, fragment(55, 0.04));
    placedAt(placement, JUMP, fragment(50, 0.04));
    placedAt(placement, { ...PLAIN, wallMs: WALL_MS + 40 }, fragment(50.04, 0.04));
    expect(placement.times.pictureOf(WALL_MS + 5000)?.wallMs).toBe(WALL_MS + 40);
  });

  it("has no picture of a place that was asked for until it comes, but for one that has come before", () => {
    const placement = begun();
    placedAt(placement, { ...KEY, wallMs: WALL_MS }, fragment(50, 0.04));
    placement.jump();
    expect(placement.times.pictureOf(WALL_MS + 60_000)).toBeUndefined();
    expect(placement.times.pictureOf(WALL_MS + 20)?.wallMs).toBe(WALL_MS);
    placedAt(placement, { ...JUMP, wallMs: WALL_MS + 60_000 }, fragment(20, 0.04));
    expect(placement.times.pictureOf(WALL_MS + 60_000)?.wallMs).toBe(WALL_MS + 60_000);
  });

  it("finds moments of what comes backwards", () => {
    const placement = begun();
    for (const second of [5, 4, 3])
      placedAt(placement, { ...JUMP, wallMs: WALL_MS + second * 1000 }, fragment(50 + second, 1));
    expect(placement.times.pictureOf(WALL_MS + 4500)?.wallMs).toBe(WALL_MS + 4000);
    expect(placement.times.pictureOf(WALL_MS + 3100)?.wallMs).toBe(WALL_MS + 3000);
  });

  it("leaves out a fragment that is cut off or of another track", () => {
    const placement = begun();
    expect(placement.place(KEY, fragment(50, 0.04).subarray(0, 40))).toBeUndefined();
    expect(placement.place(KEY, new Uint8Array([0, 0, 0, 9, 1, 2, 3, 4]))).toBeUndefined();
  });
});
