import { describe, expect, it } from "vitest";
import {
  isKeyFramesFragment,
  keyFramesFragmentId,
  LmdbSegmentIndex,
  type SegmentReading,
  type SegmentSummary,
} from "../../../src/archive/index.js";
import { AllSegments } from "../../../src/archive/read/all-segments.js";
import { SILENT_LOG } from "../../support/archive/archive-fixture.js";
import {
  fragmentOf,
  MINUTE_US,
  START_US,
  segmentOf,
  streamOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const KEY = streamOfNumber(1);
const READING: SegmentReading = {
  open: () => Promise.reject(new Error("not read here")),
  read: () => Promise.reject(new Error("not read here")),
  close: () => undefined,
};

/** An index that is not opened is in memory. */
const indexOf = (segments: readonly SegmentSummary[]): LmdbSegmentIndex => {
  const index = new LmdbSegmentIndex({ directory: "none", clock: new SimulatedClock(), log: SILENT_LOG });
  for (const segment of segments) index.add(segment);
  return index;
};

/** Fragments of two epochs, with gaps. */
const ALL = [
  ...fragmentOf(6, { fragment: 1, fromUs: START_US, gopUs: 7_000_000 }),
  ...fragmentOf(3, { fragment: 2, fromUs: START_US + 10 * MINUTE_US, gopUs: 7_000_000 }),
  ...fragmentOf(4, { fragment: 3, fromUs: START_US + 8 * MINUTE_US, epoch: 1, gopUs: 7_000_000 }).map(
    (segment) => ({ ...segment, segmentId: segment.segmentId + 100 }),
  ),
];

function divided(random: SeededRandom): AllSegments {
  const here: SegmentSummary[] = [];
  const away: SegmentSummary[][] = [[], []];
  for (const segment of ALL) {
    const where = random.between(1, 7);
    if ((where & 1) !== 0) here.push(segment);
    if ((where & 2) !== 0) away[0]?.push(segment);
    if ((where & 4) !== 0) away[1]?.push(segment);
  }
  const all = new AllSegments(indexOf(here));
  all.setAway(away.map((segments) => ({ index: indexOf(segments), reading: { ...READING } })));
  return all;
}

/** The same segment as its key frames alone. */
const keyFramesOf = (segment: SegmentSummary): SegmentSummary => ({
  ...segment,
  fragmentId: keyFramesFragmentId(segment.fragmentId) ?? "",
  bytes: segment.bytes / 10,
  videoFrames: segment.gops.length,
  gops: segment.gops.map((gop, at) => ({ ...gop, offset: 256 + at * 1000, frames: 1 })),
});

const plain = (segment: SegmentSummary | undefined) => {
  if (segment === undefined) return undefined;
  const { away: _away, ...rest } = segment;
  return rest;
};

describe("segments here and off the box", () => {
  it.each([1, 2, 3, 4, 5])("are one index, however they are divided: %i", (seed) => {
    const whole = indexOf(ALL);
    const all = divided(new SeededRandom(seed));
    for (let timeUs = START_US - MINUTE_US; timeUs < START_US + 16 * MINUTE_US; timeUs += MINUTE_US / 4) {
      expect(plain(all.seek(KEY, timeUs))).toEqual(plain(whole.seek(KEY, timeUs)));
      expect(all.nearestKeyFrameUs(KEY, timeUs)).toBe(whole.nearestKeyFrameUs(KEY, timeUs));
      const toUs = timeUs + 3 * MINUTE_US;
      expect(all.fragments(KEY, timeUs, toUs)).toEqual(whole.fragments(KEY, timeUs, toUs));
      for (const epoch of [0, 1]) {
        const at = { segmentId: 0, epoch, fromUs: timeUs };
        expect(plain(all.last(KEY, at))).toEqual(plain(whole.last(KEY, at)));
        expect(plain(all.following(KEY, at))).toEqual(plain(whole.following(KEY, at)));
      }
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "are whole wherever any place has them whole, and key frames elsewhere: %i",
    (seed) => {
      const random = new SeededRandom(seed);
      const places: SegmentSummary[][] = [[], [], []];
      const wanted = new Map<SegmentSummary, "whole" | "key frames">();
      for (const segment of ALL) {
        const forms = places.map(() => (["none", "none", "key frames", "whole"] as const)[random.below(4)]);
        const best = forms.includes("whole")
          ? "whole"
          : forms.includes("key frames")
            ? "key frames"
            : undefined;
        if (best !== undefined) wanted.set(segment, best);
        for (const [at, form] of forms.entries())
          if (form !== "none") places[at]?.push(form === "whole" ? segment : keyFramesOf(segment));
      }
      const [here = [], ...away] = places;
      const all = new AllSegments(indexOf(here));
      all.setAway(away.map((segments) => ({ index: indexOf(segments), reading: { ...READING } })));
      const found: SegmentSummary[] = [];
      for (const epoch of [0, 1])
        for (let at = { segmentId: 0, epoch, fromUs: 0 }; ; ) {
          const next = all.following(KEY, at);
          if (next === undefined || next.epoch !== epoch) break;
          found.push(next);
          at = next;
        }
      expect(found.map(plain)).toEqual(
        [...wanted].map(([segment, form]) => (form === "whole" ? segment : keyFramesOf(segment))),
      );
      for (const segment of found)
        expect(plain(all.seek(KEY, segment.toUs - 1))?.epoch).toBeGreaterThanOrEqual(segment.epoch);
      const stretches = all.stretches(KEY, 0, START_US * 2);
      for (const { epoch, fromUs, toUs, fragmentId } of found) {
        const holders = stretches.filter(
          (one) => one.epoch === epoch && one.fromUs < toUs && one.toUs > fromUs,
        );
        expect(holders.map(({ id }) => id)).toEqual([fragmentId]);
        const minute = all.stretches(KEY, fromUs, toUs).filter((one) => one.epoch === epoch);
        expect(minute).toEqual(holders);
      }
      const length = (spans: readonly { fromUs: number; toUs: number }[]) =>
        spans.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0);
      expect(length(stretches)).toBe(length(found));
      const alone = all.keyFramesOnly([KEY], 0, START_US * 2);
      const first = found.filter(({ epoch }) => epoch === 0);
      const isIn = (us: number) => alone.some(({ fromUs, toUs }) => fromUs <= us && us < toUs);
      const covers = (us: number, keys: boolean) =>
        found.some(
          (one) => one.fromUs <= us && us < one.toUs && isKeyFramesFragment(one.fragmentId) === keys,
        );
      for (const { fromUs } of first)
        expect(isIn(fromUs)).toBe(covers(fromUs, true) && !covers(fromUs, false));
    },
  );

  it("are read here where they are here", () => {
    const [first, second] = fragmentOf(2);
    if (first === undefined || second === undefined) throw new Error("two were made");
    const all = new AllSegments(indexOf([second]));
    all.setAway([{ index: indexOf([first, second]), reading: READING }]);
    expect(all.seek(KEY, first.fromUs)?.away).toBe(READING);
    expect(all.seek(KEY, second.fromUs)?.away).toBeUndefined();
    expect(all.copyOf(second)).toBe(READING);
    expect(all.awayOnly([KEY], 0, second.toUs)).toEqual([{ fromUs: first.fromUs, toUs: first.toUs }]);
  });

  it("depend on what is off the box where they are there alone, or key frames alone here", () => {
    const [first, second, third] = fragmentOf(3);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error("three were made");
    const all = new AllSegments(indexOf([second, keyFramesOf(third)]));
    const isHere = () =>
      [first, second, third].map((segment) => all.isHere(KEY, segment.fromUs, segment.toUs));
    expect(isHere()).toEqual([true, true, true]);
    all.setAway([{ index: indexOf([first, second, third]), reading: READING }]);
    expect(isHere()).toEqual([false, true, false]);
  });

  it("are those on the volumes alone when there is no target any more", () => {
    const here = indexOf([segmentOf()]);
    const all = new AllSegments(here);
    const place = { index: indexOf(ALL), reading: READING };
    let notified = 0;
    all.onChange(() => {
      notified += 1;
    });
    all.setAway([place]);
    expect(all.fragments(KEY, 0, START_US * 2)).toHaveLength(3);
    all.setAway([]);
    expect(all.fragments(KEY, 0, START_US * 2)).toEqual(here.fragments(KEY, 0, START_US * 2));
    expect(all.awayOnly([KEY], 0, START_US * 2)).toEqual([]);
    place.index.add(segmentOf({ fromUs: START_US + 100 * MINUTE_US }));
    expect(notified).toBe(2);
  });
});
