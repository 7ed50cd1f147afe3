/**
 * The bytes of a segment file, as `docs/design/archive.md` lists them: the fixed part of the header, record
 * headers, sync marks, footer, trailer. Little-endian throughout. Times are Unix microseconds in 64 bits.
 *
 * Loaded by the volume threads, which stay small: imports nothing but Node's own modules and the GOP table.
 */
import { crc32 } from "node:zlib";
import type { GopEntry } from "./gop-table.js";
import { packGopTable, unpackGopTable } from "./gop-table.js";

export const SEGMENT_FORMAT_VERSION = 1;
export const SEGMENT_MAGIC = Buffer.from([0x89, 0x4e, 0x56, 0x52, 0x53, 0x45, 0x47, 0x0a]);
export const TRAILER_MAGIC = Buffer.from([0x89, 0x4e, 0x56, 0x52, 0x45, 0x4e, 0x44, 0x0a]);

/** Bytes of the header before the variable codec parameters. */
export const HEADER_FIXED_BYTES = 152;
export const HEADER_CRC_BYTES = 4;
/** Most bytes of decoder initialisation data kept per format; what is longer stands in the key frames only. */
export const INITIALIZATION_BYTES_MAX = 32 * 1024;
export const HEADER_BYTES_MAX = HEADER_FIXED_BYTES + 2 * INITIALIZATION_BYTES_MAX + HEADER_CRC_BYTES;

export const RECORD_HEADER_BYTES = 28;
/** Most payload bytes of one record; a longer frame is not recorded. */
export const RECORD_PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;
export const TRAILER_BYTES = 28;
/** Random bytes of each segment that its sync marks begin with: payload can neither guess nor repeat them. */
export const NONCE_BYTES = 8;

export const RecordKind = { FRAME: 1, SYNC_MARK: 2, FOOTER: 3 } as const;
export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];

/** Flag of a header. */
export const FLAG_PROVISIONAL = 1;

export const FLAG_KEY = 1;
export const FLAG_DAMAGED = 2;
/** Frame.undecodable: nobody is served it. */
export const FLAG_UNDECODABLE = 4;

/** The flags of a frame's record. */
export function frameFlags(frame: {
  readonly key: boolean;
  readonly damaged: boolean;
  readonly undecodable: boolean;
}): number {
  return (
    (frame.key ? FLAG_KEY : 0) |
    (frame.damaged ? FLAG_DAMAGED : 0) |
    (frame.undecodable ? FLAG_UNDECODABLE : 0)
  );
}

/** Codec numbers from here on are audio (live/codec/codec.ts). */
const FIRST_AUDIO_CODEC = 16;

export function isAudioCodecNumber(codec: number): boolean {
  return codec >= FIRST_AUDIO_CODEC;
}

const TWO_TO_32 = 0x1_0000_0000;

export function writeU64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % TWO_TO_32, at);
  bytes.writeUInt32LE(Math.floor(value / TWO_TO_32), at + 4);
}

