import { Codec, parseH264Sps, parseH265Sps, rawPayload, type VideoFormat } from "../../live/index.js";
import { u8, u16 } from "./box.js";
import { NAL_LENGTH_BYTES, nalUnitsOf } from "./length-prefixed.js";

/** Most parameter sets of a kind that are read: the standards allow 32 SPS and 256 PPS, cameras send one to three. */
const SETS_MAX = 32;
const SET_BYTES_MAX = 0xffff;
/** Shortest SPS with profile and level. */
const SPS_BYTES_MIN = 4;

/** VPS (H.265 only), SPS and PPS, without start codes, in order. */
export interface ParameterSets {
  readonly vps: readonly Buffer[];
  readonly sps: readonly Buffer[];
  readonly pps: readonly Buffer[];
}

const H264_SPS = 7;
const H264_PPS = 8;
const H265_VPS = 32;
const H265_SPS = 33;
const H265_PPS = 34;

/** The NAL unit type (ITU-T H.264, 7.3.1; H.265, 7.3.1.2). */
export function nalType(codec: Codec, nal: Uint8Array): number {
  const first = nal[0] ?? 0;
  return codec === Codec.H265 ? (first >> 1) & 0x3f : first & 0x1f;
}

/**
 * The parameter sets in `annexB`: a format's initialization data, or a key frame. Undefined without an SPS and a PPS
 * (H.265: and a VPS).
 */
export function parameterSetsOf(codec: Codec, annexB: Uint8Array): ParameterSets | undefined {
  const sets: { vps: Buffer[]; sps: Buffer[]; pps: Buffer[] } = { vps: [], sps: [], pps: [] };
  for (const nal of nalUnitsOf(Buffer.from(annexB.buffer, annexB.byteOffset, annexB.length))) {
    const kind = setKind(codec, nalType(codec, nal));
    if (kind === undefined || nal.length > SET_BYTES_MAX || sets[kind].length >= SETS_MAX) continue;
    if (!sets[kind].some((known) => known.equals(nal))) sets[kind].push(Buffer.from(nal));
  }
  if (!sets.sps.some((sps) => sps.length >= SPS_BYTES_MIN) || sets.pps.length === 0) return undefined;
  return codec === Codec.H265 && sets.vps.length === 0 ? undefined : sets;
}

function setKind(codec: Codec, type: number): keyof ParameterSets | undefined {
  if (codec === Codec.H264) return type === H264_SPS ? "sps" : type === H264_PPS ? "pps" : undefined;
  return type === H265_VPS ? "vps" : type === H265_SPS ? "sps" : type === H265_PPS ? "pps" : undefined;
}

function parseSps(codec: Codec, sps: Uint8Array) {
  return codec === Codec.H265 ? parseH265Sps(sps) : parseH264Sps(sps);
}

/** The picture's size from the format, or from the SPS if the format does not have it. */
export function pictureSize(
  format: VideoFormat,
  sets: ParameterSets | undefined,
): { readonly width: number; readonly height: number } {
  if (format.width > 0 && format.height > 0) return format;
  const parsed = sets?.sps[0] === undefined ? undefined : parseSps(format.codec, sets.sps[0]);
  return parsed ?? { width: 0, height: 0 };
}

/** Profiles whose configuration has chroma format and bit depths (ISO/IEC 14496-15, 5.3.3.1.2). */
const HIGH_PROFILES = new Set([100, 110, 122, 144]);

/** AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1). */
export function avcConfiguration(sets: ParameterSets): Buffer {
  const sps = sets.sps[0] ?? Buffer.alloc(0);
  const parsed = parseH264Sps(sps);
  const profile = sps[1] ?? 0;
  const high =
    parsed !== undefined && HIGH_PROFILES.has(profile)
      ? u8(0xfc | parsed.chromaFormat, 0xf8 | (parsed.lumaBits - 8), 0xf8 | (parsed.chromaBits - 8), 0)
      : Buffer.alloc(0);
  return Buffer.concat([
    u8(1, profile, sps[2] ?? 0, sps[3] ?? 0, 0xfc | (NAL_LENGTH_BYTES - 1), 0xe0 | (sets.sps.length & 0x1f)),
    ...sets.sps.flatMap(withLength),
    u8(sets.pps.length),
    ...sets.pps.flatMap(withLength),
    high,
  ]);
}

/** Bytes of general profile, tier, constraints and level in an SPS (ITU-T H.265, 7.3.3). */
const PROFILE_TIER_LEVEL_BYTES = 12;

/** profile_tier_level of an H.265 SPS: 12 bytes, with zeros if it is truncated. */
export function profileTierLevel(sps: Uint8Array): Buffer {
  const bytes = Buffer.alloc(PROFILE_TIER_LEVEL_BYTES);
  bytes.set(rawPayload(sps, 2).subarray(1, 1 + PROFILE_TIER_LEVEL_BYTES));
  return bytes;
}

/** HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1): with all parameter sets, as `hvc1` requires. */
export function hevcConfiguration(sets: ParameterSets): Buffer {
  const sps = sets.sps[0] ?? Buffer.alloc(0);
  const parsed = parseH265Sps(sps);
  // sps_max_sub_layers_minus1 and sps_temporal_id_nesting_flag follow the two bytes of the NAL unit header.
  const layers = sps[2] ?? 0;
  const temporalLayers = ((layers >> 1) & 7) + 1;
  return Buffer.concat([
    u8(1),
    profileTierLevel(sps),
    u16(0xf000),
    u8(0xfc, 0xfc | ((parsed?.chromaFormat ?? 1) & 3)),
    u8(0xf8 | (((parsed?.lumaBits ?? 8) - 8) & 7), 0xf8 | (((parsed?.chromaBits ?? 8) - 8) & 7)),
    u16(0),
    u8((temporalLayers << 3) | ((layers & 1) << 2) | (NAL_LENGTH_BYTES - 1), 3),
    hevcArray(H265_VPS, sets.vps),
    hevcArray(H265_SPS, sets.sps),
    hevcArray(H265_PPS, sets.pps),
  ]);
}

function hevcArray(type: number, nals: readonly Buffer[]): Buffer {
  return Buffer.concat([u8(0x80 | type), u16(nals.length), ...nals.flatMap(withLength)]);
}

function withLength(nal: Buffer): Buffer[] {
  return [u16(nal.length), nal];
}
