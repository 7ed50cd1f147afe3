import { BitReader, rawPayload } from "../../live/index.js";
import {
  ANY_PICTURE,
  CLEAN_ENTRY,
  type EntryPolicy,
  type EntryRank,
  INTRA_PICTURE,
  RECOVERY_POINT,
} from "./entry-policy.js";
import type { KeyDetector } from "./nal-assembler.js";
import { type ParameterSets, PPS } from "./parameter-sets.js";
import { findRecoveryPoint } from "./recovery-point.js";
import { SliceBits } from "./slice-bits.js";

const IRAP_FIRST = 16;
/** The two last are reserved (ITU-T H.265, table 7-1): what a camera sends by them is an entry as much. */
const IRAP_LAST = 23;
const PICTURE_LAST = 31;
const PREFIX_SEI = 39;
const HEADER_BYTES = 2;
/** slice_type (ITU-T H.265, table 7-7). */
const I_SLICE = 2;
/** Bytes of a PPS in which the bits that matter here lie. */
const PPS_BYTES = 16;

/**
 * Every IRAP picture of H.265 is a key frame (ITU-T H.265, 3.69). A recovery point, or a picture that begins with an I slice, is the
 * next best to begin with.
 */
export class H265KeyDetector implements KeyDetector {
  readonly #entries: EntryPolicy;
  readonly #sets: ParameterSets;
  readonly #bits = new SliceBits();
  #irap = false;
  #recoveryPoint = false;
  #intra = false;

  constructor(entries: EntryPolicy, sets: ParameterSets) {
    this.#entries = entries;
    this.#sets = sets;
  }

  get rank(): EntryRank {
    if (this.#irap) return CLEAN_ENTRY;
    if (this.#recoveryPoint) return RECOVERY_POINT;
    return this.#intra ? INTRA_PICTURE : ANY_PICTURE;
  }

  begin(): void {
    this.#irap = false;
    this.#recoveryPoint = false;
    this.#intra = false;
  }

  get keySign(): boolean {
    return this.#irap;
  }

  get needsSlices(): boolean {
    return this.#entries.needsSlices;
  }

  isKeyFragment(type: number): boolean {
    return type >= IRAP_FIRST && type <= IRAP_LAST;
  }

  see(type: number, buffer: Buffer, start: number, end: number): void {
    if (this.isKeyFragment(type)) this.#irap = true;
    else if (type === PREFIX_SEI) {
      this.#recoveryPoint ||= findRecoveryPoint(buffer, start + HEADER_BYTES, end) !== undefined;
    } else if (type <= PICTURE_LAST && this.needsSlices) {
      this.#intra ||= this.#beginsWithIntraSlice(buffer, start + HEADER_BYTES, end);
    }
  }

  /** The slice header of a picture's first slice (ITU-T H.265, 7.3.6.1) up to slice_type. */
  #beginsWithIntraSlice(buffer: Buffer, start: number, end: number): boolean {
    const bits = this.#bits;
    bits.begin(buffer, start, end);
    if (bits.bit() === 0) return false;
    bits.skip(extraSliceHeaderBits(this.#sets.set(PPS, bits.golomb())));
    return bits.golomb() === I_SLICE && !bits.isOver;
  }
}

/** num_extra_slice_header_bits of a PPS (ITU-T H.265, 7.3.2.3.1); 0 where there is none. */
function extraSliceHeaderBits(pps: Buffer | undefined): number {
  if (pps === undefined) return 0;
  const reader = new BitReader(rawPayload(pps.subarray(0, PPS_BYTES), HEADER_BYTES));
  reader.unsignedGolomb();
  reader.unsignedGolomb();
  reader.bits(2);
  return reader.bits(3);
}
