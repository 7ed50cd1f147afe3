import type { Guid } from "../base/index.js";
import type { MotionBox } from "../recording/index.js";
import type { Finding } from "./finding.js";
import { overlap } from "./picture-region.js";

/** What stays in its place is not reported again, unless it was not seen there for so long. */
const STAY_US = 600_000_000;
/** Boxes with so much in common are of a thing that stayed where it was. */
const SAME_PLACE = 0.6;
/** Places of one label that are remembered; the one that was seen first is forgotten. */
const PLACES_MAX = 16;
/** Labels, plates and names of all cameras that are remembered. */
const THINGS_MAX = 4096;

interface Place {
  readonly box: MotionBox;
  readonly seenUs: number;
}

interface Thing {
  readonly reportedUs: number;
  readonly places: readonly Place[];
}

interface Moment {
  readonly nowUs: number;
  readonly quietUs: number;
}

/** Which findings are new: an analyser says the same of each picture. */
export class SeenThings {
  readonly #things = new Map<string, Thing>();

  /** The findings of one picture to report now; two of a kind in one picture are both new. */
  newOf(channelId: Guid, findings: readonly Finding[], moment: Moment): readonly Finding[] {
    const before = new Map<string, Thing | undefined>();
    return findings.filter((finding) => {
      const key = keyOf(channelId, finding);
      if (!before.has(key)) before.set(key, this.#things.get(key));
      const known = before.get(key);
      const isNew = known === undefined || !isKnown(known, finding, moment);
      const now = this.#things.get(key);
      this.#remember(key, {
        reportedUs: isNew ? moment.nowUs : (now?.reportedUs ?? moment.nowUs),
        places: placesWith(now?.places ?? [], finding, moment.nowUs),
      });
      return isNew;
    });
  }

  #remember(key: string, thing: Thing): void {
    this.#things.delete(key);
    this.#things.set(key, thing);
    for (const oldest of this.#things.keys()) {
      if (this.#things.size <= THINGS_MAX) return;
      this.#things.delete(oldest);
    }
  }
}

function isKnown({ reportedUs, places }: Thing, { box }: Finding, { nowUs, quietUs }: Moment): boolean {
  if (nowUs - reportedUs < quietUs) return true;
  return (
    box !== undefined &&
    places.some((place) => nowUs - place.seenUs < STAY_US && overlap(place.box, box) >= SAME_PLACE)
  );
}

function placesWith(places: readonly Place[], { box }: Finding, seenUs: number): readonly Place[] {
  if (box === undefined) return places;
  const others = places.filter((place) => overlap(place.box, box) < SAME_PLACE);
  return [...others, { box, seenUs }].slice(-PLACES_MAX);
}

function keyOf(channelId: Guid, { kind, label, number, person }: Finding): string {
  return [channelId, kind, number ?? person ?? label].join(" ");
}
