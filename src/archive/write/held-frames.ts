/** What a volume accepts from its streams now: decided on the tick, used by the frame path. */
export const TakeLevel = {
  /** Every frame. */
  ALL: 0,
  /** Key frames only, at most one a second: the volume does not keep up (thinning). */
  KEY_FRAMES: 1,
  /** Nothing: whole GOPs are dropped. */
  NONE: 2,
} as const;
export type TakeLevel = (typeof TakeLevel)[keyof typeof TakeLevel];

/** Most bytes of frames that wait for one volume, those handed to its thread included. */
export const HELD_BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
/** Shares of the most that may be held: thinning begins above the first, dropping at the whole. */
export const THIN_ABOVE_SHARE = 0.5;
/** Dropping turns into thinning again below this share. */
export const THIN_AGAIN_BELOW_SHARE = 0.5;
/** Everything is taken again below this share; the gap to the first one keeps a volume from flapping. */
export const FULL_BELOW_SHARE = 0.25;

/**
 * Counts the frames that wait for one volume and says what it takes of its streams. All streams of the volume get the same level,
 * so that none is favoured.
 */
export class HeldFrames {
  readonly bytesMax: number;
  #bytes = 0;
  #level: TakeLevel = TakeLevel.ALL;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get level(): TakeLevel {
    return this.#level;
  }

  /** Counts a frame in; false when the volume holds as much as it may. From then on it takes nothing for a while. */
  admit(bytes: number): boolean {
    if (this.#bytes + bytes > this.bytesMax) {
      this.#level = TakeLevel.NONE;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  /** Counts a frame out that was written or released. */
  dismiss(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Decides the level again: on each tick, and when frames have been given back. */
  review(): void {
    const share = this.#bytes / this.bytesMax;
    if (share < FULL_BELOW_SHARE) this.#level = TakeLevel.ALL;
    else if (this.#level === TakeLevel.NONE) {
      if (share < THIN_AGAIN_BELOW_SHARE) this.#level = TakeLevel.KEY_FRAMES;
    } else if (share > THIN_ABOVE_SHARE) this.#level = TakeLevel.KEY_FRAMES;
  }
}
