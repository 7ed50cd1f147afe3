import { createHash } from "node:crypto";
import { type Interval, US_PER_MS, US_PER_SECOND } from "../../base/index.js";

/** The camera reports its clock in whole seconds, and its answer takes a while. */
const OFFSET_FAULT_US = 1_500_000;
/** Where no frame is known from before, so much is left free at both ends, so that nothing is doubled. */
export const UNSURE_US = OFFSET_FAULT_US;
/** Times of one frame, here and there, differ by less than this. */
const JITTER_US = 40 * US_PER_MS;
/**
 * How much later than it was made a picture may be recorded: a camera that is connected begins with old ones. A card may have it as
 * late: that of a recorder does.
 */
export const LATE_US_MAX = 4_000_000;
/** The same of a picture that is known beyond doubt: on a machine with much other work it waits in buffers on its way. */
const LATE_UNIQUE_US_MAX = 15_000_000;
/** What slewing may change of the offset within the pictures before a gap. */
const SLEWED_US = 250 * US_PER_MS;
/** A frame this little before the gap is its first: its predecessor's length was a guess. */
const BARELY_US = 15 * US_PER_MS;
/** What a vote for an offset counts with each further known picture: a few new ones outvote any number of old ones. */
const VOTE_DECAY = 0.9;
const VOTE_COUNT_MIN = 0.01;

/** So many pictures in a row that are known from behind the gap end it, where their times alone would not. */
const RUN_MIN = 3;

/** Times of recorded pictures, by a digest of their bytes. */
export type KnownPictures = ReadonlyMap<string, readonly number[]>;

export interface GapEdgesOptions {
  readonly gap: Interval;
  /** Recorded beside the gap. */
  readonly known: KnownPictures;
  /** The camera's clock minus ours, as it was asked. */
  readonly offsetUs: number;
  /** That is exact to some milliseconds: it is another recorder's. Default: to a second, as cameras report it. */
  readonly isExact?: boolean;
}

/**
 * What becomes of a picture: it lies before the gap, belongs to it, or the gap is over. In doubt the next picture says it: where that
 * is inside, this one is too; where that is over, this one was.
 */
export type Place = "before" | "inside" | "doubtful" | "over";

/**
 * Puts what the camera kept between what is recorded. Pictures that are recorded already, found by their bytes, show the camera's
 * clock to the millisecond, and where the gap begins and ends: nothing is doubled. Without any, the clock as it was asked counts.
 */
