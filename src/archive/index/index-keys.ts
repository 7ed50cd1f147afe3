import { US_PER_MINUTE } from "../../base/index.js";
import type { SegmentFile } from "../segment/segment-summary.js";

/**
 * Keys of the index's tables (docs/design/archive-index.md, Tables). All numbers are big-endian, so that LMDB's byte
 * order is the order of the numbers.
 */

export const EPOCH_MAX = 0xffff_ffff;
/** Latest time the index can name: the year 2255. */
export const TIME_US_MAX = Number.MAX_SAFE_INTEGER;

const TWO_POW_32 = 0x1_0000_0000;
export const SEGMENT_KEY_BYTES = 16;
export const FRAGMENT_KEY_BYTES = 16;

export interface SegmentPosition {
  readonly stream: number;
  readonly fromUs: number;
  /** Low 32 bits of the segment id: distinguishes segments of one stream that start in the same microsecond. */
  readonly tie: number;
}

/** Minute of `fromUs`, stream number, µs in the minute, low half of the segment id: commits append. */
export function segmentKey({ stream, fromUs, tie }: SegmentPosition): Buffer {
  const key = Buffer.allocUnsafe(SEGMENT_KEY_BYTES);
  key.writeUInt32BE(minuteOf(fromUs), 0);
  key.writeUInt32BE(stream, 4);
  key.writeUInt32BE(fromUs % US_PER_MINUTE, 8);
  key.writeUInt32BE(tie, 12);
  return key;
}

export function readSegmentKey(key: Buffer): SegmentPosition {
  return {
    fromUs: key.readUInt32BE(0) * US_PER_MINUTE + key.readUInt32BE(8),
    stream: key.readUInt32BE(4),
    tie: key.readUInt32BE(12),
  };
}

export function minuteOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_MINUTE);
}

export function tieOf(segmentId: number): number {
  return segmentId % TWO_POW_32;
}

export interface FragmentPosition {
  readonly stream: number;
  readonly epoch: number;
  readonly fromUs: number;
}

/** Stream number, epoch, start: the recorded order of one stream. */
export function fragmentKey({ stream, epoch, fromUs }: FragmentPosition): Buffer {
  const key = Buffer.allocUnsafe(FRAGMENT_KEY_BYTES);
  key.writeUInt32BE(stream, 0);
  key.writeUInt32BE(epoch, 4);
  writeUInt53BE(key, fromUs, 8);
  return key;
}

export function readFragmentKey(key: Buffer): FragmentPosition {
  return { stream: key.readUInt32BE(0), epoch: key.readUInt32BE(4), fromUs: readUInt53BE(key, 8) };
}

export function numberKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(number, 0);
  return key;
}

/** Day since 1970, stream number. */
export function dayKey(day: number, stream: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt32BE(day, 0);
  key.writeUInt32BE(stream, 4);
  return key;
}

export function readDayKey(key: Buffer): { day: number; stream: number } {
  return { day: key.readUInt32BE(0), stream: key.readUInt32BE(4) };
}

/** Volume number, segment id. */
export function unlinkKey(volume: number, file: SegmentFile): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeUInt32BE(volume, 0);
  writeUInt53BE(key, file.segmentId, 4);
  return key;
}

export function readUnlinkKey(key: Buffer): { volume: number; segmentId: number } {
  return { volume: key.readUInt32BE(0), segmentId: readUInt53BE(key, 4) };
}

/** A non-negative integer up to 2^53 - 1 in eight bytes. */
export function writeUInt53BE(target: Buffer, value: number, offset: number): void {
  target.writeUInt32BE(Math.floor(value / TWO_POW_32), offset);
  target.writeUInt32BE(value % TWO_POW_32, offset + 4);
}

/** Throws RangeError beyond 2^53 - 1. */
export function readUInt53BE(source: Buffer, offset: number): number {
  const value = source.readUInt32BE(offset) * TWO_POW_32 + source.readUInt32BE(offset + 4);
  if (!Number.isSafeInteger(value)) throw new RangeError("number is larger than 2^53");
  return value;
}
