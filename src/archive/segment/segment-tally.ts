import { FLAG_DAMAGED, FLAG_KEY, isAudioCodecNumber } from "./segment-format.js";
import type { GopEntry } from "./segment-summary.js";

/** Duration taken for a frame before two have been seen. */
export const FRAME_DURATION_DEFAULT_US = 40_000;
const FRAME_DURATION_MIN_US = 1_000;
/** A camera of less than one frame a second still ends its fragment within a second. */
const FRAME_DURATION_MAX_US = 1_000_000;

interface MutableGop {
  decodeTimeUs: number;
  offset: number;
  frames: number;
  damaged: boolean;
}

export interface TalliedFrame {
  readonly codec: number;
  readonly flags: number;
  readonly decodeTimeUs: number;
}

/** A moment of a tally, to say later what had been counted then. */
export interface TallyMark {
  readonly bytes: number;
  readonly toUs: number;
  readonly videoFrames: number;
  readonly audioFrames: number;
  readonly gops: number;
  /** Frames of the newest GOP then. */
  readonly newestGopFrames: number;
  readonly newestGopDamaged: boolean;
}

/** Counts a segment's frames into what footer, sync marks and index say of them; the writer and recovery share it. */
export class SegmentTally {
  readonly fromUs: number;
  #toUs: number;
  #videoFrames = 0;
  #audioFrames = 0;
  readonly #gops: MutableGop[] = [];
  #lastVideoUs: number;
  #frameDurationUs: number;

  constructor(fromUs: number, frameDurationUs = FRAME_DURATION_DEFAULT_US) {
    this.fromUs = fromUs;
    this.#toUs = fromUs;
    this.#lastVideoUs = fromUs;
    this.#frameDurationUs = frameDurationUs;
  }

  /** End of the last frame: its decode time and the time its like have lasted. */
  get toUs(): number {
    return this.#toUs;
  }

  /** Decode time of the last video frame; the beginning while there is none. */
  get lastUs(): number {
    return this.#lastVideoUs;
  }

  get frameDurationUs(): number {
    return this.#frameDurationUs;
  }

  get videoFrames(): number {
    return this.#videoFrames;
  }

  get audioFrames(): number {
    return this.#audioFrames;
  }

  get gops(): readonly GopEntry[] {
    return this.#gops;
  }

  /** Counts a frame whose record starts at `offset`. */
  add(frame: TalliedFrame, offset: number): void {
    if (isAudioCodecNumber(frame.codec)) {
      // Sound does not say how far a recording goes: the next picture may lie before it.
      this.#audioFrames += 1;
      return;
    }
    const key = (frame.flags & FLAG_KEY) !== 0;
    const damaged = (frame.flags & FLAG_DAMAGED) !== 0;
    if (this.#videoFrames > 0) this.#measure(frame.decodeTimeUs - this.#lastVideoUs);
    this.#videoFrames += 1;
    this.#lastVideoUs = frame.decodeTimeUs;
    this.#toUs = Math.max(this.#toUs, frame.decodeTimeUs + this.#frameDurationUs);
    const newest = this.#gops.at(-1);
    if (key && frame.decodeTimeUs >= (newest?.decodeTimeUs ?? this.fromUs)) {
      this.#gops.push({ decodeTimeUs: frame.decodeTimeUs, offset, frames: 1, damaged });
    } else if (newest !== undefined) {
      newest.frames += 1;
      if (damaged) newest.damaged = true;
    }
  }

  /** Bytes of the newest GOP are missing. */
  markDamaged(): void {
    const newest = this.#gops.at(-1);
    if (newest !== undefined) newest.damaged = true;
  }

  /** Goes on from what sync marks say: a tally of everything before `mark.bytes`. */
  restore(state: {
    toUs: number;
    videoFrames: number;
    audioFrames: number;
    gops: readonly GopEntry[];
  }): void {
    this.#toUs = state.toUs;
    this.#videoFrames = state.videoFrames;
    this.#audioFrames = state.audioFrames;
    this.#gops.length = 0;
    for (const gop of state.gops) this.#gops.push({ ...gop });
    this.#lastVideoUs = Math.max(this.fromUs, state.toUs - this.#frameDurationUs);
  }

  at(bytes: number): TallyMark {
    const newest = this.#gops.at(-1);
    return {
      bytes,
      toUs: this.#toUs,
      videoFrames: this.#videoFrames,
      audioFrames: this.#audioFrames,
      gops: this.#gops.length,
      newestGopFrames: newest?.frames ?? 0,
      newestGopDamaged: newest?.damaged ?? false,
    };
  }

  /** GOPs that began between two moments, as they stood at the later one. */
  gopsBetween(earlier: TallyMark | undefined, later: TallyMark): GopEntry[] {
    const gops = this.#gops.slice(earlier?.gops ?? 0, later.gops).map((gop) => ({ ...gop }));
    const newest = gops.at(-1);
    if (newest !== undefined) {
      newest.frames = later.newestGopFrames;
      newest.damaged = later.newestGopDamaged;
    }
    return gops;
  }

  /** Frames that the newest GOP of `earlier` gained until `later`, and whether it is damaged by then. */
  continuedBetween(earlier: TallyMark | undefined, later: TallyMark): { frames: number; damaged: boolean } {
    if (earlier === undefined || earlier.gops === 0) return { frames: 0, damaged: false };
    if (earlier.gops === later.gops) {
      return { frames: later.newestGopFrames - earlier.newestGopFrames, damaged: later.newestGopDamaged };
    }
    const gop = this.#gops[earlier.gops - 1];
    return { frames: (gop?.frames ?? 0) - earlier.newestGopFrames, damaged: gop?.damaged ?? false };
  }

  #measure(deltaUs: number): void {
    if (deltaUs >= FRAME_DURATION_MIN_US) this.#frameDurationUs = Math.min(deltaUs, FRAME_DURATION_MAX_US);
  }
}
