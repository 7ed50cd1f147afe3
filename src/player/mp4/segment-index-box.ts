import { US_PER_SECOND } from "../../base/index.js";
import { fullBox, u16, u32, u64 } from "./box.js";

/** Most references of a `sidx` (ISO/IEC 14496-12, 8.16.3). */
export const INDEX_REFERENCES_MAX = 0xffff;
const REFERENCE_BYTES_MAX = 0x7fff_ffff;
const DURATION_TICKS_MAX = 0xffff_ffff;
const STARTS_WITH_KEY_FRAME = 0x9000_0000;
/** Candidate timescales: the first in which the longest reference fits is used. */
const TIMESCALES = [90_000, 10_000, 1000] as const;

/** One fragment. */
export interface IndexReference {
  readonly bytes: number;
  /** Up to the next one, including a gap between them. */
  readonly durationUs: number;
  /** It begins with a key frame from which decoding can start. */
  readonly key: boolean;
}

/**
 * The segment index of a fragmented movie, with which a player can seek without reading what is between. The referenced
 * fragments follow directly. Throws RangeError beyond the limits of the box.
 */
export function segmentIndexBox(trackId: number, references: readonly IndexReference[]): Buffer {
  if (references.length > INDEX_REFERENCES_MAX) throw new RangeError(`${references.length} fragments`);
  const longestUs = references.reduce((longest, { durationUs }) => Math.max(longest, durationUs), 0);
  const timescale = TIMESCALES.find((scale) => ticksOf(longestUs, scale) < DURATION_TICKS_MAX) ?? 1000;
  const table = Buffer.alloc(references.length * 12);
  let at = 0;
  let timeUs = 0;
  for (const { bytes, durationUs, key } of references) {
    if (bytes > REFERENCE_BYTES_MAX) throw new RangeError(`fragment of ${bytes} bytes`);
    const fromTicks = ticksOf(timeUs, timescale);
    timeUs += durationUs;
    at = table.writeUInt32BE(bytes, at);
    at = table.writeUInt32BE(Math.min(DURATION_TICKS_MAX, ticksOf(timeUs, timescale) - fromTicks), at);
    at = table.writeUInt32BE(key ? STARTS_WITH_KEY_FRAME : 0, at);
  }
  const head = [u32(trackId, timescale), u64(0, 0), u16(0, references.length)];
  return fullBox("sidx", { version: 1 }, ...head, table);
}

/** A time in ticks of a timescale; times below 0 become 0. */
export function ticksOf(timeUs: number, timescale: number): number {
  return Math.max(0, Math.round((timeUs * timescale) / US_PER_SECOND));
}
