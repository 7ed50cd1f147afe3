import {
  type Guid,
  guidFromBytes,
  guidToBytes,
  NvrdError,
  parseGuid,
  STREAM_TYPES,
} from "../../base/index.js";
import { packGopTable, pushVarint, readVarint, unpackGopTable } from "../segment/gop-table.js";
import type { SegmentSummary } from "../segment/segment-summary.js";
import { EPOCH_MAX, TIME_US_MAX } from "./index-keys.js";

/** Longest segment the index takes; a query looks no further back than this for the segment that holds a time. */
export const SEGMENT_DURATION_MAX_US = 10 * 60_000_000;
/** Most GOPs of one segment: an intra-only stream of 100 frames a second for its ten minutes. */
export const SEGMENT_GOPS_MAX = 60_000;

const GUID_BYTES = 16;
const FLAG_ID_BEFORE_START = 1;
const FLAG_BOOT_INLINE = 2;

/** Where the record's numbers stand for GUIDs. A boot number of undefined puts the boot id into the record. */
export interface RecordNumbers {
  readonly volume: number;
  readonly boot: number | undefined;
}

/**
 * A segment's index record: epoch, flags, volume number, boot number or id, distance of segment id and start, fragment
 * sequence, duration, bytes, frames (varints), fragment id, GOP table. Start and stream stand in the key.
 */
export function packRecord(summary: SegmentSummary, numbers: RecordNumbers): Buffer {
  const idDistance = summary.segmentId - summary.fromUs;
  const head: number[] = [];
  pushVarint(head, summary.epoch);
  pushVarint(
    head,
    (idDistance < 0 ? FLAG_ID_BEFORE_START : 0) + (numbers.boot === undefined ? FLAG_BOOT_INLINE : 0),
  );
  pushVarint(head, numbers.volume);
  if (numbers.boot === undefined) head.push(...guidToBytes(summary.bootId));
  else pushVarint(head, numbers.boot);
  pushVarint(head, Math.abs(idDistance));
  pushVarint(head, summary.fragmentSequence);
  pushVarint(head, summary.toUs - summary.fromUs);
  pushVarint(head, summary.bytes);
  pushVarint(head, summary.videoFrames);
  pushVarint(head, summary.audioFrames);
  return Buffer.concat([
    Uint8Array.from(head),
    guidToBytes(summary.fragmentId),
    packGopTable(summary.gops, summary.fromUs),
  ]);
}

export interface SegmentRecord extends Omit<SegmentSummary, "key" | "volumeId" | "bootId"> {
  readonly volume: number;
  readonly boot: number | Guid;
}

/**
 * Reads what `packRecord` wrote, the table of GOPs only where it is asked for: it is most of the work. Throws RangeError on bytes it cannot
 * have written.
 */
export function unpackRecord(value: Uint8Array, fromUs: number, withGops = true): SegmentRecord {
  const cursor = { at: 0 };
  const epoch = readVarint(value, cursor);
  const flags = readVarint(value, cursor);
  const volume = readVarint(value, cursor);
  const boot = (flags & FLAG_BOOT_INLINE) !== 0 ? readGuid(value, cursor) : readVarint(value, cursor);
  const idDistance = readVarint(value, cursor);
  const fragmentSequence = readVarint(value, cursor);
  const toUs = fromUs + readVarint(value, cursor);
  const bytes = readVarint(value, cursor);
  const videoFrames = readVarint(value, cursor);
  const audioFrames = readVarint(value, cursor);
  const fragmentId = readGuid(value, cursor);
  const gops = withGops ? unpackGopTable(value.subarray(cursor.at), fromUs) : [];
  const segmentId = fromUs + ((flags & FLAG_ID_BEFORE_START) !== 0 ? -idDistance : idDistance);
  return {
    epoch,
    volume,
    boot,
    segmentId,
    fragmentId,
    fragmentSequence,
    fromUs,
    toUs,
    bytes,
    videoFrames,
    audioFrames,
    gops,
  };
}

/** The epoch alone: cheap, for scans that look for one. */
export function recordEpoch(value: Uint8Array): number {
  return readVarint(value, { at: 0 });
}

function readGuid(value: Uint8Array, cursor: { at: number }): Guid {
  if (cursor.at + GUID_BYTES > value.length) throw new RangeError("index record is torn");
  const guid = guidFromBytes(value, cursor.at);
  cursor.at += GUID_BYTES;
  return guid;
}

/**
 * The index's door: refuses what its records cannot represent. Throws NvrdError INTERNAL that names the segment and the member.
 */
export function checkSummary(summary: SegmentSummary): void {
  const refuse = (reason: string): never => {
    throw new NvrdError("INTERNAL", `segment ${summary.segmentId} cannot be indexed: ${reason}`);
  };
  const counts = [
    summary.segmentId,
    summary.fragmentSequence,
    summary.epoch,
    summary.fromUs,
    summary.toUs,
    summary.bytes,
    summary.videoFrames,
    summary.audioFrames,
  ];
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) refuse("a number is out of range");
  if (summary.epoch > EPOCH_MAX || summary.toUs > TIME_US_MAX) refuse("a number is out of range");
  if (summary.toUs <= summary.fromUs) refuse("it ends before it starts");
  if (summary.toUs - summary.fromUs > SEGMENT_DURATION_MAX_US) refuse("it is longer than ten minutes");
  if (summary.gops.length > SEGMENT_GOPS_MAX) refuse("it has too many GOPs");
  const guids = [summary.volumeId, summary.fragmentId, summary.bootId, summary.key.channelId];
  if (!guids.every((guid) => parseGuid(guid) === guid)) refuse("an id is no GUID");
  if (!STREAM_TYPES.includes(summary.key.streamType)) refuse("its stream type is unknown");
  let beforeUs = summary.fromUs;
  for (const gop of summary.gops) {
    if (!(gop.decodeTimeUs >= beforeUs && gop.decodeTimeUs <= summary.toUs)) refuse("a GOP lies outside it");
    beforeUs = gop.decodeTimeUs;
  }
}
