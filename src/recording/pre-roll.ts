import type { ByteBudget } from "../base/index.js";
import type { Frame } from "../live/index.js";

/** Most bytes of frames one stream keeps for a future recording; beyond them the oldest GOPs are dropped. */
const PRE_ROLL_BYTES_MAX = 32 * 1024 * 1024;
/** Most bytes of frames all streams keep together; a small machine has less (docs/design/memory.md). */
export const PRE_ROLL_TOTAL_BYTES_MAX = 512 * 1024 * 1024;

interface KeptGop {
  readonly frames: Frame[];
  /** Decode time of its key frame. */
  readonly fromUs: number;
  /** The key frame and some after it are recorded: these frames continue from there. */
  readonly continuesRecording: boolean;
  bytes: number;
}

/**
 * The newest frames of a stream that waits to be recorded, in whole GOPs that reach `keepUs` back from the newest
 * frame; with 0 only the current GOP. The first one may be the rest of a GOP whose beginning is recorded already.
 */
export class PreRoll {
  /** How far back a recording may begin, microseconds. */
  keepUs = 0;
  readonly #budget: ByteBudget;
  #gops: KeptGop[] = [];
  #bytes = 0;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the frames continue the last recorded ones without a gap. */
  get continuesRecording(): boolean {
    return this.#gops[0]?.continuesRecording === true;
  }

  /** The frames that come belong to a GOP that is recorded up to here. */
  continueFrom(keyUs: number): void {
    this.clear();
    this.#gops.push({ frames: [], fromUs: keyUs, continuesRecording: true, bytes: 0 });
  }

  /** Keeps a frame; those before the first key frame are dropped. False when frames were dropped for lack of memory. */
  push(frame: Frame): boolean {
    const isKey = frame.key && !frame.isAudio;
    if (isKey)
      this.#gops.push({ frames: [], fromUs: frame.decodeTimeUs, continuesRecording: false, bytes: 0 });
    if (this.#gops.length === 0) return true;
    const fits = this.#makeRoom(frame.byteLength);
    const gop = this.#gops.at(-1);
    if (gop === undefined) return false;
    frame.retain();
    gop.frames.push(frame);
    gop.bytes += frame.byteLength;
    this.#bytes += frame.byteLength;
    this.#budget.take(frame.byteLength);
    if (!frame.isAudio) this.#trim(frame.decodeTimeUs - this.keepUs);
    return fits;
  }

  /** Decode time of the first picture of a recording from `fromUs`; undefined while there is none. */
  startUs(fromUs: number): number | undefined {
    for (const { frames } of this.#gops.slice(this.#indexOf(fromUs)))
      for (const frame of frames) if (!frame.isAudio) return frame.decodeTimeUs;
    return undefined;
  }

  /** Hands over all from the last key frame at or before `fromUs` on, or else all there is, and keeps nothing. */
  drain(fromUs: number, take: (frame: Frame) => void): void {
    const gops = this.#gops.slice(this.#indexOf(fromUs));
    try {
      for (const gop of gops) for (const frame of gop.frames) take(frame);
    } finally {
      this.clear();
    }
  }

  /** Drops the rest of the partly recorded GOP, including its frames still to come. */
  forgetRest(): void {
    if (this.continuesRecording) this.#dropFirst();
  }

  clear(): void {
    while (this.#gops.length > 0) this.#dropFirst();
  }

  #indexOf(fromUs: number): number {
    let index = 0;
    while ((this.#gops[index + 1]?.fromUs ?? Number.POSITIVE_INFINITY) <= fromUs) index += 1;
    return index;
  }

  /** Drops the oldest GOPs until so many bytes fit, finally the current one. False when any was dropped. */
  #makeRoom(bytes: number): boolean {
    let fits = true;
    while (this.#gops.length > 0 && !this.#hasRoom(bytes)) {
      fits = false;
      this.#dropFirst();
    }
    return fits;
  }

  #hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= PRE_ROLL_BYTES_MAX && this.#budget.hasRoom(bytes);
  }

  #trim(neededUs: number): void {
    while ((this.#gops[1]?.fromUs ?? Number.POSITIVE_INFINITY) <= neededUs) this.#dropFirst();
  }

  #dropFirst(): void {
    const gop = this.#gops.shift();
    if (gop === undefined) return;
    this.#bytes -= gop.bytes;
    this.#budget.giveBack(gop.bytes);
    for (const frame of gop.frames) frame.release();
  }
}
