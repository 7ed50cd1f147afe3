import {
  ANY_PICTURE,
  CLEAN_ENTRY,
  type EntryPolicy,
  type EntryRank,
  INTRA_PICTURE,
  RECOVERY_POINT,
} from "./entry-policy.js";
import type { KeyDetector } from "./nal-assembler.js";
import { findRecoveryPoint } from "./recovery-point.js";
import { SliceBits } from "./slice-bits.js";

const IDR_SLICE = 5;
const SEI = 6;
const LAST_SLICE = 5;

/**
 * An access unit of H.264 is a key frame when it is an IDR picture, or when all its slices are I slices and a recovery
 * point SEI says that decoding can start there (recovery_frame_cnt 0): cameras with open GOPs do so. Once a
 * track has had such a key frame, an I slice without the SEI is a sign of another, whose SEI was lost. Another recovery point, or a
 * picture of I slices alone, is the next best to begin with.
 */
export class H264KeyDetector implements KeyDetector {
  readonly #entries: EntryPolicy;
  readonly #bits = new SliceBits();
  #idr = false;
  /** With recovery_frame_cnt 0. */
  #recoveryPoint = false;
  #laterRecovery = false;
  #intraOnly = true;
  #intraSeen = false;
  #openGops = false;

  constructor(entries: EntryPolicy) {
    this.#entries = entries;
  }

  get rank(): EntryRank {
    if (this.#idr || (this.#recoveryPoint && this.#intraOnly)) return CLEAN_ENTRY;
    if (this.#recoveryPoint || this.#laterRecovery) return RECOVERY_POINT;
    return this.#intraOnly && this.#intraSeen ? INTRA_PICTURE : ANY_PICTURE;
  }

  get keySign(): boolean {
    return this.#idr || this.#recoveryPoint || this.#intraSeen;
  }

  get needsSlices(): boolean {
    return this.#recoveryPoint || this.#openGops || this.#entries.needsSlices;
  }

  isKeyFragment(type: number): boolean {
    return type === IDR_SLICE || this.#openGops;
  }

  begin(): void {
    const isOpen = this.#recoveryPoint && this.#intraOnly && !this.#idr;
    this.#openGops ||= isOpen && this.#intraSeen;
    this.#idr = false;
    this.#recoveryPoint = false;
    this.#laterRecovery = false;
    this.#intraOnly = true;
    this.#intraSeen = false;
  }

  see(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === IDR_SLICE) this.#idr = true;
    else if (type === SEI) this.#seeRecoveryPoint(buffer, start + 1, end);
    else if (type <= LAST_SLICE && this.needsSlices) {
      const intra = this.#isIntraSlice(buffer, start + 1, end);
      this.#intraOnly &&= intra;
      this.#intraSeen ||= intra;
    }
  }

  /** recovery_frame_cnt is ue(v): a set bit is zero. */
  #seeRecoveryPoint(buffer: Buffer, start: number, end: number): void {
    const at = findRecoveryPoint(buffer, start, end);
    if (at === undefined) return;
    if (((buffer[at] ?? 0) & 0x80) !== 0) this.#recoveryPoint = true;
    else this.#laterRecovery = true;
  }

  /** slice_type I or SI (ITU-T H.264, 7.3.3, table 7-6): first_mb_in_slice and slice_type, both ue(v). */
  #isIntraSlice(buffer: Buffer, start: number, end: number): boolean {
    const bits = this.#bits;
    bits.begin(buffer, start, end);
    bits.golomb();
    const type = bits.golomb() % 5;
    return !bits.isOver && (type === 2 || type === 4);
  }
}
