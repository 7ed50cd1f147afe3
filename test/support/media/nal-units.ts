/** NAL units of an Annex B stream (H.264 B.1, H.265 B.2), without start codes and trailing zeros. */
export function splitNalUnits(annexB: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let from = -1;
  for (
    let at = annexB.indexOf("\0\0\x01", 0, "latin1");
    at >= 0;
    at = annexB.indexOf("\0\0\x01", at + 3, "latin1")
  ) {
    if (from >= 0) units.push(withoutTrailingZeros(annexB.subarray(from, at)));
    from = at + 3;
  }
  if (from >= 0) units.push(withoutTrailingZeros(annexB.subarray(from)));
  return units.filter((unit) => unit.length > 0);
}

function withoutTrailingZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

export function h264NalType(unit: Buffer): number {
  return (unit[0] ?? 0) & 31;
}

export function h265NalType(unit: Buffer): number {
  return ((unit[0] ?? 0) >> 1) & 63;
}

/** SPS or PPS: a recorder may repeat them. */
export function isH264ParameterSet(unit: Buffer): boolean {
  const type = h264NalType(unit);
  return type === 7 || type === 8;
}

/** VPS, SPS or PPS. */
export function isH265ParameterSet(unit: Buffer): boolean {
  const type = h265NalType(unit);
  return type >= 32 && type <= 34;
}

/** H.264 access units of a stream with one or more slices a picture (H.264, 7.4.1.2.3, as far as test clips need). */
export function h264AccessUnits(units: readonly Buffer[]): Buffer[][] {
  const accessUnits: Buffer[][] = [];
  let hasSlice = false;
  for (const unit of units) {
    const type = h264NalType(unit);
    const slice = type >= 1 && type <= 5;
    const firstSlice = slice && ((unit[1] ?? 0) & 0x80) !== 0;
    if (accessUnits.length === 0 || (hasSlice && (firstSlice || (type >= 6 && type <= 9)))) {
      accessUnits.push([]);
      hasSlice = false;
    }
    accessUnits.at(-1)?.push(unit);
    hasSlice ||= slice;
  }
  return accessUnits;
}
