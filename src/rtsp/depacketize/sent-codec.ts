import { Codec, parseH264Sps, parseH265Sps } from "../../live/index.js";
import { endOfExtension } from "../rtp/header-bits.js";
import { findStartCode, START_CODE_BYTES } from "./annex-b.js";

/** RFC 3550, 5.1. */
const RTP_HEADER_BYTES = 12;
/** RFC 6184, 5.7.1: behind its header and the length of the first unit. */
const STAP_A = 24;
const STAP_A_UNIT_AT = 3;
/** RFC 7798, 4.4.2. */
const H265_AGGREGATION = 48;
const H265_AGGREGATION_UNIT_AT = 4;
/** First fragments, which begin with the unit's header in parts (RFC 6184, 5.8; RFC 7798, 4.4.3). */
const FU_A = 28;
const H265_FRAGMENTATION = 49;
const START_BIT = 0x80;
/** NAL unit types (ITU-T H.264, table 7-1; H.265, table 7-1). */
const H264_SPS = 7;
const H265_VPS = 32;
const H265_SPS = 33;
/** vps_reserved_0xffff_16bits (ITU-T H.265, 7.3.2.1). */
const VPS_RESERVED_AT = 4;
/** Headers of a sequence, a group and a picture, and user data (ISO/IEC 14496-2, table 6-3). */
const MPEG4_SEQUENCE = 0xb0;
/** The code of a sequence, its profile, and the next code. */
const MPEG4_HEAD_BYTES = 8;
const MPEG4_CODES: ReadonlySet<number> = new Set([MPEG4_SEQUENCE, 0xb2, 0xb3, 0xb5, 0xb6]);
/** RFC 2435, 3.1: behind the main header, and that of restart intervals, the header of tables, which a Q from 128 on announces. */
const JPEG_TABLES_AT = 12;
const JPEG_TABLES_HEAD_BYTES = 4;
const JPEG_RESTART_BYTES = 4;
const JPEG_RESTARTS = 64;
const JPEG_TABLES_Q = 128;
/** One or two tables of 8 bits. */
const JPEG_TABLE_BYTES: ReadonlySet<number> = new Set([64, 128]);
/** No packet with parameter sets alone is longer. */
const SETS_BYTES_MAX = 200;
/** What is read of a packet: no parameter set that is parsed is longer. */
const BYTES_MAX = 1024;

/**
 * The codec whose parameters or headers the RTP packet `buffer[start .. end)` has, where the description names another one; undefined
 * where it has none. Some firmware describes what was set last, and sends what was set before. What is looked for in a packet of one codec
 * cannot be in those of the others.
 */
export function sentCodec(announced: Codec, buffer: Buffer, start: number, end: number): Codec | undefined {
  if (end - start < RTP_HEADER_BYTES) return undefined;
  for (const at of payloadStarts(buffer, start, end)) {
    const payload = buffer.subarray(at, Math.min(end, at + BYTES_MAX));
    const codec = otherCodec(announced, payload, end - at);
    if (codec !== undefined || hasOwn(announced, payload)) return codec;
  }
  return undefined;
}

function otherCodec(announced: Codec, payload: Buffer, bytes: number): Codec | undefined {
  if (announced !== Codec.MPEG4 && hasMpeg4Headers(announced, payload)) return Codec.MPEG4;
  if (announced !== Codec.MJPEG && hasJpegTables(payload)) return Codec.MJPEG;
  // Fragments of MPEG-4 and JPEG are any bytes: sets are short, and not looked for amid them.
  const isOfUnits = announced === Codec.H264 || announced === Codec.H265;
  if (!isOfUnits) return bytes > SETS_BYTES_MAX ? undefined : codecOfSet(announced, payload);
  if (announced === Codec.H265) return hasH264Parameters(payload) ? Codec.H264 : undefined;
  return hasH265Parameters(payload) ? Codec.H265 : undefined;
}

/** Whether the payload shows that it is of the codec that is announced. */
function hasOwn(announced: Codec, payload: Buffer): boolean {
  if (announced === Codec.H264) return hasH264Parameters(payload);
  if (announced === Codec.H265) return hasH265Parameters(payload);
  return announced === Codec.MJPEG ? hasJpegTables(payload) : hasMpeg4Headers(announced, payload);
}

function codecOfSet(announced: Codec, payload: Buffer): Codec | undefined {
  // A start code and the header of a set are none of MPEG-4; in JPEG they may be a place in the picture.
  const isBehindCode = announced === Codec.MPEG4 && findStartCode(payload, 0, START_CODE_BYTES) === 0;
  const unit = isBehindCode ? payload.subarray(START_CODE_BYTES) : payload;
  if (isH264Sps(h264Unit(unit))) return Codec.H264;
  return isH265Set(h265Unit(unit)) ? Codec.H265 : undefined;
}

