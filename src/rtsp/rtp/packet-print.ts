/** RTP's fixed header (RFC 3550, 5.1): of it, sequence number and SSRC are known to be equal where prints are compared. */
const HEADER_BYTES = 12;
const WORD_BYTES = 4;
/** Words that a print looks at; of a payload that is shorter, all bytes. */
const WORDS = 4;
const FACTOR = 0x9e3779b1;

/**
 * A number that equal RTP packets `bytes[start .. end)` of one source and sequence number have in common, and others with all
 * likelihood do not: of time, length, marker, and words at both ends of the packet; `isWhole`: of all its bytes. native/packet/fragment_run.cc
 * makes the same of the packets of a run.
 */
export function packetPrint(bytes: Buffer, start: number, end: number, isWhole: boolean): number {
  const payload = start + HEADER_BYTES;
  const length = end - payload;
  const head = ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0);
  let print = mixed(readU32(bytes, start + 4), (length << 16) | head);
  if (length < WORDS * WORD_BYTES) {
    for (let at = payload; at < end; at += 1) print = mixed(print, bytes[at] ?? 0);
    return print;
  }
  if (isWhole) {
    for (let at = payload; at < end - WORD_BYTES; at += WORD_BYTES) print = mixed(print, readU32(bytes, at));
    return mixed(print, readU32(bytes, end - WORD_BYTES));
  }
  // Beside the packet's own header and the next one's, which are read anyway: what lies between is not in the processor's cache.
  const last = end - WORD_BYTES;
  print = mixed(mixed(print, readU32(bytes, last)), readU32(bytes, last - WORD_BYTES));
  return mixed(mixed(print, readU32(bytes, payload)), readU32(bytes, payload + WORD_BYTES));
}

/** Likewise of all bytes, and of the source. */
export function sourcePrint(bytes: Buffer, start: number, end: number): number {
  return mixed(packetPrint(bytes, start, end, true), readU32(bytes, start + 8));
}

function mixed(print: number, word: number): number {
  const product = Math.imul(print ^ word, FACTOR);
  return ((product << 13) | (product >>> 19)) >>> 0;
}

function readU32(bytes: Buffer, at: number): number {
  const high = ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16);
  return high | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}
