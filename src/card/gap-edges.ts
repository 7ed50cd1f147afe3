import { createHash } from "node:crypto";
import { US_PER_MS, US_PER_SECOND } from "../base/index.js";
import type { Interval } from "./gap.js";

/** The camera tells its clock in whole seconds, and its answer takes a while. */
const OFFSET_FAULT_US = 1_500_000;
/** Where no frame is known from before, so much is left free at both ends, so that nothing is doubled. */
export const UNSURE_US = OFFSET_FAULT_US;
/** Times of one frame, here and there, differ by less than this. */
const JITTER_US = 40 * US_PER_MS;
/** How much later than it was made a picture may be recorded: a camera that is connected begins with old ones. */
export const LATE_US_MAX = 4_000_000;
/** What slewing may change of the offset within the pictures before a gap. */
const SLEWED_US = 250 * US_PER_MS;
/** A frame this little before the gap is its first: its predecessor's length was a guess. */
const BARELY_US = 15 * US_PER_MS;
/** What a vote for an offset counts with each further known picture: a few new ones outvote any number of old ones. */
const VOTE_DECAY = 0.9;
const VOTE_COUNT_MIN = 0.01;

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
  /** Whether pictures behind the gap are known, if any of this encoding are. */
  readonly #hasBehind: boolean;
  /** Offsets that known pictures speak for, in steps of JITTER_US. */
  readonly #votes = new Map<number, { count: number; sumUs: number }>();
  #offsetUs: number;
  #isSure = false;
  #isInside = false;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(options: GapEdgesOptions) {
    const { gap, known, offsetUs } = options;
    this.#options = options;
    this.#offsetUs = offsetUs;
    this.#hasBehind = [...known.values()].some((times) => times.some((knownUs) => knownUs >= gap.toUs));
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
    const times = (known.get(digest) ?? []).filter((knownUs) => this.#isPlausible(cameraUs, knownUs));
    const before = times.filter((knownUs) => knownUs < gap.toUs);
    if (!this.#isInside) this.#learn(cameraUs, before);
    const timeUs = this.timeOf(cameraUs);
    if (times.some((knownUs) => knownUs >= gap.toUs && this.#isSame(knownUs, timeUs, times, key)))
      return "over";
    if (timeUs >= gap.toUs + this.#overrunUs) return "over";
    if (this.#isInside) return "inside";
    const isRecorded = before.some((knownUs) => this.#isSame(knownUs, timeUs, times, false));
    const freeUs = this.#isSure ? -BARELY_US : UNSURE_US;
    if (isRecorded || !key || timeUs < gap.fromUs + freeUs) return "before";
    this.#isInside = true;
    return "inside";
  }

  /** The decode time that a frame of the gap is recorded with: not before the gap, but maybe behind its end (`place`). */
  recordedUs(cameraUs: number): number {
    return Math.max(this.timeOf(cameraUs), this.#options.gap.fromUs);
  }

  /** As `recordedUs`, rising: for pictures. */
  nextPictureUs(cameraUs: number): number {
    this.#lastUs = Math.max(this.recordedUs(cameraUs), this.#lastUs + 1);
    return this.#lastUs;
  }

  /**
   * How far behind the gap's end, by its time, a picture still belongs to it. What is recorded before the gap may have later times
   * than what is behind it, by how late each was recorded. Where pictures behind it will be known again, those end the gap.
   */
  get #overrunUs(): number {
    if (!this.#isSure) return -UNSURE_US;
    return this.#hasBehind ? LATE_US_MAX : -BARELY_US;
  }

  /** Whether a picture of a camera's time can have been recorded at another: it is recorded late, never early. */
  #isPlausible(cameraUs: number, knownUs: number): boolean {
    const faultUs = cameraUs - knownUs - this.#options.offsetUs;
    return faultUs <= OFFSET_FAULT_US && faultUs >= -OFFSET_FAULT_US - LATE_US_MAX;
  }

  /**
   * Whether a picture of the same bytes, recorded at `knownUs`, is this one. Bytes that are recorded once leave no doubt; of a
   * still scene many pictures may have the same.
   */
  #isSame(knownUs: number, timeUs: number, times: readonly number[], isLate: boolean): boolean {
    if (times.length === 1) return true;
    const farUs = isLate ? LATE_US_MAX : this.#isSure ? 2 * JITTER_US : OFFSET_FAULT_US;
    return Math.abs(knownUs - timeUs) <= farUs;
  }

  #learn(cameraUs: number, times: readonly number[]): void {
    if (times.length === 0) return;
    const offsets = times.map((knownUs) => cameraUs - knownUs);
    this.#vote(offsets);
    const [best] = [...this.#votes.values()].sort((one, other) => other.count - one.count);
    if (best === undefined) return;
    const usualUs = best.sumUs / best.count;
    // The recording's own clock is still being slewed when a camera was connected shortly before: the newest picture counts.
    const near = offsets.find((us) => Math.abs(us - usualUs) <= SLEWED_US);
    this.#offsetUs = near ?? (this.#isSure ? this.#offsetUs : usualUs);
    this.#isSure = true;
  }

  /** A camera that was connected again shortly before the gap has another offset from there on. */
  #vote(offsets: readonly number[]): void {
    for (const [step, vote] of this.#votes) {
      vote.count *= VOTE_DECAY;
      vote.sumUs *= VOTE_DECAY;
      if (vote.count < VOTE_COUNT_MIN) this.#votes.delete(step);
    }
    for (const offsetUs of offsets) {
      const step = Math.round(offsetUs / JITTER_US);
      const vote = this.#votes.get(step) ?? { count: 0, sumUs: 0 };
      vote.count += 1;
      vote.sumUs += offsetUs;
      this.#votes.set(step, vote);
    }
  }
}

export function digestOf(pieces: Iterable<Uint8Array>): string {
  const digest = createHash("sha1");
  for (const piece of pieces) digest.update(piece);
  return digest.digest("base64");
}

/** How far beside a gap recorded pictures are looked at. */
export const BESIDE_US = 5 * US_PER_SECOND;
