import type { ArchiveAccess } from "../../archive/index.js";
import { type Interval, type StreamKey, US_PER_MINUTE } from "../../base/index.js";
import { joinInOrder } from "./intervals.js";

/** How exactly the begin and the end of sound are reported, unless closer moments are looked at. */
const EXACT_US = US_PER_MINUTE;

interface Look {
  readonly timeUs: number;
  readonly hasSound: boolean;
}

/**
 * Where the recordings of a stream have sound. Segments say whether they have any; looking at each would take seconds for a
 * month. So moments are looked at that are `apartUs` apart, and what lies between two that differ is searched for the change.
 */
export function soundTimes(
  archive: Pick<ArchiveAccess, "hasSoundAt">,
  key: StreamKey,
  runs: readonly Interval[],
  apartUs: number,
): Interval[] {
  const found: Interval[] = [];
  const exactUs = Math.min(EXACT_US, apartUs);
  const look = (timeUs: number): Look => ({ timeUs, hasSound: archive.hasSoundAt(key, timeUs) === true });
  let last: Look | undefined;
  for (const { fromUs, toUs } of runs) {
    // Short runs that follow each other are alike.
    if (last === undefined || fromUs - last.timeUs >= apartUs) last = look(fromUs);
    let startUs = fromUs;
    while (last.timeUs + apartUs < toUs) {
      const next = look(last.timeUs + apartUs);
      if (next.hasSound !== last.hasSound) {
        const before = { timeUs: Math.max(fromUs, last.timeUs), hasSound: last.hasSound };
        const changeUs = changeBetween(before, next, look, exactUs);
        if (last.hasSound) joinInOrder(found, [{ fromUs: startUs, toUs: changeUs }], { fromUs, toUs });
        startUs = changeUs;
      }
      last = next;
    }
    if (last.hasSound) joinInOrder(found, [{ fromUs: startUs, toUs }], { fromUs, toUs });
  }
  return found;
}

/** The moment of the change between two looks that differ, to `exactUs`. */
function changeBetween(a: Look, b: Look, look: (timeUs: number) => Look, exactUs: number): number {
  let [before, behind] = [a, b];
  while (behind.timeUs - before.timeUs > exactUs) {
    const middle = look(Math.floor((before.timeUs + behind.timeUs) / 2));
    if (middle.hasSound === before.hasSound) before = middle;
    else behind = middle;
  }
  return behind.timeUs;
}
