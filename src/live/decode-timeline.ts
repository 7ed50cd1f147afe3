import { REORDER_DEPTH_MAX } from "./codec/h264-sps.js";

/** Frame distance assumed before the stream has shown its own. */
const FRAME_US_ASSUMED = 40_000;
/** A presentation time further back than this is not a B-frame: the clock was set back. */
const REORDER_SPAN_US_MAX = 2_000_000;
/** A presentation time further ahead than this restarts the timeline: decode times taken from old times would be wrong. */
const GAP_US_MAX = 5_000_000;

/** Times of one frame in media time. */
export interface DecodeTime {
  readonly decodeUs: number;
  /** Presentation less decode time, never negative. */
  readonly presentationOffsetUs: number;
}

/**
 * Gives decode times to frames that arrive in decoding order with presentation times only (RTP carries no others).
 *
 * With a reorder depth of d, the d + 1 newest presentation times are kept sorted, and a frame's decode time is the
 * least of them: the n-th frame is decoded when the n-th picture, delayed by d, is shown (the rule of ffmpeg's
 * compute_muxer_pkt_fields). No frame is delayed. Decode times increase strictly until the media clock itself goes
 * back.
 */
export class DecodeTimeline {
  #statedDepth: number;
  #depth: number;
  /** The newest presentation times, ascending, at most depth + 1. */
  #window: number[] = [];
  #newestUs = Number.NEGATIVE_INFINITY;
  #previousUs = Number.NEGATIVE_INFINITY;
  #decodeUs = Number.NEGATIVE_INFINITY;
  /** NaN at first, so that V8 expects no small integers. */
  readonly #time = { decodeUs: Number.NaN, presentationOffsetUs: Number.NaN };

  /** `reorderDepth`: frames the stream says it reorders by; 0 when it does not say. */
  constructor(reorderDepth = 0) {
    this.#statedDepth = clampDepth(reorderDepth);
    this.#depth = this.#statedDepth;
  }

  /** The depth in use: what the stream states, or more where it has shown more. */
  get depth(): number {
    return this.#depth;
  }

  /** Takes the depth of new parameter sets. It never shrinks below what the stream has shown it needs. */
  setReorderDepth(reorderDepth: number): void {
    this.#statedDepth = clampDepth(reorderDepth);
    this.#depth = Math.max(this.#depth, this.#statedDepth);
  }

  /** Forgets the times so far, for a new source or after a jump. */
  restart(): void {
    this.#window = [];
    this.#depth = this.#statedDepth;
    this.#newestUs = Number.NEGATIVE_INFINITY;
    this.#previousUs = Number.NEGATIVE_INFINITY;
    this.#decodeUs = Number.NEGATIVE_INFINITY;
  }

  /** Decode time of the next frame in decoding order; the object is reused for the next one. `key`: no later frame is shown before it. */
  next(presentationUs: number, key: boolean): DecodeTime {
    if (this.#jumps(presentationUs, key)) this.restart();
    if (this.#window.length === 0) this.#fill(presentationUs);
    this.#learn(presentationUs);
    this.#insert(presentationUs);
    const decodeUs = Math.max(this.#window[0] ?? presentationUs, this.#decodeUs + 1);
    this.#decodeUs = decodeUs;
    this.#previousUs = presentationUs;
    this.#newestUs = Math.max(this.#newestUs, presentationUs);
    const time = this.#time;
    time.decodeUs = decodeUs;
    time.presentationOffsetUs = Math.max(0, presentationUs - decodeUs);
    return time;
  }

  /**
   * Whether the media clock was set: normally a key frame is shown after all frames before it, and a B-frame not long
   * before its neighbours.
   */
  #jumps(presentationUs: number, key: boolean): boolean {
    if (this.#window.length === 0) return false;
    if (key && presentationUs < this.#newestUs) return true;
    const stepUs = presentationUs - this.#previousUs;
    return stepUs > GAP_US_MAX || stepUs < -REORDER_SPAN_US_MAX;
  }

  #fill(presentationUs: number): void {
    for (let index = this.#depth; index >= 0; index -= 1) {
      this.#window.push(presentationUs - (index + 1) * FRAME_US_ASSUMED);
    }
  }

  /** Inserts the time in order and removes the earliest. */
  #insert(presentationUs: number): void {
    const window = this.#window;
    // Times move within it, so that nothing is allocated for a frame.
    if (window.length <= this.#depth) window.push(presentationUs);
    else for (let at = 1; at < window.length; at += 1) window[at - 1] = window[at] ?? 0;
    let index = window.length - 1;
    for (; index > 0; index -= 1) {
      const before = window[index - 1] ?? 0;
      if (before <= presentationUs) break;
      window[index] = before;
    }
    window[index] = presentationUs;
  }

  /** A frame needs a depth of as many frames as were decoded before it and are shown after it. */
  #learn(presentationUs: number): void {
    const window = this.#window;
    let later = 0;
    // By index: an iterator puts each time into an object.
    for (let at = 0; at < window.length; at += 1) if ((window[at] ?? 0) > presentationUs) later += 1;
    this.#depth = Math.max(this.#depth, Math.min(later, REORDER_DEPTH_MAX));
  }
}

function clampDepth(depth: number): number {
  return Math.min(Math.max(0, Math.floor(depth)), REORDER_DEPTH_MAX);
}
