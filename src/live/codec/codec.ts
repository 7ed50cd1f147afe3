/** The codecs nvrd accepts from cameras. The numbers are stored in segment files: never reuse one. */
export const Codec = {
  H264: 1,
  H265: 2,
  MPEG4: 3,
  MJPEG: 4,
  PCMU: 16,
  PCMA: 17,
  AAC: 18,
  L16: 19,
  OPUS: 20,
} as const;

export type Codec = (typeof Codec)[keyof typeof Codec];

const FIRST_AUDIO_CODEC = 16;

export function isAudioCodec(codec: Codec): boolean {
  return codec >= FIRST_AUDIO_CODEC;
}

/** The codec's name in logs and docs. */
export function codecName(codec: Codec): string {
  return CODEC_NAMES[codec];
}

const CODEC_NAMES: Record<Codec, string> = {
  [Codec.H264]: "H.264",
  [Codec.H265]: "H.265",
  [Codec.MPEG4]: "MPEG-4 Part 2",
  [Codec.MJPEG]: "MJPEG",
  [Codec.PCMU]: "G.711 µ-law",
  [Codec.PCMA]: "G.711 A-law",
  [Codec.AAC]: "AAC",
  [Codec.L16]: "L16",
  [Codec.OPUS]: "Opus",
};

/**
 * What a decoder must know before the first frame. Immutable: a change of codec, resolution or parameter sets makes a
 * new object, so that code that compares identities (the archive, a viewer) sees the change.
 */
export interface VideoFormat {
  readonly codec: Codec;
  /** Picture size in pixels after cropping; 0 while unknown (MJPEG before its first frame). */
  readonly width: number;
  readonly height: number;
  /**
   * Decoder initialisation data as it precedes a key frame: Annex B VPS, SPS and PPS; for MPEG-4 Part 2 the
   * visual object sequence up to the VOL header; empty for MJPEG.
   */
  readonly initialization: Uint8Array;
}

export interface AudioFormat {
  readonly codec: Codec;
  /** Samples a second: 8000 for G.711, mostly; 48000 for Opus. */
  readonly sampleRate: number;
  readonly channels: number;
  /** AAC: the AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1); Opus: the identification header (RFC 7845, 5.1); else empty. */
  readonly initialization: Uint8Array;
}

export type MediaFormat = VideoFormat | AudioFormat;
