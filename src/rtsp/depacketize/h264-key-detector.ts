import type { KeyDetector } from "./nal-assembler.js";

const IDR_SLICE = 5;
const SEI = 6;
const LAST_SLICE = 5;
/** SEI payload type of a recovery point (ITU-T H.264, D.1.8). */
const RECOVERY_POINT = 6;
/** How far into an SEI unit the recovery point is searched. */
const SEI_SEARCH_BYTES_MAX = 512;

/**
 * An access unit of H.264 is a random access point when it is an IDR picture, or when all its slices are I slices and a
 * recovery point SEI says that decoding can start there (recovery_frame_cnt 0): cameras with open GOPs do so. Once a
 * track has had such a key frame, an I slice without the SEI is a sign of another, whose SEI was lost.
 */
export class H264KeyDetector implements KeyDetector {
  #idr = false;
  #recoveryPoint = false;
  #intraOnly = true;
  #intraSeen = false;
  #openGops = false;

  get key(): boolean {
    return this.#idr || (this.#recoveryPoint && this.#intraOnly);
  }

  get keySign(): boolean {
    return this.#idr || this.#recoveryPoint || this.#intraSeen;
  }

  get needsSlices(): boolean {
    return this.#recoveryPoint || this.#openGops;
  }

  isKeyFragment(type: number): boolean {
    return type === IDR_SLICE || this.#openGops;
  }

  begin(): void {
    this.#openGops ||= this.key && !this.#idr && this.#intraSeen;
    this.#idr = false;
    this.#recoveryPoint = false;
    this.#intraOnly = true;
    this.#intraSeen = false;
  }

  see(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === IDR_SLICE) this.#idr = true;
    else if (type === SEI) this.#recoveryPoint ||= holdsRecoveryPoint(buffer, start + 1, end);
    else if (type <= LAST_SLICE && this.needsSlices) {
      const intra = isIntraSlice(buffer, start + 1, end);
      this.#intraOnly &&= intra;
      this.#intraSeen ||= intra;
    }
  }
}

/** Walks the messages of a SEI unit (ITU-T H.264, 7.3.2.3). Whether one is a recovery point with recovery_frame_cnt 0. */
function holdsRecoveryPoint(buffer: Buffer, start: number, unitEnd: number): boolean {
  const end = Math.min(unitEnd, start + SEI_SEARCH_BYTES_MAX);
  let at = start;
  while (at + 2 < end) {
    let type = 0;
    for (; at < end && buffer[at] === 0xff; at += 1) type += 255;
    type += buffer[at] ?? 0;
    at += 1;
    let size = 0;
    for (; at < end && buffer[at] === 0xff; at += 1) size += 255;
    size += buffer[at] ?? 0;
    at += 1;
    if (type === RECOVERY_POINT) return at < end && ((buffer[at] ?? 0) & 0x80) !== 0;
    at = skipPayload(buffer, at, end, size);
  }
  return false;
}

/** Position after `size` bytes of payload, not counting emulation prevention bytes. */
function skipPayload(buffer: Buffer, start: number, end: number, size: number): number {
  let at = start;
  let zeros = 0;
  for (let left = size; left > 0 && at < end; at += 1) {
    const byte = buffer[at];
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    left -= 1;
  }
  return at;
}

/** slice_type I or SI (ITU-T H.264, 7.3.3, table 7-6): first_mb_in_slice and slice_type, both ue(v). */
function isIntraSlice(buffer: Buffer, start: number, end: number): boolean {
  let position = 0;
  const bitsMax = Math.min(end - start, 8) * 8;
  const bit = (): number => {
    const value =
      position < bitsMax ? ((buffer[start + (position >> 3)] ?? 0) >> (7 - (position & 7))) & 1 : 1;
    position += 1;
    return value;
  };
  const golomb = (): number => {
    let zeros = 0;
    while (bit() === 0) zeros += 1;
    let value = 1;
    for (; zeros > 0; zeros -= 1) value = value * 2 + bit();
    return value - 1;
  };
  golomb();
  const type = golomb() % 5;
  return position <= bitsMax && (type === 2 || type === 4);
}
