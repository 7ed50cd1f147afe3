import {
  HEADER_BYTES_MAX,
  isRecordHeader,
  isRecordWhole,
  NONCE_BYTES,
  PROGRESS_BYTES_MAX,
  RECORD_HEADER_BYTES,
  RecordKind,
  readRecordHeader,
  readSegmentFraming,
  readTrailer,
  SegmentFormatError,
  type SegmentFraming,
  type SegmentProgress,
  TRAILER_BYTES,
  unpackProgress,
} from "./segment-format.js";
import type { GopEntry } from "./segment-summary.js";

/** A segment file to look through. */
export interface SegmentSource {
  readonly bytes: number;
  /** Up to `length` bytes from `position`; fewer at the end of the file. Valid until the next call. */
  read(position: number, length: number): Buffer;
}

const FIRST_READ_BYTES = 4096;
const SEARCH_WINDOW_BYTES = 256 * 1024;
/** Most marks of one segment: two a second of a segment of the greatest length, twice over. */
const MARKS_MAX = 1024;

export function readFraming(source: SegmentSource): SegmentFraming {
  const first = source.read(0, FIRST_READ_BYTES);
  const headerBytes = first.length >= 16 ? first.readUInt32LE(12) : 0;
  const all =
    headerBytes > first.length && headerBytes <= HEADER_BYTES_MAX ? source.read(0, headerBytes) : first;
  return readSegmentFraming(all);
}

export type RecordState = "whole" | "payload-damaged" | "none";

/** What lies at `position`: a whole record, one with a good header and a bad payload, or none. */
export function recordAt(
  source: SegmentSource,
  framing: SegmentFraming,
  position: number,
): {
  state: RecordState;
  kind: RecordKind;
  bytes: number;
  codec: number;
  flags: number;
  decodeTimeUs: number;
} {
  const header = source.read(position, RECORD_HEADER_BYTES);
  if (!isRecordHeader(header, 0, framing.crcSeed)) return NO_RECORD;
  const fields = readRecordHeader(header, 0);
  const bytes = RECORD_HEADER_BYTES + fields.payloadBytes;
  const record = source.read(position, bytes);
  const whole = record.length === bytes && isRecordWhole(record, 0, framing.crcSeed);
  const state = whole ? "whole" : position + bytes <= source.bytes ? "payload-damaged" : "none";
  const { kind, codec, flags, decodeTimeUs } = fields;
  return { state, kind, bytes, codec, flags, decodeTimeUs };
}

const NO_RECORD = {
  state: "none",
  kind: RecordKind.FRAME,
  bytes: 0,
  codec: 0,
  flags: 0,
  decodeTimeUs: 0,
} as const;

/** The progress record (mark or footer) at `position`; undefined when there is none that is whole. */
export function progressAt(
  source: SegmentSource,
  framing: SegmentFraming,
  position: number,
  kind: RecordKind,
): SegmentProgress | undefined {
  const header = source.read(position, RECORD_HEADER_BYTES);
  if (!isRecordHeader(header, 0, framing.crcSeed)) return undefined;
  const fields = readRecordHeader(header, 0);
  if (fields.kind !== kind || fields.payloadBytes > PROGRESS_BYTES_MAX) return undefined;
  const record = source.read(position, RECORD_HEADER_BYTES + fields.payloadBytes);
  if (record.length < RECORD_HEADER_BYTES + fields.payloadBytes) return undefined;
  if (!isRecordWhole(record, 0, framing.crcSeed)) return undefined;
  try {
    const progress = unpackProgress(record.subarray(RECORD_HEADER_BYTES), framing);
    const numbers = [progress.syncedBytes, progress.previousMark, progress.toUs];
    return numbers.some(Number.isNaN) || progress.syncedBytes > position ? undefined : progress;
  } catch (error) {
    if (error instanceof SegmentFormatError) return undefined; // of another segment or torn: as good as absent
    throw error;
  }
}

/** Footer of a closed file; undefined when the file was not closed. */
export function closedProgress(source: SegmentSource, framing: SegmentFraming): SegmentProgress | undefined {
  if (source.bytes < framing.headerBytes + TRAILER_BYTES) return undefined;
  const offset = readTrailer(source.read(source.bytes - TRAILER_BYTES, TRAILER_BYTES), framing.crcSeed);
  if (offset === undefined || offset < framing.headerBytes || offset > source.bytes) return undefined;
  return progressAt(source, framing, offset, RecordKind.FOOTER);
}

/** Searches backwards for the last whole sync mark; its offset and what it says. */
export function findLastMark(
  source: SegmentSource,
  framing: SegmentFraming,
): { offset: number; progress: SegmentProgress } | undefined {
  let end = source.bytes;
  while (end > framing.headerBytes) {
    const start = Math.max(framing.headerBytes, end - SEARCH_WINDOW_BYTES);
    for (const offset of noncesBetween(source, framing, start, end).reverse()) {
      const progress = progressAt(source, framing, offset, RecordKind.SYNC_MARK);
      if (progress !== undefined) return { offset, progress };
    }
    end = start;
  }
  return undefined;
}

/** The next whole sync mark that starts at `from` or later, before `limit`. */
export function findNextMark(
  source: SegmentSource,
  framing: SegmentFraming,
  from: number,
  limit: number,
): number | undefined {
  for (let start = from; start < limit; start += SEARCH_WINDOW_BYTES) {
    for (const offset of noncesBetween(
      source,
      framing,
      start,
      Math.min(limit, start + SEARCH_WINDOW_BYTES),
    )) {
      if (progressAt(source, framing, offset, RecordKind.SYNC_MARK) !== undefined) return offset;
    }
  }
  return undefined;
}

/** Offsets in `[start, end)` where a record with the segment's nonce would begin, rising. */
function noncesBetween(source: SegmentSource, framing: SegmentFraming, start: number, end: number): number[] {
  const window = source.read(start, end - start + RECORD_HEADER_BYTES + NONCE_BYTES);
  const offsets: number[] = [];
  let at = window.indexOf(framing.nonce, RECORD_HEADER_BYTES);
  while (at >= 0) {
    const offset = start + at - RECORD_HEADER_BYTES;
    if (offset < end) offsets.push(offset);
    at = window.indexOf(framing.nonce, at + 1);
  }
  return offsets;
}

/**
 * The GOPs before the last mark's `syncedBytes`, gathered by walking the chain of marks back; undefined when
 * a mark of the chain is damaged.
 */
export function gopsOfChain(
  source: SegmentSource,
  framing: SegmentFraming,
  last: { offset: number; progress: SegmentProgress },
): GopEntry[] | undefined {
  const chain: SegmentProgress[] = [last.progress];
  let offset = last.offset;
  let previous = last.progress.previousMark;
  while (previous !== 0) {
    if (previous >= offset || previous < framing.headerBytes || chain.length >= MARKS_MAX) return undefined;
    const progress = progressAt(source, framing, previous, RecordKind.SYNC_MARK);
    if (progress === undefined) return undefined;
    chain.push(progress);
    offset = previous;
    previous = progress.previousMark;
  }
  const gops: { decodeTimeUs: number; offset: number; frames: number; damaged: boolean }[] = [];
  for (const progress of chain.reverse()) {
    const newest = gops.at(-1);
    if (newest !== undefined) {
      newest.frames += progress.continuedFrames;
      newest.damaged ||= progress.continuedDamaged;
    }
    for (const gop of progress.gops) gops.push({ ...gop });
  }
  return gops;
}
