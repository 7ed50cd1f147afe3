import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { SegmentIndex, SegmentSummary } from "../../../src/archive/index.js";
import { recordedDays, segmentsIn } from "../../../src/away/plan/recorded-days.js";
import { type ClockTimer, SystemClock, US_PER_DAY } from "../../../src/base/index.js";
import { openIndex, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemorySegmentIndex } from "../../support/archive/memory-segment-index.js";
import {
  MINUTE_US,
  openSegmentOf,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { LOST_INDEX } from "../../support/archive/simulated/simulated-database.js";
import { SimulatedIndex } from "../../support/archive/simulated/simulated-index.js";
import { SeededRandom } from "../../support/base/seeded-random.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const KEY = streamOfNumber(2);
const MIDNIGHT_US = 20_000 * US_PER_DAY;
const DAY = new Date(MIDNIGHT_US / 1000).toISOString().slice(0, 10);
let made = 0;

/** Commits take no time, and come when they are asked for. */
class HastyClock extends SystemClock {
  override setTimeout(run: () => void): ClockTimer {
    return super.setTimeout(run, 0);
  }

  override setInterval(): ClockTimer {
    return { clear: () => undefined };
  }
}

/** Minutes of an epoch from a time on. */
function minutes(fromUs: number, count: number, epoch = 0): SegmentSummary[] {
  made += 1;
  return Array.from({ length: count }, (_one, at) =>
    segmentOf({ stream: 2, fragment: made, sequence: at, epoch, fromUs: fromUs + at * MINUTE_US }),
  );
}

/** What all that stands for the index does as the index does: whoever is tested with it, is tested with less otherwise. */
describe.each<[string, () => Promise<{ index: SegmentIndex; stop: () => Promise<void> }>]>([
  [
    "the index on the disk",
    async () => {
      made += 1;
      const index = await openIndex(`${scratch.path}/${made}`);
      return { index, stop: () => index.stop() };
    },
  ],
  ["the index in memory", async () => ({ index: new MemorySegmentIndex(), stop: async () => undefined })],
  [
    "the index of simulations",
    async () => {
      const random = new SeededRandom(1);
      const listeners = { knownVolumeIds: () => [], onRemove: () => undefined };
      const index = new SimulatedIndex({ clock: new HastyClock(), random, image: LOST_INDEX, ...listeners });
      index.start();
      await index.ready();
      return { index, stop: () => index.stop() };
    },
  ],
])("%s", (_name, make) => {
  let index: SegmentIndex;

  beforeEach(async () => {
    const one = await make();
    index = one.index;
    return one.stop;
  });

  async function known(...segments: readonly SegmentSummary[]): Promise<void> {
    for (const segment of segments) index.add(segment);
    await index.flush();
  }

  const ids = (segments: Iterable<{ readonly segmentId: number }>): number[] =>
    [...segments].map(({ segmentId }) => segmentId);

  it("answers what begins after a position, never what begins at it", async () => {
    const [one, two, three] = minutes(MIDNIGHT_US, 3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("no segments");
    await known(one, two, three);
    const behind = (fromUs: number) => index.following(KEY, { segmentId: 0, epoch: 0, fromUs })?.segmentId;
    expect(behind(one.fromUs - 1)).toBe(one.segmentId);
    expect(behind(one.fromUs)).toBe(two.segmentId);
    expect(behind(two.fromUs - 1)).toBe(two.segmentId);
    expect(behind(three.fromUs)).toBeUndefined();
  });

  it("goes on with the next epoch behind the last segment of one", async () => {
    const [early] = minutes(MIDNIGHT_US, 1);
    const [late] = minutes(MIDNIGHT_US - MINUTE_US, 1, 1);
    if (early === undefined || late === undefined) throw new Error("no segments");
    await known(early, late);
    expect(index.following(KEY, early)?.segmentId).toBe(late.segmentId);
  });

  it("has the segments that begin within a time, its first moment included, its end not", async () => {
    const all = minutes(MIDNIGHT_US, 4);
    const again = minutes(MIDNIGHT_US + MINUTE_US + 1, 1, 1);
    await known(...all, ...again);
    const span = { fromUs: MIDNIGHT_US + MINUTE_US, toUs: MIDNIGHT_US + 3 * MINUTE_US };
    expect(ids(segmentsIn(index, KEY, span))).toEqual(ids([...all.slice(1, 3), ...again]));
  });

  it("has the day of a segment that begins with it", async () => {
    await known(...minutes(MIDNIGHT_US, 1), ...minutes(MIDNIGHT_US + US_PER_DAY, 1));
    const next = new Date((MIDNIGHT_US + US_PER_DAY) / 1000).toISOString().slice(0, 10);
    expect([...recordedDays(index, KEY, MIDNIGHT_US)]).toEqual([DAY, next]);
  });

  it("finds a closed segment by its time, where it is now", async () => {
    const [segment] = minutes(MIDNIGHT_US, 1);
    if (segment === undefined) throw new Error("no segment");
    await known(segment);
    expect(index.closed(segment)?.volumeId).toBe(segment.volumeId);
    expect(index.closed({ ...segment, fromUs: segment.fromUs + 1 })).toBeUndefined();
    expect(index.move(segment, { ...segment, volumeId: volumeOfNumber(2) })).toBe(true);
    expect(index.closed(segment)?.volumeId).toBe(volumeOfNumber(2));
    expect(index.move(segment, { ...segment, volumeId: volumeOfNumber(3) })).toBe(false);
  });

  it("has the last segment that begins at a time or before, of an epoch", async () => {
    const [one, two] = minutes(MIDNIGHT_US, 2);
    if (one === undefined || two === undefined) throw new Error("no segments");
    await known(one, two);
    const last = (fromUs: number, epoch = 0) => index.last(KEY, { epoch, fromUs })?.segmentId;
    expect([last(one.fromUs - 1), last(one.fromUs), last(two.fromUs - 1), last(two.fromUs)]).toEqual([
      undefined,
      ...ids([one, one, two]),
    ]);
    expect(last(two.fromUs, 1)).toBeUndefined();
  });

  it("seeks the segment that holds a time, else the next one", async () => {
    const [one, , three] = minutes(MIDNIGHT_US, 3);
    if (one === undefined || three === undefined) throw new Error("no segments");
    await known(one, three);
    const at = (timeUs: number) => index.seek(KEY, timeUs)?.segmentId;
    expect([at(one.toUs - 1), at(one.toUs), at(three.toUs)]).toEqual([
      one.segmentId,
      three.segmentId,
      undefined,
    ]);
  });

  it("counts the closed segments that begin on a day", async () => {
    const all = [...minutes(MIDNIGHT_US - MINUTE_US, 2), ...minutes(MIDNIGHT_US + US_PER_DAY, 1)];
    await known(...all);
    const bytes = all[1]?.bytes;
    expect(index.dayTotal(KEY, 20_000)).toEqual({ segments: 1, bytes, durationUs: MINUTE_US });
  });

  it("shows a segment that is being written until it is closed or forgotten", () => {
    const open = { ...openSegmentOf(), key: KEY, epoch: 0 };
    index.trackOpen(open);
    expect(index.newest(KEY)?.segmentId).toBe(open.segmentId);
    expect(index.closed(open)).toBeUndefined();
    index.forgetOpen(open.segmentId);
    expect(index.newest(KEY)).toBeUndefined();
  });

  it("notes the files of what is removed, until they are gone", async () => {
    const [segment] = minutes(MIDNIGHT_US, 1);
    if (segment === undefined) throw new Error("no segment");
    await known(segment);
    await index.remove([segment]);
    expect(index.closed(segment)).toBeUndefined();
    expect(index.pendingUnlinks().map(({ file }) => file.segmentId)).toEqual([segment.segmentId]);
    index.unlinked(index.pendingUnlinks());
    expect(index.pendingUnlinks()).toEqual([]);
  });

  it("serves a time that two epochs hold from the newer one, also its nearest key frame", async () => {
    const [early] = minutes(MIDNIGHT_US, 1);
    const [late] = minutes(MIDNIGHT_US + 1, 1, 1);
    if (early === undefined || late === undefined) throw new Error("no segments");
    await known(early, late);
    expect(index.seek(KEY, MIDNIGHT_US + 5)?.segmentId).toBe(late.segmentId);
    const keyUs = late.gops[0]?.decodeTimeUs;
    expect(index.nearestKeyFrameUs(KEY, MIDNIGHT_US + 1)).toBe(keyUs);
    expect(index.nearestKeyFrameUs(KEY, MIDNIGHT_US)).toBe(early.gops[0]?.decodeTimeUs);
  });

  it("has the nearest key frame on either side of a gap", async () => {
    const [before] = minutes(MIDNIGHT_US, 1);
    const [behind] = minutes(MIDNIGHT_US + 10 * MINUTE_US, 1);
    if (before === undefined || behind === undefined) throw new Error("no segments");
    await known(before, behind);
    expect(index.nearestKeyFrameUs(KEY, MIDNIGHT_US + 2 * MINUTE_US)).toBe(before.gops.at(-1)?.decodeTimeUs);
    expect(index.nearestKeyFrameUs(KEY, MIDNIGHT_US + 9 * MINUTE_US)).toBe(behind.gops[0]?.decodeTimeUs);
  });

  it("joins segments of a run, and tells runs of a stream in order of time", async () => {
    const run = minutes(MIDNIGHT_US, 3);
    const [other] = minutes(MIDNIGHT_US + 10 * MINUTE_US, 1);
    if (other === undefined) throw new Error("no segment");
    await known(...run, other);
    const spans = (fromUs: number, toUs: number) =>
      index.fragments(KEY, fromUs, toUs).map((one) => [one.fromUs - MIDNIGHT_US, one.toUs - MIDNIGHT_US]);
    const first = [0, 3 * MINUTE_US];
    expect(spans(0, Number.MAX_SAFE_INTEGER)).toEqual([first, [10 * MINUTE_US, 11 * MINUTE_US]]);
    expect(spans(MIDNIGHT_US + 3 * MINUTE_US - 1, MIDNIGHT_US + 4 * MINUTE_US)).toEqual([first]);
    expect(spans(MIDNIGHT_US + 3 * MINUTE_US, MIDNIGHT_US + 10 * MINUTE_US)).toEqual([]);
  });

  it("takes no segment again that is being removed", async () => {
    const [segment] = minutes(MIDNIGHT_US, 1);
    if (segment === undefined) throw new Error("no segment");
    await known(segment);
    await index.remove([segment]);
    await known(segment);
    expect(index.closed(segment)).toBeUndefined();
  });
});
