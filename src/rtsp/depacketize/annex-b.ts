/** Longest sprop parameter that is parsed, and most NAL units taken from it. */
export const SPROP_CHARACTERS_MAX = 64 * 1024;
export const SPROP_UNITS_MAX = 64;

/** Length of the start code 00 00 01 that `findStartCode` finds. */
export const START_CODE_BYTES = 3;

/**
 * Calls `take` with each NAL unit of a sprop parameter: base64, separated by commas (RFC 6184, 8.1; RFC 7798, 7.1).
 * Some cameras include start codes: before a unit, or between several in one item.
 */
export function forEachSpropUnit(sprop: string | undefined, take: (nal: Buffer) => void): void {
  if (sprop === undefined || sprop.length > SPROP_CHARACTERS_MAX) return;
  let left = SPROP_UNITS_MAX;
  for (const item of sprop.split(",", SPROP_UNITS_MAX)) {
    for (const nal of splitAnnexB(Buffer.from(item.trim(), "base64"))) {
      if (left === 0) return;
      left -= 1;
      take(nal);
    }
  }
}

/** The NAL units in `bytes`, with or without start codes between them; zeros before a start code are left out. */
export function splitAnnexB(bytes: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const code = findStartCode(bytes, at, bytes.length);
    let end = code;
    if (code < bytes.length) while (end > at && bytes[end - 1] === 0) end -= 1;
    if (end > at) units.push(bytes.subarray(at, end));
    at = code + START_CODE_BYTES;
  }
  return units;
}

/** Position of the first 00 00 01 in `bytes[start .. end)`; `end` if there is none. */
export function findStartCode(bytes: Buffer, start: number, end: number): number {
  let at = start + 2;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte > 1) at += 3;
    else if (byte === 0) at += 1;
    else if (bytes[at - 1] === 0 && bytes[at - 2] === 0) return at - 2;
    else at += 3;
  }
  return end;
}
