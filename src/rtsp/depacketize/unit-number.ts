import { SliceBits } from "./slice-bits.js";

/** Bytes of a decoding order number (RFC 6184, 5.5). */
export const DON_BYTES = 2;
const IDR_SLICE = 5;
const PICTURE_SETS_MAX = 256;

/**
 * Whether fragments of type FU-B have the number of their unit (RFC 6184, 5.8): by the standard first fragments have it and there are
 * no others of this type. Cameras send it for all fragments, with numbers or without. The slices of IDR pictures, whose headers are
 * easily known, show which it is.
 */
export class UnitNumber {
  readonly #bits = new SliceBits();
  #bytes: 0 | typeof DON_BYTES = DON_BYTES;
  #first = 0;
  #second = 0;

  /** Bytes of the number in a first fragment of a unit of `type`, whose bytes begin at `at`. */
  begin(type: number, buffer: Buffer, at: number, end: number): number {
    if (type === IDR_SLICE) {
      const isNumbered = this.#isIntraSlice(buffer, at + DON_BYTES, end);
      if (isNumbered !== this.#isIntraSlice(buffer, at, end)) this.#bytes = isNumbered ? DON_BYTES : 0;
    }
    this.#first = buffer[at] ?? 0;
    this.#second = buffer[at + 1] ?? 0;
    return this.#bytes;
  }

  /** Bytes of the number in a later fragment: it is that of the first, or there is none. */
  next(buffer: Buffer, at: number, end: number): number {
    if (at + DON_BYTES > end || this.#bytes === 0) return 0;
    return buffer[at] === this.#first && buffer[at + 1] === this.#second ? DON_BYTES : 0;
  }

  /** first_mb_in_slice, slice_type I or SI, pic_parameter_set_id (ITU-T H.264, 7.3.3). */
  #isIntraSlice(buffer: Buffer, at: number, end: number): boolean {
    const bits = this.#bits;
    bits.begin(buffer, at, end);
    bits.golomb();
    const type = bits.golomb();
    const isIntra = type < 10 && (type % 5 === 2 || type % 5 === 4);
    return isIntra && bits.golomb() < PICTURE_SETS_MAX && !bits.isOver;
  }
}
