import { US_PER_SECOND } from "../../base/index.js";
import { type Box, overlapShare } from "../thing/box.js";
import type { ObjectKind } from "../thing/labels.js";

/** Places that are remembered of one camera. */
const SCENERY_MAX = 48;
/** A box that shares more with a remembered place is there. */
const SAME_OVERLAP = 0.5;
/** What was found for so many seconds where nothing moved is scenery: a sign, a statue, a coat on a hook. */
const KNOWN_SECONDS = 3;
/** More does not make it surer: it is unlearned within a few times this. */
const SECONDS_MAX = 30;
/** A look stands for the time since the last one, but for no longer. */
const LOOK_SECONDS_MAX = 0.5;
/** What is a thing counts so much more than what rests. */
const THING_WEIGHT = 2;
/** A look that does not find it says little: the detector is unsure of it. */
const MISSED_WEIGHT = 0.1;
/** What was reported and rests counts so much less, as long as no look is sure of it: a person who stands far away, or a sign that one passed. */
const REPORTED_WEIGHT = 0.25;
const NEWEST_WEIGHT = 0.1;

interface Place {
  readonly kind: ObjectKind;
  box: Box;
  seconds: number;
  lookedUs: number;
}

/** What was found in a look. */
export interface FoundPlace {
  readonly kind: ObjectKind;
  readonly box: Box;
  /** It rests, and was not reported; `doubted`: it rests, was reported, and this look is not sure of it; `thing`: it moves, or this look is sure of what was reported. */
  readonly is: "resting" | "doubted" | "thing";
}

const WEIGHTS: Readonly<Record<FoundPlace["is"], number>> = {
  resting: 1,
  doubted: REPORTED_WEIGHT,
  thing: -THING_WEIGHT,
};

/**
 * What the detector takes for a thing, and what never moved: part of the scenery. A track that passes would go on there for as long
 * as the camera stands, so that such boxes count for nothing until something moves there.
 */
export class Scenery {
  #places: Place[] = [];

  get known(): number {
    return this.#places.filter(({ seconds }) => seconds >= KNOWN_SECONDS).length;
  }

  isKnown(kind: ObjectKind, box: Box): boolean {
    const place = this.#find(kind, box);
    return place !== undefined && place.seconds >= KNOWN_SECONDS;
  }

  /** Learns of one look. */
  learn(found: readonly FoundPlace[], timeUs: number, wasLookedAt: (box: Box) => boolean): void {
    const there = new Set<Place>();
    for (const { kind, box, is } of found) {
      const place = this.#find(kind, box) ?? this.#begin(kind, box, is, timeUs);
      if (place === undefined || there.has(place)) continue;
      there.add(place);
      note(place, timeUs, WEIGHTS[is]);
      if (is !== "thing") place.box = between(place.box, box);
    }
    for (const place of this.#places)
      if (!there.has(place) && wasLookedAt(place.box)) note(place, timeUs, -MISSED_WEIGHT);
    this.#places = this.#places.filter(({ seconds }) => seconds >= 0);
  }

  /** The least known makes room. */
  #begin(kind: ObjectKind, box: Box, is: FoundPlace["is"], timeUs: number): Place | undefined {
    if (is === "thing") return undefined;
    const place = { kind, box, seconds: 0, lookedUs: timeUs };
    if (this.#places.length >= SCENERY_MAX)
      this.#places = this.#places
        .toSorted((one, other) => other.seconds - one.seconds)
        .slice(0, SCENERY_MAX - 1);
    this.#places.push(place);
    return place;
  }

  #find(kind: ObjectKind, box: Box): Place | undefined {
    return this.#places.find((place) => place.kind === kind && overlapShare(place.box, box) > SAME_OVERLAP);
  }
}

function note(place: Place, timeUs: number, weight: number): void {
  const seconds = Math.min(LOOK_SECONDS_MAX, Math.max(0, timeUs - place.lookedUs) / US_PER_SECOND);
  place.seconds = Math.min(SECONDS_MAX, place.seconds + weight * seconds);
  place.lookedUs = timeUs;
}

function between(before: Box, now: Box): Box {
  const mean = (member: keyof Box): number => before[member] + NEWEST_WEIGHT * (now[member] - before[member]);
  return { left: mean("left"), top: mean("top"), width: mean("width"), height: mean("height") };
}
