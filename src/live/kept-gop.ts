import type { MediaFormat } from "./codec.js";
import { Frame, type FrameRange } from "./frame.js";
import type { Slab } from "./slab.js";

/**
 * Most bytes of the current GOP kept for new viewers; a longer GOP is dropped, as is any while memory for frames is
 * short, and a new viewer then waits for the next key frame.
 */
export const GOP_BYTES_MAX = 16 * 1024 * 1024;
/** The same, in frames: a minute of pictures and sound has some 5000. */
export const GOP_FRAMES_MAX = 16_384;

/** Of a frame: decode time, presentation offset, flags, and where the ranges of the next one begin. */
const NUMBERS_A_FRAME = 4;
/** Of a range in a slab: offset and length. */
const NUMBERS_A_RANGE = 2;
const ROOM_INITIAL = 64;

const KEY = 1;
const DAMAGED = 2;
const UNDECODABLE = 4;
const DISCONTINUITY = 8;

/**
 * A stream's frames since its newest key frame, as numbers and leases on slabs, from which frames are made anew when they are
 * asked for. Frames themselves would outlive V8's young generation, some hundred bytes each: with 64 cameras that makes a
 * megabyte of garbage a second, which lies in the heap until that has doubled.
 */
export class KeptGop {
  readonly #formats: MediaFormat[] = [];
  #numbers = new Float64Array(ROOM_INITIAL * NUMBERS_A_FRAME);
  #places = new Float64Array(ROOM_INITIAL * NUMBERS_A_RANGE);
  /** By range: its slab, or the memory of its own. Beyond `#rangeCount` there is neither. */
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #separate: (Uint8Array | undefined)[] = [];
  #length = 0;
  #rangeCount = 0;
  #byteLength = 0;

  /** Number of frames. */
  get length(): number {
    return this.#length;
  }

  hasRoomFor(frame: Frame): boolean {
    return this.#length < GOP_FRAMES_MAX && this.#byteLength + frame.byteLength <= GOP_BYTES_MAX;
  }

  /** Takes a lease on each of the frame's slabs, and none on the frame. */
  push(frame: Frame): void {
    for (const range of frame.ranges) this.#pushRange(range);
    const at = this.#length * NUMBERS_A_FRAME;
    if (at === this.#numbers.length) this.#numbers = twiceAsLong(this.#numbers);
    const numbers = this.#numbers;
    numbers[at] = frame.decodeTimeUs;
    numbers[at + 1] = frame.presentationOffsetUs;
    numbers[at + 2] = flagsOf(frame);
    numbers[at + 3] = this.#rangeCount;
    this.#formats[this.#length] = frame.format;
    this.#length += 1;
    this.#byteLength += frame.byteLength;
  }

  /** Frame `index`, with one lease for the caller. */
  frame(index: number): Frame {
    const at = index * NUMBERS_A_FRAME;
    const numbers = this.#numbers;
    const format = this.#formats[index];
    if (format === undefined || index >= this.#length) throw new RangeError(`no frame ${index} is kept`);
    const flags = numbers[at + 2] ?? 0;
    const firstRange = index === 0 ? 0 : (numbers[at - 1] ?? 0);
    return new Frame({
      format,
      decodeTimeUs: numbers[at] ?? 0,
      presentationOffsetUs: numbers[at + 1] ?? 0,
      key: (flags & KEY) !== 0,
      damaged: (flags & DAMAGED) !== 0,
      undecodable: (flags & UNDECODABLE) !== 0,
      discontinuity: (flags & DISCONTINUITY) !== 0,
      ranges: this.#ranges(firstRange, numbers[at + 3] ?? 0),
    });
  }

  clear(): void {
    for (let range = 0; range < this.#rangeCount; range++) {
      this.#slabs[range]?.release();
      this.#slabs[range] = undefined;
      this.#separate[range] = undefined;
    }
    this.#rangeCount = 0;
    this.#length = 0;
    this.#byteLength = 0;
  }

  #pushRange({ slab, bytes }: FrameRange): void {
    slab?.retain();
    const range = this.#rangeCount;
    this.#slabs[range] = slab;
    this.#separate[range] = slab === undefined ? bytes : undefined;
    const at = range * NUMBERS_A_RANGE;
    if (at === this.#places.length) this.#places = twiceAsLong(this.#places);
    this.#places[at] = bytes.byteOffset;
    this.#places[at + 1] = bytes.length;
    this.#rangeCount += 1;
  }

  #ranges(from: number, to: number): FrameRange[] {
    const ranges: FrameRange[] = [];
    for (let range = from; range < to; range++) {
      const slab = this.#slabs[range];
      const offset = this.#places[range * NUMBERS_A_RANGE] ?? 0;
      const length = this.#places[range * NUMBERS_A_RANGE + 1] ?? 0;
      const bytes = slab?.bytes.subarray(offset, offset + length) ?? this.#separate[range];
      if (bytes !== undefined) ranges.push({ slab, bytes });
    }
    return ranges;
  }
}

function flagsOf(frame: Frame): number {
  return (
    (frame.key ? KEY : 0) |
    (frame.damaged ? DAMAGED : 0) |
    (frame.undecodable ? UNDECODABLE : 0) |
    (frame.discontinuity ? DISCONTINUITY : 0)
  );
}

function twiceAsLong(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
