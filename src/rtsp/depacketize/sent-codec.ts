import { Codec, parseH264Sps, parseH265Sps } from "../../live/index.js";
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
/** What is read of a packet: no parameter set that is parsed is longer. */
const BYTES_MAX = 1024;

/**
 * The codec whose parameters the RTP packet `buffer[start .. end)` has, where the description names the other one of H.264 and H.265;
 * undefined where it has none. Some firmware describes what was set last, and sends what was set before. The headers of both codecs
 * never look like parameter sets of each other.
 */
export function sentCodec(announced: Codec, buffer: Buffer, start: number, end: number): Codec | undefined {
  const at = payloadStart(buffer, start, end);
  if (at === undefined) return undefined;
  const payload = buffer.subarray(at, Math.min(end, at + BYTES_MAX));
  if (announced === Codec.H265) return hasH264Parameters(payload) ? Codec.H264 : undefined;
  if (announced === Codec.H264) return hasH265Parameters(payload) ? Codec.H265 : undefined;
  return undefined;
}

function payloadStart(buffer: Buffer, start: number, end: number): number | undefined {
  if (end - start < RTP_HEADER_BYTES) return undefined;
  const first = buffer[start] ?? 0;
  const at = start + RTP_HEADER_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) === 0) return at;
  return at + 4 > end ? undefined : at + 4 + 4 * buffer.readUInt16BE(at + 2);
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