/** A start code of MPEG-4 that no NAL unit has behind its own: the first bit of their headers is 0 (ISO/IEC 14496-2, table 6-3). */
function hasMpeg4Headers(announced: Codec, payload: Buffer): boolean {
  const [first, second, third, code = 0] = payload;
  if (first !== 0 || second !== 0 || third !== 1) return false;
  // A packet of JPEG begins with its place in the picture, and is of no quality 0.
  if (announced === Codec.MJPEG && payload.length < MPEG4_HEAD_BYTES) return false;
  if (announced === Codec.MJPEG) return code === MPEG4_SEQUENCE && payload.readUIntBE(5, 3) === 1;
  return MPEG4_CODES.has(code);
}

/** The first packet of a JPEG picture, with its tables (RFC 2435, 3.1 and 3.1.8). */
function hasJpegTables(payload: Buffer): boolean {
  if (payload.length < JPEG_TABLES_AT) return false;
  const type = payload[4] ?? 0;
  const hasRestarts = type >= JPEG_RESTARTS && type < 2 * JPEG_RESTARTS;
  const at = JPEG_TABLES_AT - JPEG_TABLES_HEAD_BYTES + (hasRestarts ? JPEG_RESTART_BYTES : 0);
  if (payload.length < at + JPEG_TABLES_HEAD_BYTES) return false;
  const isFirst = payload.readUIntBE(1, 3) === 0 && (payload[5] ?? 0) >= JPEG_TABLES_Q;
  const hasSize = (payload[6] ?? 0) > 0 && (payload[7] ?? 0) > 0;
  const isSimple = (hasRestarts ? type - JPEG_RESTARTS : type) <= 1;
  const length = payload.readUInt16BE(at + 2);
  return isFirst && hasSize && isSimple && payload[at] === 0 && JPEG_TABLE_BYTES.has(length);
}

/** Where the payload may begin: some cameras count contributing sources and list none. */
function payloadStarts(buffer: Buffer, start: number, end: number): readonly number[] {
  const first = buffer[start] ?? 0;
  const head = start + RTP_HEADER_BYTES;
  const listed = head + 4 * (first & 0x0f);
  // Behind a list that may be none a long packet is any bytes.
  const isListed = listed > head && end - listed <= SETS_BYTES_MAX;
  const starts = isListed ? [head, listed] : [head];
  return (first & 0x10) === 0 ? starts : starts.map((at) => endOfExtension(buffer, at, end));
}

function hasH264Parameters(payload: Buffer): boolean {
  return isH264Sps(h264Unit(payload)) || unitsBehindCodes(payload).some(isH264Sps);
}

function isH264Sps(unit: Buffer): boolean {
  const [header = 0] = unit;
  return header < 0x80 && (header & 0x1f) === H264_SPS && parseH264Sps(unit) !== undefined;
}

/** The first unit of a payload, as far as it is there. */
function h264Unit(payload: Buffer): Buffer {
  const [indicator = 0, header = 0] = payload;
  const structure = indicator & 0x1f;
  if (structure === STAP_A) return payload.subarray(STAP_A_UNIT_AT);
  if (structure !== FU_A || (header & START_BIT) === 0) return payload;
  return Buffer.concat([Buffer.of((indicator & 0xe0) | (header & 0x1f)), payload.subarray(2)]);
}

function hasH265Parameters(payload: Buffer): boolean {
  return isH265Set(h265Unit(payload)) || unitsBehindCodes(payload).some(isH265Set);
}

function isH265Set(unit: Buffer): boolean {
  const type = h265Type(unit);
  if (type === H265_SPS) return parseH265Sps(unit) !== undefined;
  return type === H265_VPS && unit[VPS_RESERVED_AT] === 0xff && unit[VPS_RESERVED_AT + 1] === 0xff;
}

function h265Unit(payload: Buffer): Buffer {
  const structure = h265Type(payload);
  const [, second = 0, header = 0] = payload;
  if (structure === H265_AGGREGATION) return payload.subarray(H265_AGGREGATION_UNIT_AT);
  if (structure !== H265_FRAGMENTATION || (header & START_BIT) === 0) return payload;
  return Buffer.concat([Buffer.of((header & 0x3f) << 1, second), payload.subarray(3)]);
}

/** Some cameras put start codes into packets. */
function unitsBehindCodes(payload: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let at = findStartCode(payload, 0, payload.length);
  while (at < payload.length) {
    units.push(payload.subarray(at + START_CODE_BYTES));
    at = findStartCode(payload, at + START_CODE_BYTES, payload.length);
  }
  return units;
}

/** Of a unit of the base layer; undefined of any other bytes. */
function h265Type(unit: Buffer): number | undefined {
  const [first = 0xff, second = 0] = unit;
  const isBase = (first & 0x81) === 0 && second >> 3 === 0 && (second & 7) !== 0;
  return isBase ? first >> 1 : undefined;
}
