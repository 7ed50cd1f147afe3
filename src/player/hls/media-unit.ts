import { type AudioFormat, Codec, type VideoFormat } from "../../live/index.js";
import { lengthPrefixed, NAL_LENGTH_BYTES, nalUnitsOf } from "../mp4/length-prefixed.js";
import { nalType } from "../mp4/parameter-sets.js";

/** One picture for a fragment. */
export interface VideoUnit {
  readonly format: VideoFormat;
  /** Unix microseconds. */
  readonly decodeTimeUs: number;
  /** Presentation minus decode time, microseconds, never negative. */
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  /** It follows a gap. */
  readonly discontinuity: boolean;
  /** Annex B, owned by the packager, which may overwrite it. */
  readonly bytes: Buffer;
}

/** The AAC track of a period. The same object for all units of one track. */
export interface SoundTrack {
  readonly format: AudioFormat;
  /** The track's timescale: samples a second. */
  readonly rate: number;
  /** Samples per unit. */
  readonly unitSamples: number;
}

/** One raw AAC access unit. */
export interface SoundUnit {
  readonly track: SoundTrack;
  /** Time of its first sample, Unix microseconds. */
  readonly timeUs: number;
  readonly bytes: Uint8Array;
}

/** The codecs that HLS carries (HLS authoring specification, 1.1 and 1.3). */
export function isPlayable(codec: VideoFormat["codec"]): boolean {
  return codec === Codec.H264 || codec === Codec.H265;
}

/** SPS and PPS, with their extensions (ITU-T H.264, table 7-1). */
const H264_SETS = new Set([7, 8, 13, 15]);
/** VPS, SPS and PPS (ITU-T H.265, table 7-1). */
const H265_SETS = new Set([32, 33, 34]);

/**
 * The sample of a picture: NAL units with length prefixes. Parameter sets are in the sample entry, `avc1` or `hvc1`,
 * and not repeated (ISO/IEC 14496-15, 5.3.3 and 8.3.3). May overwrite the unit's bytes.
 */
export function videoSample({ format, key, bytes }: Pick<VideoUnit, "format" | "key" | "bytes">): Buffer {
  if (!key) return lengthPrefixed(bytes);
  const sets = format.codec === Codec.H265 ? H265_SETS : H264_SETS;
  const nals = nalUnitsOf(bytes).filter((nal) => !sets.has(nalType(format.codec, nal)));
  const sample = Buffer.allocUnsafe(nals.reduce((sum, nal) => sum + NAL_LENGTH_BYTES + nal.length, 0));
  let at = 0;
  for (const nal of nals) {
    at = sample.writeUInt32BE(nal.length, at);
    at += nal.copy(sample, at);
  }
  return sample;
}
