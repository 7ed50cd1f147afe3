import { PROGRESS_BYTES_MAX, SegmentFormatError, TRAILER_BYTES } from "../segment/segment-format.js";
import { closedProgress, readFraming } from "../segment/segment-scan.js";
import type { GopEntry } from "../segment/segment-summary.js";

/** The end that holds any footer. */
export const TAIL_BYTES_MAX = PROGRESS_BYTES_MAX + TRAILER_BYTES + 1024;

/**
 * The GOP table of a closed segment of which both ends were read, for a segment that begins at `fromUs`: the file of a redated one has
 * the times of before. Undefined where the ends do not hold it.
 */
export function gopsOfEnds(
  { bytes, fromUs }: { readonly bytes: number; readonly fromUs: number },
  head: Buffer,
  tail: Buffer,
): readonly GopEntry[] | undefined {
  const tailFrom = bytes - tail.length;
  const read = (position: number, length: number): Buffer => {
    const from = position - tailFrom;
    return from >= 0 ? tail.subarray(from, from + length) : head.subarray(position, position + length);
  };
  try {
    const source = { bytes, read };
    const framing = readFraming(source);
    const shiftUs = fromUs - framing.fromUs;
    const gops = closedProgress(source, framing)?.gops;
    return gops?.map((gop) => ({ ...gop, decodeTimeUs: gop.decodeTimeUs + shiftUs }));
  } catch (error) {
    if (error instanceof SegmentFormatError) return undefined;
    throw error;
  }
}
