import { US_PER_SECOND } from "../../base/index.js";
import { type Box, coveredShare, overlapShare } from "../thing/box.js";
import type { ObjectKind } from "../thing/labels.js";

/** Things that are remembered of one camera. */
const PARKED_MAX = 48;
/** A box that shares more with a parked one is that one. */
const SAME_OVERLAP = 0.5;
/** Weight of the newest box: the sun moves a shadow, a passer-by hides a wheel. */
const NEWEST_WEIGHT = 0.2;
/** It has gone when this many looks at its place did not show it, over this time. */
const MISSES_MAX = 5;
const GONE_US = 20 * US_PER_SECOND;
/** Of a place that something else covers nothing is learned. */
const HIDDEN_SHARE = 0.3;

interface Parked {
  readonly kind: ObjectKind;
  box: Box;
  seenUs: number;
  misses: number;
}

/** What stands still in one camera's picture: known, and silent until it moves. */
export class ParkedThings {
  #things: Parked[] = [];

  get count(): number {
    return this.#things.length;
  }

  /** Something has come to rest; the longest unseen makes room. */
  add(kind: ObjectKind, box: Box, timeUs: number): void {
    if (this.#find(kind, box) !== undefined) return;
    this.#things.push({ kind, box, seenUs: timeUs, misses: 0 });
    if (this.#things.length > PARKED_MAX)
      this.#things = this.#things.toSorted((one, other) => other.seenUs - one.seenUs).slice(0, PARKED_MAX);
  }

  /** Whether a box is a parked thing, which is then known to be there still. */
  isParked(kind: ObjectKind, box: Box, timeUs: number): boolean {
    const known = this.#find(kind, box);
    if (known === undefined) return false;
    known.seenUs = timeUs;
    known.misses = 0;
    known.box = between(known.box, box);
    return true;
  }

  /** After a look that showed places: what was not seen for long has gone. `covers`: what might hide it. */
  look(timeUs: number, wasLookedAt: (box: Box) => boolean, covers: readonly Box[]): void {
    for (const thing of this.#things) {
      const isHidden = covers.some((cover) => coveredShare(thing.box, cover) > HIDDEN_SHARE);
      if (thing.seenUs !== timeUs && !isHidden && wasLookedAt(thing.box)) thing.misses += 1;
    }
    this.#things = this.#things.filter(
      ({ misses, seenUs }) => misses < MISSES_MAX || timeUs - seenUs < GONE_US,
    );
  }

  #find(kind: ObjectKind, box: Box): Parked | undefined {
    return this.#things.find((thing) => thing.kind === kind && overlapShare(thing.box, box) > SAME_OVERLAP);
  }
}

function between(before: Box, now: Box): Box {
  const mean = (member: keyof Box): number => before[member] + NEWEST_WEIGHT * (now[member] - before[member]);
  return { left: mean("left"), top: mean("top"), width: mean("width"), height: mean("height") };
}
