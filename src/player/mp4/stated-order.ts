import {
  BitReader,
  BitWriter,
  Codec,
  h264Reordering,
  preventEmulation,
  rawPayload,
  type VideoFormat,
} from "../../live/index.js";
import { nalType, parameterSetsOf } from "./parameter-sets.js";

const BASELINE_PROFILE = 66;
/** pic_order_cnt_type of streams that are shown in the order of decoding. */
const SHOWN_AS_DECODED = 2;
/** log2_max_mv_length_horizontal and _vertical, where nothing is known: the largest. */
const VECTOR_LENGTH_LOG2_MAX = 15;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const H264_SPS = 7;

/**
 * The format with parameter sets that say that pictures are shown in the order of decoding, where that is certain and an SPS does
 * not say it: a hardware decoder would hold back as many pictures as could be out of order, up to 16. The same format otherwise.
 * `keyFrame`: source of the parameter sets if the format does not have them. `isAsDecoded`: the stream has shown it, whatever the
 * SPS allows.
 */
export function withStatedOrder(format: VideoFormat, keyFrame: Uint8Array, isAsDecoded = false): VideoFormat {
  if (format.codec !== Codec.H264) return format;
  const sets =
    parameterSetsOf(format.codec, format.initialization) ?? parameterSetsOf(format.codec, keyFrame);
  if (sets === undefined) return format;
  const stated = sets.sps.map((sps) => restricted(sps, isAsDecoded) ?? sps);
  if (stated.every((sps, at) => sps === sets.sps[at])) return format;
  const initialization = Buffer.concat([...stated, ...sets.pps].flatMap((nal) => [START_CODE, nal]));
  return { ...format, initialization };
}

/** The SPS with bitstream_restriction_flag; undefined where it has one, or pictures may be reordered. */
function restricted(sps: Buffer, isAsDecoded: boolean): Buffer | undefined {
  const reordering = nalType(Codec.H264, sps) === H264_SPS ? h264Reordering(sps) : undefined;
  if (reordering === undefined || reordering.isRestricted) return undefined;
  const { profile, orderType, referenceFrames, vuiAt, restrictionAt } = reordering;
  const isCertain = isAsDecoded || profile === BASELINE_PROFILE || orderType === SHOWN_AS_DECODED;
  if (!isCertain) return undefined;
  const payload = rawPayload(sps, 1);
  const reader = new BitReader(payload);
  // A VUI that cannot be read to its end stays as it is.
  if (restrictionAt === undefined && hasVui(payload, vuiAt)) return undefined;
  const writer = new BitWriter(payload.length + 16);
  const copied = restrictionAt ?? vuiAt;
  for (let bit = 0; bit < copied; bit += 1) writer.bit(reader.bit());
  // vui_parameters_present_flag, and none of the eight things that a VUI may have before the restriction.
  if (restrictionAt === undefined) writer.bits(0b1_0000_0000, 9);
  writeRestriction(writer, referenceFrames);
  return Buffer.concat([sps.subarray(0, 1), preventEmulation(writer.bytes)]);
}

function hasVui(payload: Uint8Array, vuiAt: number): boolean {
  const reader = new BitReader(payload);
  reader.skip(vuiAt);
  return reader.flag();
}

/** ITU-T H.264, E.1.1, from bitstream_restriction_flag on, and the trailing bits. */
function writeRestriction(writer: BitWriter, referenceFrames: number): void {
  writer.bit(1);
  // motion_vectors_over_pic_boundaries_flag, max_bytes_per_pic_denom and max_bits_per_mb_denom: no limit.
  writer.bit(1);
  writer.unsignedGolomb(0);
  writer.unsignedGolomb(0);
  writer.unsignedGolomb(VECTOR_LENGTH_LOG2_MAX);
  writer.unsignedGolomb(VECTOR_LENGTH_LOG2_MAX);
  // max_num_reorder_frames, max_dec_frame_buffering.
  writer.unsignedGolomb(0);
  writer.unsignedGolomb(referenceFrames);
  writer.bit(1);
  writer.align();
}
