import { crc32 } from "node:zlib";
import {
  type Guid,
  guidFromBytes,
  guidToBytes,
  NvrdError,
  STREAM_TYPES,
  type StreamKey,
} from "../../base/index.js";
import type { AudioFormat, Codec, VideoFormat } from "../../live/index.js";
import {
  FLAG_PROVISIONAL,
  HEADER_CRC_BYTES,
  HEADER_FIXED_BYTES,
  INITIALIZATION_BYTES_MAX,
  isProvisional,
  NONCE_BYTES,
  readSegmentFraming,
  readU64,
  SEGMENT_FORMAT_VERSION,
  SEGMENT_MAGIC,
  writeU64,
} from "./segment-format.js";

/** All that a segment's header says. */
export interface SegmentHeader {
  readonly segmentId: number;
  readonly nonce: Uint8Array;
  readonly volumeId: Guid;
  readonly key: StreamKey;
  readonly fragmentId: Guid;
  readonly fragmentSequence: number;
  readonly bootId: Guid;
  readonly epoch: number;
  /** The times of this segment were taken while the clock was not known to be set. */
  readonly provisional: boolean;
  /** How often the segment was moved to another volume: of two files of one segment, the one moved more often counts. */
  readonly moves: number;
  /** Decode time of the first frame. */
  readonly fromUs: number;
  /**
   * Wall clock and monotonic clock at creation. Of a provisional segment their difference is that of all its fragment's
   * times to the monotonic clock.
   */
  readonly createdWallUs: number;
  readonly createdMonotonicUs: number;
  readonly video: VideoFormat | undefined;
  readonly audio: AudioFormat | undefined;
}

const VOLUME_ID_AT = 32;
const MOVES_AT = 109;
const MOVES_MAX = 255;
const VIDEO_CODEC_AT = 136;
const AUDIO_CODEC_AT = 144;
const NO_BYTES = new Uint8Array(0);

/** The bytes of a header, CRC included. */
export function packSegmentHeader(header: SegmentHeader): Buffer {
  const videoInit = keptInitialization(header.video?.initialization);
  const audioInit = keptInitialization(header.audio?.initialization);
  const bytes = Buffer.alloc(HEADER_FIXED_BYTES + videoInit.length + audioInit.length + HEADER_CRC_BYTES);
  bytes.set(SEGMENT_MAGIC, 0);
  bytes.writeUInt32LE(SEGMENT_FORMAT_VERSION, 8);
  bytes.writeUInt32LE(bytes.length, 12);
  writeU64(bytes, header.segmentId, 16);
  bytes.set(header.nonce.subarray(0, NONCE_BYTES), 24);
  bytes.set(guidToBytes(header.volumeId), VOLUME_ID_AT);
  bytes.set(guidToBytes(header.key.channelId), 48);
  bytes[64] = STREAM_TYPES.indexOf(header.key.streamType);
  bytes.writeUInt32LE(header.fragmentSequence, 68);
  bytes.set(guidToBytes(header.fragmentId), 72);
  bytes.set(guidToBytes(header.bootId), 88);
  bytes.writeUInt32LE(header.epoch, 104);
  bytes[108] = header.provisional ? FLAG_PROVISIONAL : 0;
  bytes[MOVES_AT] = header.moves;
  writeU64(bytes, header.fromUs, 112);
  writeU64(bytes, header.createdWallUs, 120);
  writeU64(bytes, header.createdMonotonicUs, 128);
  if (header.video !== undefined) {
    bytes[VIDEO_CODEC_AT] = header.video.codec;
    bytes.writeUInt16LE(Math.min(header.video.width, 0xffff), 138);
    bytes.writeUInt16LE(Math.min(header.video.height, 0xffff), 140);
    bytes.writeUInt16LE(videoInit.length, 142);
  }
  if (header.audio !== undefined) {
    bytes[AUDIO_CODEC_AT] = header.audio.codec;
    bytes[145] = header.audio.channels;
    bytes.writeUInt16LE(audioInit.length, 146);
    bytes.writeUInt32LE(header.audio.sampleRate, 148);
  }
  bytes.set(videoInit, HEADER_FIXED_BYTES);
  bytes.set(audioInit, HEADER_FIXED_BYTES + videoInit.length);
  seal(bytes);
  return bytes;
}

/**
 * Makes the header at the start of `bytes` that of the same segment on another volume: as long, and the seed of all its CRCs stays.
 * Throws SegmentFormatError if it is none.
 */
