import { Codec, parseH264Sps, parseH265Sps } from "../../live/index.js";

/** RFC 3550, 5.1. */
const RTP_HEADER_BYTES = 12;
/** RFC 6184, 5.7.1: behind its header and the length of the first unit. */
const STAP_A = 24;
const STAP_A_UNIT_AT = 3;
/** RFC 7798, 4.4.2. */
const H265_AGGREGATION = 48;
const H265_AGGREGATION_UNIT_AT = 4;
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
  const unit = ((payload[0] ?? 0) & 0x1f) === STAP_A ? payload.subarray(STAP_A_UNIT_AT) : payload;
  const [header = 0] = unit;
  return header < 0x80 && (header & 0x1f) === H264_SPS && parseH264Sps(unit) !== undefined;
}

function hasH265Parameters(payload: Buffer): boolean {
  const isAggregate = h265Type(payload) === H265_AGGREGATION;
  const unit = isAggregate ? payload.subarray(H265_AGGREGATION_UNIT_AT) : payload;
  const type = h265Type(unit);
  if (type === H265_SPS) return parseH265Sps(unit) !== undefined;
  return type === H265_VPS && unit[VPS_RESERVED_AT] === 0xff && unit[VPS_RESERVED_AT + 1] === 0xff;
}

/** Of a unit of the base layer; undefined of any other bytes. */
function h265Type(unit: Buffer): number | undefined {
  const [first = 0xff, second = 0] = unit;
  const isBase = (first & 0x81) === 0 && second >> 3 === 0 && (second & 7) !== 0;
  return isBase ? first >> 1 : undefined;
}
