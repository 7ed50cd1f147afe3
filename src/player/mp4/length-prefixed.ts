const SHORT_START_CODE = Buffer.from([0, 0, 1]);
const LONG_START_CODE = Buffer.from([0, 0, 0, 1]);

/** Bytes of the length before each NAL unit, as in the decoder configuration. */
export const NAL_LENGTH_BYTES = 4;

/**
 * Converts an access unit from Annex B (ITU-T H.264, B.1) to the form of ISO base media files (ISO/IEC 14496-15,
 * 5.3.4.2.1): each NAL unit has a length before it instead of a start code. Four-byte start codes, as in frames, are
 * overwritten **in place**, so the caller must own `unit`. If there is a three-byte start code, the result is a copy.
 *
 * `growthBytesMax`: if a copy would be longer by more than this, three-byte start codes stay in the NAL unit before
 * them.
 */
export function lengthPrefixed(unit: Buffer, growthBytesMax = Number.POSITIVE_INFINITY): Buffer {
  if (hasLongStartCodesOnly(unit)) return prefixInPlace(unit);
  const copy = prefixCopy(unit);
  return copy.length - unit.length > growthBytesMax ? prefixLong(unit) : copy;
}

/** Whether the unit begins with a four-byte start code and has no shorter one. */
function hasLongStartCodesOnly(unit: Buffer): boolean {
  let at = unit.indexOf(SHORT_START_CODE);
  if (at !== 1) return false;
  for (; at >= 0; at = unit.indexOf(SHORT_START_CODE, at + SHORT_START_CODE.length)) {
    if (unit[at - 1] !== 0) return false;
  }
  return true;
}

function prefixInPlace(unit: Buffer): Buffer {
  let start = unit.indexOf(LONG_START_CODE);
  while (start >= 0) {
    const next = unit.indexOf(LONG_START_CODE, start + NAL_LENGTH_BYTES);
    unit.writeUInt32BE((next < 0 ? unit.length : next) - start - NAL_LENGTH_BYTES, start);
    start = next;
  }
  return unit;
}

/** Bytes before the first four-byte start code are dropped. */
function prefixLong(unit: Buffer): Buffer {
  const start = unit.indexOf(LONG_START_CODE);
  return start < 0 ? unit.subarray(0, 0) : prefixInPlace(unit.subarray(start));
}

function prefixCopy(unit: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (const nal of nalUnitsOf(unit)) {
    const length = Buffer.alloc(NAL_LENGTH_BYTES);
    length.writeUInt32BE(nal.length, 0);
    pieces.push(length, nal);
  }
  return Buffer.concat(pieces);
}

/**
 * The NAL units of Annex B bytes, as views. Start codes have three or four bytes; zero bytes after a NAL unit, bytes
 * before the first start code and empty units are left out.
 */
export function nalUnitsOf(unit: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let code = unit.indexOf(SHORT_START_CODE);
  while (code >= 0) {
    const start = code + SHORT_START_CODE.length;
    code = unit.indexOf(SHORT_START_CODE, start);
    let end = code < 0 ? unit.length : code;
    while (end > start && unit[end - 1] === 0) end -= 1;
    if (end > start) units.push(unit.subarray(start, end));
  }
  return units;
}