export function moveHeader(bytes: Buffer, volumeId: Guid): void {
  const { headerBytes } = readSegmentFraming(bytes);
  bytes.set(guidToBytes(volumeId), VOLUME_ID_AT);
  bytes[MOVES_AT] = Math.min(MOVES_MAX, (bytes[MOVES_AT] ?? 0) + 1);
  seal(bytes.subarray(0, headerBytes));
}

function seal(header: Buffer): void {
  const end = header.length - HEADER_CRC_BYTES;
  header.writeUInt32LE(crc32(header.subarray(0, end)), end);
}

/** Reads a header. Throws SegmentFormatError with the reason, NvrdError FORMAT_NEWER for a newer format. */
export function unpackSegmentHeader(bytes: Buffer): SegmentHeader {
  const frame = readSegmentFraming(bytes);
  const streamType = STREAM_TYPES[bytes[64] ?? STREAM_TYPES.length];
  if (streamType === undefined) throw new NvrdError("FORMAT_NEWER", `segment of stream type ${bytes[64]}`);
  return {
    segmentId: frame.segmentId,
    nonce: frame.nonce,
    volumeId: guidFromBytes(bytes, VOLUME_ID_AT),
    key: { channelId: guidFromBytes(bytes, 48), streamType },
    fragmentId: guidFromBytes(bytes, 72),
    fragmentSequence: bytes.readUInt32LE(68),
    bootId: guidFromBytes(bytes, 88),
    epoch: bytes.readUInt32LE(104),
    provisional: isProvisional(bytes),
    moves: bytes[MOVES_AT] ?? 0,
    fromUs: frame.fromUs,
    createdWallUs: readU64(bytes, 120),
    createdMonotonicUs: readU64(bytes, 128),
    ...readSegmentFormats(bytes, frame.headerBytes),
  };
}

/** What a segment holds, as its header says; each undefined where it has none of the kind. */
export interface SegmentFormats {
  readonly video: VideoFormat | undefined;
  readonly audio: AudioFormat | undefined;
}

/** Reads the formats of a header that `readSegmentFraming` has checked. Throws RangeError when they do not add up. */
export function readSegmentFormats(bytes: Buffer, headerBytes: number): SegmentFormats {
  const videoInit = bytes.readUInt16LE(142);
  const audioInit = bytes.readUInt16LE(146);
  if (HEADER_FIXED_BYTES + videoInit + audioInit + HEADER_CRC_BYTES !== headerBytes) {
    throw new RangeError("segment header: codec parameters do not add up");
  }
  return {
    video: readVideo(bytes, videoInit),
    audio: readAudio(bytes, HEADER_FIXED_BYTES + videoInit, audioInit),
  };
}

/** The codecs that a header names in its fixed part; 0: none. Nothing is checked. */
export function codecsOfHead(fixed: Uint8Array): { readonly video: number; readonly audio: number } {
  return { video: fixed[VIDEO_CODEC_AT] ?? 0, audio: fixed[AUDIO_CODEC_AT] ?? 0 };
}

/** The volume that a header names in its fixed part. Nothing is checked. */
export function volumeOfHead(fixed: Uint8Array): Guid {
  return guidFromBytes(fixed, VOLUME_ID_AT);
}

/** Provisional minus monotonic time; undefined for a segment whose clock was known. */
export function provisionalOffsetOf(header: SegmentHeader): number | undefined {
  return header.provisional ? header.createdWallUs - header.createdMonotonicUs : undefined;
}

function readVideo(bytes: Buffer, initBytes: number): VideoFormat | undefined {
  const codec = bytes[VIDEO_CODEC_AT] ?? 0;
  if (codec === 0) return undefined;
  return {
    codec: codec as Codec,
    width: bytes.readUInt16LE(138),
    height: bytes.readUInt16LE(140),
    initialization: Uint8Array.from(bytes.subarray(HEADER_FIXED_BYTES, HEADER_FIXED_BYTES + initBytes)),
  };
}

function readAudio(bytes: Buffer, at: number, initBytes: number): AudioFormat | undefined {
  const codec = bytes[AUDIO_CODEC_AT] ?? 0;
  if (codec === 0) return undefined;
  return {
    codec: codec as Codec,
    channels: bytes[145] ?? 1,
    sampleRate: bytes.readUInt32LE(148),
    initialization: Uint8Array.from(bytes.subarray(at, at + initBytes)),
  };
}

function keptInitialization(bytes: Uint8Array | undefined): Uint8Array {
  return bytes === undefined || bytes.length > INITIALIZATION_BYTES_MAX ? NO_BYTES : bytes;
}
