import { createHash } from "node:crypto";
import { US_PER_MS, US_PER_SECOND } from "../base/index.js";
import type { Interval } from "./gap.js";

/** The camera tells its clock in whole seconds, and its answer takes a while. */
const OFFSET_FAULT_US = 1_500_000;
/** Where no frame is known from before, so much is left free at both ends, so that nothing is doubled. */
export const UNSURE_US = OFFSET_FAULT_US;
/** Times of one frame, here and there, differ by less than this. */
const JITTER_US = 40 * US_PER_MS;
/** How much later than it was made the first picture after the gap may be recorded. */
const LATE_US_MAX = 4_000_000;
/** What slewing may change of the offset within the pictures before a gap. */
const SLEWED_US = 250 * US_PER_MS;
/** A frame this little before the gap is its first: its predecessor's length was a guess. */
const BARELY_US = 15 * US_PER_MS;

/** Times of recorded pictures, by a digest of their bytes. */
export type KnownPictures = ReadonlyMap<string, readonly number[]>;

export interface GapEdgesOptions {
  readonly gap: Interval;
  /** Recorded beside the gap. */
  readonly known: KnownPictures;
  /** The camera's clock minus ours, as it was asked. */
  readonly offsetUs: number;
}

/** What becomes of a picture: it lies before the gap, belongs to it, or the gap is over. */
export type Place = "before" | "inside" | "over";

/**
 * Puts what the camera kept between what is recorded. Pictures that are recorded already, found by their bytes, tell the camera's
 * clock to the millisecond, and where the gap begins and ends: nothing is doubled. Without any, the clock as it was asked counts.
 */
export class GapEdges {
  readonly #options: GapEdgesOptions;
  /** Offsets that known pictures speak for, in steps of JITTER_US. */
  readonly #votes = new Map<number, { count: number; sumUs: number }>();
  #offsetUs: number;
  #isSure = false;
  #isInside = false;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(options: GapEdgesOptions) {
    this.#options = options;
    this.#offsetUs = options.offsetUs;
  }

  /** Whether recorded pictures told the camera's clock. */
  get isSure(): boolean {
    return this.#isSure;
  }

  /** Our time for one of the camera's. */
  timeOf(cameraUs: number): number {
    return Math.round(cameraUs - this.#offsetUs);
  }

  /** Decides on a picture; within the gap they begin with a key frame. */
  place(picture: { readonly cameraUs: number; readonly key: boolean; readonly digest: string }): Place {
    const { cameraUs, key, digest } = picture;
    const { gap, known } = this.#options;
    const times = known.get(digest) ?? [];
    if (!this.#isInside) this.#learn(cameraUs, times);
    const timeUs = this.timeOf(cameraUs);
    if (key && times.some((knownUs) => isBehind(knownUs, timeUs, gap))) return "over";
    const isKnown = times.some(
      (knownUs) => Math.abs(knownUs - timeUs) <= (this.#isSure ? 2 * JITTER_US : OFFSET_FAULT_US),
    );
    const freeUs = this.#isSure ? -BARELY_US : UNSURE_US;
    if (timeUs >= gap.toUs - Math.max(freeUs, BARELY_US)) return "over";
    if (this.#isInside) return "inside";
    if (isKnown || !key || timeUs < gap.fromUs + freeUs) return "before";
    this.#isInside = true;
    return "inside";
  }

  /** The decode time that a frame of the gap is recorded with: within the gap, and not before the one before it. */
  recordedUs(cameraUs: number): number {
    const timeUs = Math.max(this.timeOf(cameraUs), this.#options.gap.fromUs);
    return timeUs;
  }

  /** As `recordedUs`, rising: for pictures. */
  nextPictureUs(cameraUs: number): number {
    this.#lastUs = Math.max(this.recordedUs(cameraUs), this.#lastUs + 1);
    return this.#lastUs;
  }

  #learn(cameraUs: number, times: readonly number[]): void {
    for (const knownUs of times) {
      const offsetUs = cameraUs - knownUs;
      if (Math.abs(offsetUs - this.#options.offsetUs) > OFFSET_FAULT_US) continue;
      const step = Math.round(offsetUs / JITTER_US);
      const vote = this.#votes.get(step) ?? { count: 0, sumUs: 0 };
      vote.count += 1;
      vote.sumUs += offsetUs;
      this.#votes.set(step, vote);
    }
    const [best] = [...this.#votes.values()].sort((one, other) => other.count - one.count);
    if (best === undefined) return;
    const usualUs = best.sumUs / best.count;
    // The recording's own clock is still being slewed when a camera was connected shortly before: the newest picture counts.
    const near = times
      .map((knownUs) => cameraUs - knownUs)
      .filter((us) => Math.abs(us - usualUs) <= SLEWED_US);
    this.#offsetUs = near[0] ?? (this.#isSure ? this.#offsetUs : usualUs);
    this.#isSure = true;
  }
}

/**
 * Whether a recorded key frame begins what follows the gap. A camera that is connected again begins with its newest group of
 * pictures, at once: these are recorded up to some seconds later than they were made.
 */
function isBehind(knownUs: number, timeUs: number, { toUs }: Interval): boolean {
  return knownUs >= toUs && Math.abs(knownUs - timeUs) <= LATE_US_MAX;
}

export function digestOf(pieces: Iterable<Uint8Array>): string {
  const digest = createHash("sha1");
  for (const piece of pieces) digest.update(piece);
  return digest.digest("base64");
}

/** How far beside a gap recorded pictures are looked at. */
export const BESIDE_US = 5 * US_PER_SECOND;