/** A 64-bit number; NaN when it is beyond what a double holds exactly (never written, so damage). */
export function readU64(bytes: Buffer, at: number): number {
  const value = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * TWO_TO_32;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

/** What the volume threads need of a header: enough to check and walk the records. */
export interface SegmentFraming {
  readonly segmentId: number;
  /** Bytes of the whole header: offset of the first record. */
  readonly headerBytes: number;
  readonly nonce: Buffer;
  /** CRC-32 over segment id and nonce: the starting value of every CRC of the file. */
  readonly crcSeed: number;
  readonly fromUs: number;
  /** Provisional minus monotonic time; undefined for a segment whose clock was known. */
  readonly provisionalOffsetUs: number | undefined;
}

export class SegmentFormatError extends Error {
  /** Whether the file is of a newer format rather than damaged. */
  readonly newer: boolean;

  constructor(message: string, newer = false) {
    super(message);
    this.name = "SegmentFormatError";
    this.newer = newer;
  }
}

/** Reads and checks a whole header at the start of `bytes`. Throws SegmentFormatError with the reason. */
export function readSegmentFraming(bytes: Buffer): SegmentFraming {
  if (bytes.length < HEADER_FIXED_BYTES + HEADER_CRC_BYTES)
    throw new SegmentFormatError("header is cut short");
  if (!bytes.subarray(0, 8).equals(SEGMENT_MAGIC)) throw new SegmentFormatError("not a segment file");
  const version = bytes.readUInt32LE(8);
  if (version > SEGMENT_FORMAT_VERSION) {
    throw new SegmentFormatError(`segment format ${version} is newer than ${SEGMENT_FORMAT_VERSION}`, true);
  }
  if (version === 0) throw new SegmentFormatError("segment format 0 does not exist");
  const headerBytes = bytes.readUInt32LE(12);
  if (headerBytes < HEADER_FIXED_BYTES + HEADER_CRC_BYTES || headerBytes > HEADER_BYTES_MAX) {
    throw new SegmentFormatError(`header length ${headerBytes} is out of range`);
  }
  if (headerBytes > bytes.length) throw new SegmentFormatError("header is cut short");
  const crc = crc32(bytes.subarray(0, headerBytes - HEADER_CRC_BYTES));
  if (crc !== bytes.readUInt32LE(headerBytes - HEADER_CRC_BYTES))
    throw new SegmentFormatError("header fails its CRC");
  const segmentId = readU64(bytes, 16);
  const fromUs = readU64(bytes, 112);
  if (Number.isNaN(segmentId) || Number.isNaN(fromUs))
    throw new SegmentFormatError("header times are out of range");
  return {
    segmentId,
    headerBytes,
    nonce: Buffer.from(bytes.subarray(24, 24 + NONCE_BYTES)),
    crcSeed: crc32(bytes.subarray(16, 24 + NONCE_BYTES)),
    fromUs,
    provisionalOffsetUs: isProvisional(bytes) ? readU64(bytes, 120) - readU64(bytes, 128) : undefined,
  };
}

/** Whether a header says that its times were taken before the clock was known. */
export function isProvisional(header: Buffer): boolean {
  return ((header[108] ?? 0) & FLAG_PROVISIONAL) !== 0;
}

export interface RecordFields {
  readonly kind: RecordKind;
  readonly payloadBytes: number;
  readonly codec: number;
  readonly flags: number;
  readonly presentationOffsetUs: number;
  readonly decodeTimeUs: number;
}

/** Writes a record header without its two CRCs, which the writer thread fills in (`sealRecord`). */
export function writeRecordHeader(bytes: Buffer, at: number, fields: RecordFields): void {
  bytes.writeUInt32LE(fields.payloadBytes, at + 4);
  bytes[at + 8] = fields.kind;
  bytes[at + 9] = fields.codec;
  bytes[at + 10] = fields.flags;
  bytes[at + 11] = 0;
  bytes.writeUInt32LE(fields.presentationOffsetUs, at + 12);
  writeU64(bytes, fields.decodeTimeUs, at + 16);
}

/** Checks the header's own CRC and ranges; false when it is not a record of this segment. */
export function isRecordHeader(bytes: Buffer, at: number, crcSeed: number): boolean {
  if (at + RECORD_HEADER_BYTES > bytes.length) return false;
  const kind = bytes[at + 8] ?? 0;
  if (kind < RecordKind.FRAME || kind > RecordKind.FOOTER) return false;
  if (bytes.readUInt32LE(at + 4) > RECORD_PAYLOAD_BYTES_MAX) return false;
  if (crc32(bytes.subarray(at + 4, at + 24), crcSeed) !== bytes.readUInt32LE(at)) return false;
  return !Number.isNaN(readU64(bytes, at + 16));
}

/** The fields of a checked record header. */
export function readRecordHeader(bytes: Buffer, at: number): RecordFields {
  return {
    kind: bytes[at + 8] as RecordKind,
    payloadBytes: bytes.readUInt32LE(at + 4),
    codec: bytes[at + 9] ?? 0,
    flags: bytes[at + 10] ?? 0,
    presentationOffsetUs: bytes.readUInt32LE(at + 12),
    decodeTimeUs: readU64(bytes, at + 16),
  };
}

export function writeRecordCrc(bytes: Buffer, at: number, crc: number): void {
  bytes.writeUInt32LE(crc, at + 24);
}

/** Whether the payload that follows a checked header at `at` is whole; it must lie in `bytes`. */
export function isRecordWhole(bytes: Buffer, at: number, crcSeed: number): boolean {
  const payloadBytes = bytes.readUInt32LE(at + 4);
  const start = at + RECORD_HEADER_BYTES;
  const crc = crc32(bytes.subarray(start, start + payloadBytes), crc32(bytes.subarray(at, at + 24), crcSeed));
  return crc === bytes.readUInt32LE(at + 24);
}

/** What a sync mark and the footer say of the file before them. */
export interface SegmentProgress {
  /** Bytes from the start of the file known to be on the disk; of the footer: the offset of the footer itself. */
  readonly syncedBytes: number;
  /** Offset of the sync mark before this one; 0 when there is none. */
  readonly previousMark: number;
  /** End of the last frame so far, Unix µs. */
  readonly toUs: number;
  readonly videoFrames: number;
  readonly audioFrames: number;
  /** Video frames since the previous mark that belong to the newest GOP of earlier marks. */
  readonly continuedFrames: number;
  readonly continuedDamaged: boolean;
  /** Mark: GOPs since the previous mark. Footer: all GOPs. */
  readonly gops: readonly GopEntry[];
}

const PROGRESS_FIXED_BYTES = NONCE_BYTES + 8 + 8 + 8 + 4 + 4 + 4 + 4;
/** Most bytes of a mark's or footer's payload that a reader takes: room for 8000 GOPs. */
export const PROGRESS_BYTES_MAX = 128 * 1024;

/** The payload of a sync mark or a footer. */
export function packProgress(
  progress: SegmentProgress,
  segment: { nonce: Uint8Array; fromUs: number },
): Buffer {
  const table = packGopTable(progress.gops, segment.fromUs);
  const bytes = Buffer.alloc(PROGRESS_FIXED_BYTES + table.length);
  bytes.set(segment.nonce, 0);
  writeU64(bytes, progress.syncedBytes, 8);
  writeU64(bytes, progress.previousMark, 16);
  writeU64(bytes, progress.toUs, 24);
  bytes.writeUInt32LE(progress.videoFrames, 32);
  bytes.writeUInt32LE(progress.audioFrames, 36);
  bytes.writeUInt32LE(progress.continuedFrames, 40);
  bytes.writeUInt32LE(progress.continuedDamaged ? 1 : 0, 44);
  bytes.set(table, PROGRESS_FIXED_BYTES);
  return bytes;
}

/** Reads what `packProgress` wrote. Throws SegmentFormatError when it cannot have. */
export function unpackProgress(payload: Buffer, segment: { nonce: Buffer; fromUs: number }): SegmentProgress {
  if (payload.length < PROGRESS_FIXED_BYTES || payload.length > PROGRESS_BYTES_MAX) {
    throw new SegmentFormatError("sync mark or footer has an impossible length");
  }
  if (!payload.subarray(0, NONCE_BYTES).equals(segment.nonce)) {
    throw new SegmentFormatError("sync mark or footer of another segment");
  }
  let gops: GopEntry[];
  try {
    gops = unpackGopTable(payload.subarray(PROGRESS_FIXED_BYTES), segment.fromUs);
  } catch (error) {
    throw new SegmentFormatError(`GOP table: ${error instanceof Error ? error.message : String(error)}`);
  }
  return {
    syncedBytes: readU64(payload, 8),
    previousMark: readU64(payload, 16),
    toUs: readU64(payload, 24),
    videoFrames: payload.readUInt32LE(32),
    audioFrames: payload.readUInt32LE(36),
    continuedFrames: payload.readUInt32LE(40),
    continuedDamaged: (payload.readUInt32LE(44) & 1) === 1,
    gops,
  };
}

/** The fixed end of a closed file: where its footer record starts. */
export function packTrailer(footerOffset: number, crcSeed: number): Buffer {
  const bytes = Buffer.alloc(TRAILER_BYTES);
  writeU64(bytes, footerOffset, 0);
  writeU64(bytes, 0, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 16), crcSeed), 16);
  bytes.set(TRAILER_MAGIC, 20);
  return bytes;
}

/** The footer's offset; undefined when the bytes are no trailer of this segment. */
export function readTrailer(bytes: Buffer, crcSeed: number): number | undefined {
  if (bytes.length < TRAILER_BYTES || !bytes.subarray(20, TRAILER_BYTES).equals(TRAILER_MAGIC))
    return undefined;
  if (crc32(bytes.subarray(0, 16), crcSeed) !== bytes.readUInt32LE(16)) return undefined;
  const offset = readU64(bytes, 0);
  return Number.isNaN(offset) ? undefined : offset;
}