export class GapEdges {
  readonly #options: GapEdgesOptions;
  /** Whether a picture behind the gap, of this encoding, will be known again beyond doubt. */
  readonly #hasBehind: boolean;
  /** Offsets that known pictures speak for, in steps of JITTER_US. */
  readonly #votes = new Map<number, { count: number; sumUs: number }>();
  /** Of the known pictures, those that were met. */
  readonly #met = new Set<string>();
  #firstCameraUs: number | undefined;
  #offsetUs: number;
  #isSure = false;
  /** The offset comes from a picture that is known beyond doubt. */
  #isCertain = false;
  #isInside = false;
  /** Pictures in a row that speak for one offset behind the gap. */
  #run = { offsetUs: 0, count: 0 };
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(options: GapEdgesOptions) {
    const { gap, known, offsetUs, isExact = false } = options;
    this.#options = options;
    this.#isSure = isExact;
    this.#offsetUs = offsetUs;
    this.#hasBehind = [...known.values()].some(
      ([timeUs = 0, ...others]) => others.length === 0 && timeUs >= gap.toUs,
    );
  }

  /** Whether the camera's clock is known by recorded pictures, or was reported exactly. */
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
    const { gap } = this.#options;
    this.#firstCameraUs ??= cameraUs;
    const { times, isUnique } = this.#meet(cameraUs, digest);
    const before = times.filter((knownUs) => knownUs < gap.toUs);
    if (!this.#isInside) this.#learn(cameraUs, before, isUnique);
    const timeUs = this.timeOf(cameraUs);
    const isSame = (knownUs: number): boolean => isUnique || Math.abs(knownUs - timeUs) <= this.#farUs;
    const behind = times.filter((knownUs) => knownUs >= gap.toUs);
    const isFound = behind.some((knownUs) => Math.abs(knownUs - timeUs) <= this.#farUs);
    if (isFound || timeUs >= gap.toUs + this.#overrunUs) return "over";
    const known = this.#knownBehind(cameraUs, behind, isUnique);
    if (known === "over") return "over";
    if (this.#isInside) return known;
    const freeUs = this.#isSure ? -BARELY_US : UNSURE_US;
    if (before.some(isSame) || !key || timeUs < gap.fromUs + freeUs) return "before";
    // The camera has nothing that begins within it.
    if (timeUs >= gap.toUs) return "over";
    this.#isInside = true;
    return known;
  }

  /**
   * A picture that is known from behind the gap, and recorded later or earlier than those before it: one may have its bytes by chance,
   * as small pictures of a still scene have; several in a row do not.
   */
  #knownBehind(
    cameraUs: number,
    behind: readonly number[],
    isUnique: boolean,
  ): "inside" | "doubtful" | "over" {
    const goesOn = behind.some((knownUs) => Math.abs(cameraUs - knownUs - this.#run.offsetUs) <= JITTER_US);
    if (this.#run.count > 0 && goesOn) this.#run.count += 1;
    else this.#run = { offsetUs: cameraUs - (behind[0] ?? 0), count: isUnique && behind.length > 0 ? 1 : 0 };
    if (this.#run.count === 0) return "inside";
    return this.#isSure && this.#run.count < RUN_MIN ? "doubtful" : "over";
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

  /** How far the times of one picture may be apart, where others have the same bytes. */
  get #farUs(): number {
    return this.#isSure ? 2 * JITTER_US : OFFSET_FAULT_US;
  }

  /**
   * When pictures of these bytes were recorded. Bytes that are recorded once, and met for the first time, leave no doubt: it is this
   * picture. Of a still scene many pictures have the same bytes.
   */
  #meet(cameraUs: number, digest: string): { readonly times: readonly number[]; readonly isUnique: boolean } {
    const known = this.#options.known.get(digest);
    if (known === undefined) return { times: [], isUnique: false };
    const isUnique = known.length === 1 && !this.#met.has(digest);
    this.#met.add(digest);
    const lateUsMax = isUnique ? LATE_UNIQUE_US_MAX : LATE_US_MAX;
    return { times: known.filter((knownUs) => this.#isPlausible(cameraUs, knownUs, lateUsMax)), isUnique };
  }

  /**
   * Whether a picture of a camera's time can have been recorded at another. One that was recorded earlier than the clock allows is on
   * the card late; then the playback has shown what was recorded meanwhile.
   */
  #isPlausible(cameraUs: number, knownUs: number, lateUsMax: number): boolean {
    const faultUs = cameraUs - knownUs - this.#options.offsetUs;
    if (Math.abs(faultUs) > OFFSET_FAULT_US + lateUsMax) return false;
    return faultUs <= OFFSET_FAULT_US || cameraUs - (this.#firstCameraUs ?? cameraUs) >= faultUs;
  }

  #learn(cameraUs: number, times: readonly number[], isUnique: boolean): void {
    const offsets = times.map((knownUs) => cameraUs - knownUs);
    const [nearest] = offsets.sort(
      (one, other) => Math.abs(one - this.#offsetUs) - Math.abs(other - this.#offsetUs),
    );
    if (nearest === undefined) return;
    if (!isUnique) {
      // One picture of several with the same bytes confirms what is known, or shows it where nothing else does.
      const isFar = this.#isSure && Math.abs(nearest - this.#offsetUs) > SLEWED_US;
      if (this.#isCertain || isFar) return;
    } else if (!this.#isCertain) {
      this.#isCertain = true;
      this.#votes.clear();
    }
    this.#vote(nearest);
    const [best] = [...this.#votes.values()].sort((one, other) => other.count - one.count);
    if (best === undefined) return;
    const usualUs = best.sumUs / best.count;
    // The recording's own clock is still being slewed when a camera was connected shortly before: the newest picture counts.
    if (Math.abs(nearest - usualUs) <= SLEWED_US) this.#offsetUs = nearest;
    else if (!this.#isSure) this.#offsetUs = usualUs;
    this.#isSure = true;
  }

  /** A camera that was connected again shortly before the gap has another offset from there on. */
  #vote(offsetUs: number): void {
    for (const [step, vote] of this.#votes) {
      vote.count *= VOTE_DECAY;
      vote.sumUs *= VOTE_DECAY;
      if (vote.count < VOTE_COUNT_MIN) this.#votes.delete(step);
    }
    const step = Math.round(offsetUs / JITTER_US);
    const vote = this.#votes.get(step) ?? { count: 0, sumUs: 0 };
    vote.count += 1;
    vote.sumUs += offsetUs;
    this.#votes.set(step, vote);
  }
}

export function digestOf(pieces: Iterable<Uint8Array>): string {
  const digest = createHash("sha1");
  for (const piece of pieces) digest.update(piece);
  return digest.digest("base64");
}

/** How far beside a gap recorded pictures are looked at. */
export const BESIDE_US = 5 * US_PER_SECOND;
