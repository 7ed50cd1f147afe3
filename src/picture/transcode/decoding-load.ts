import { US_PER_SECOND } from "../../base/index.js";

/** Pictures are at most this many times further apart than wanted. */
export const DECODING_STRETCH_MAX = 50;
/** Below this part of the bound there is room for more pictures. */
const ROOM_SHARE = 0.7;
/** A step to fewer pictures, and one back to more. */
const MORE = 1.25;
const LESS = 0.95;
/** From here on far fewer pictures are looked at than wanted. */
const STRAINED_STRETCH = 2;

export interface DecodingLoadOptions {
  /** Of the codec; 0 while it is not loaded. */
  readonly threads: () => number;
  /** The largest share of the codec's threads, 0 to 1. */
  readonly shareMax: number;
}

/**
 * What all decoding for one purpose takes of the codec's threads, and how much fewer pictures than wanted are looked at, of all
 * streams alike, so that it stays within its bound: viewers and stills have the rest. Times are microseconds.
 */
export class DecodingLoad {
  readonly #options: DecodingLoadOptions;
  #busyUs = 0;
  #noted: { readonly busyUs: number; readonly atUs: number } | undefined;
  #stretch = 1;
  #share = 0;

  constructor(options: DecodingLoadOptions) {
    this.#options = options;
  }

  /** A stream's pictures took so much more processor time of the codec's threads. */
  note(us: number): void {
    this.#busyUs += Math.max(0, us);
  }

  /** To be called about once a second. */
  check(nowUs: number): void {
    const before = this.#noted ?? { busyUs: this.#busyUs, atUs: nowUs };
    const passedUs = nowUs - before.atUs;
    if (this.#noted !== undefined && passedUs < US_PER_SECOND / 2) return;
    this.#noted = { busyUs: this.#busyUs, atUs: nowUs };
    if (passedUs <= 0) return;
    const { threads, shareMax } = this.#options;
    this.#share = (this.#busyUs - before.busyUs) / (passedUs * Math.max(1, threads()));
    if (this.#share > shareMax) this.#stretch = Math.min(DECODING_STRETCH_MAX, this.#stretch * MORE);
    else if (this.#share < shareMax * ROOM_SHARE) this.#stretch = Math.max(1, this.#stretch * LESS);
  }

  /** How many times further apart pictures are than wanted. */
  get stretch(): number {
    return this.#stretch;
  }

  /** The share of the codec's threads in the last second, 0 to 1. */
  get share(): number {
    return this.#share;
  }

  /** Far fewer pictures are looked at than wanted: the machine is too slow for so many cameras. */
  get isStrained(): boolean {
    return this.#stretch >= STRAINED_STRETCH;
  }
}
