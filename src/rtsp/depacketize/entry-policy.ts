import { US_PER_SECOND } from "../../base/index.js";

/** How well decoding can begin with a picture, the best last. */
export type EntryRank = 0 | 1 | 2 | 3;
/** It refers to pictures before it. What it shows becomes right where the camera refreshes the picture piece by piece. */
export const ANY_PICTURE = 0 satisfies EntryRank;
/** All of it is coded by itself; pictures after it may refer to pictures before it. */
export const INTRA_PICTURE = 1 satisfies EntryRank;
/** The camera says that pictures are right some pictures after it. */
export const RECOVERY_POINT = 2 satisfies EntryRank;
/** A key frame: nothing after it refers to anything before it. */
export const CLEAN_ENTRY = 3 satisfies EntryRank;

/** How long a track waits for a key frame, from its first picture on, before it begins with less: by rank, 0 for at once. */
export const FIRST_ENTRY_WAIT_US: readonly [any: number, intra: number, recovery: number] = [
  20 * US_PER_SECOND,
  3 * US_PER_SECOND,
  0,
];
/** The same from a key frame on: what goes on can be decoded, and lacks places to begin at. */
export const NEXT_ENTRY_WAIT_US: readonly [any: number, intra: number, recovery: number] = [
  180 * US_PER_SECOND,
  15 * US_PER_SECOND,
  15 * US_PER_SECOND,
];
/** Least time between such places once a track is known to have nothing better. */
export const ENTRY_GAP_US: readonly [any: number, intra: number, recovery: number] = [
  10 * US_PER_SECOND,
  US_PER_SECOND,
  US_PER_SECOND,
];
/** A camera whose key frames are known to be this many times rarer is waited for. */
const KEY_INTERVALS_WAITED = 1.5;
const ANY_WAIT_US_MAX = 120 * US_PER_SECOND;

/**
 * Decides with which pictures recording and viewers may begin. Key frames are; where a camera sends none for too long, the next best
 * is taken: recovery points, then pictures without references, then any. A picture that is asked about costs a comparison; time is
 * looked at on the tick.
 */
export class EntryPolicy {
  readonly #anyWaitUs: number;
  readonly #onUnclean: (isUnclean: boolean) => void;
  /** The least rank that is taken now. */
  #least: EntryRank = RECOVERY_POINT;
  /** What the track was begun with last, if that was no key frame. */
  #habit: EntryRank | undefined;
  #hasEntry = false;
  #sinceUs: number | undefined;
  #wasRefused = false;
  #wasTaken = false;

  /**
   * `keyIntervalUs`: how far apart the camera's key frames are, where that is known. `onUnclean`: called when the track begins to be
   * entered by less than key frames, and when a key frame came again.
   */
  constructor(onUnclean: (isUnclean: boolean) => void = () => undefined, keyIntervalUs = 0) {
    this.#onUnclean = onUnclean;
    this.#anyWaitUs = Math.min(
      Math.max(FIRST_ENTRY_WAIT_US[0], KEY_INTERVALS_WAITED * keyIntervalUs),
      ANY_WAIT_US_MAX,
    );
  }

  /** Whether slices have to be looked at, as pictures without references are looked for. */
  get needsSlices(): boolean {
    return this.#least <= INTRA_PICTURE;
  }

  /** Whether the track begins with key frames alone, as far as is known. */
  get isClean(): boolean {
    return this.#habit === undefined;
  }

  /** Whether a whole picture of this rank is one to begin with. Notes it. */
  takes(rank: EntryRank): boolean {
    if (rank < this.#least) {
      this.#wasRefused = true;
      return false;
    }
    this.#wasTaken = true;
    this.#hasEntry = true;
    this.#least = CLEAN_ENTRY;
    const habit = rank === CLEAN_ENTRY ? undefined : rank;
    if ((habit === undefined) !== this.isClean) this.#onUnclean(habit !== undefined);
    this.#habit = habit;
    return true;
  }

  /** `nowUs`: monotonic time. */
  onTick(nowUs: number): void {
    if (this.#wasTaken) {
      this.#wasTaken = false;
      this.#sinceUs = nowUs;
    }
    if (!this.#wasRefused) return;
    this.#sinceUs ??= nowUs;
    const waitedUs = nowUs - this.#sinceUs;
    if (waitedUs >= this.#waitUs(RECOVERY_POINT)) this.#least = lower(this.#least, RECOVERY_POINT);
    if (waitedUs >= this.#waitUs(INTRA_PICTURE)) this.#least = lower(this.#least, INTRA_PICTURE);
    if (waitedUs >= this.#waitUs(ANY_PICTURE)) this.#least = ANY_PICTURE;
  }

  #waitUs(rank: 0 | 1 | 2): number {
    // What is better than the track's habit is taken as soon.
    if (this.#habit !== undefined && rank >= this.#habit) return ENTRY_GAP_US[rank];
    if (this.#hasEntry)
      return Math.max(NEXT_ENTRY_WAIT_US[rank], rank === ANY_PICTURE ? 2 * this.#anyWaitUs : 0);
    return rank === ANY_PICTURE ? this.#anyWaitUs : FIRST_ENTRY_WAIT_US[rank];
  }
}

function lower(one: EntryRank, other: EntryRank): EntryRank {
  return one < other ? one : other;
}
