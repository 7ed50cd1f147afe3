import { type AudioFormat, Codec, type VideoFormat } from "../live/index.js";
import { lengthPrefixed, NAL_LENGTH_BYTES, nalType, nalUnitsOf } from "../mp4/index.js";

/** One picture as it goes into a fragment. */
export interface VideoUnit {
  readonly format: VideoFormat;
  /** Unix microseconds. */
  readonly decodeTimeUs: number;
  /** Presentation less decode time, microseconds, never negative. */
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  /** It follows a gap. */
  readonly discontinuity: boolean;
  /** Annex B, the packager's own: it may be written over. */
  readonly bytes: Buffer;
}

/** AAC as the sound track of a period. The same object for units that go into one track. */
export interface SoundTrack {
  readonly format: AudioFormat;
  /** Samples a second that the track counts in. */
  readonly rate: number;
  /** Samples a unit lasts. */
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
 * The sample of a picture: NAL units behind their lengths. Parameter sets stand in the sample entry, `avc1` or `hvc1`, and
 * are not repeated (ISO/IEC 14496-15, 5.3.3 and 8.3.3). Writes over the unit's bytes.
 */
export function videoSample({ format, key, bytes }: VideoUnit): Buffer {
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
