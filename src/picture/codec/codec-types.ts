import type { AudioFormat, VideoFormat } from "../../live/index.js";

/**
 * What the native codec (`native/codec`) does, as the other rooms see it. All work runs on the codec's own threads,
 * bounded in number, queue, memory and time; each promise rejects with NvrdError NOT_AVAILABLE (with `retryAfterMs`)
 * when the bound is reached, and with `CodecError` when the input cannot be decoded.
 */

/** One access unit as a Frame or the archive holds it. */
export interface CodedUnit {
  /**
   * Its bytes in pieces. They are read on another thread until the call's promise settles: whoever passes a frame
   * keeps it leased till then, whoever passes archive bytes copies them first.
   */
  readonly bytes: readonly Uint8Array[];
  readonly key: boolean;
  /** Decode time, Unix microseconds. */
  readonly decodeTimeUs: number;
  /** Presentation minus decode time in microseconds, never negative. */
  readonly presentationOffsetUs: number;
}

/** Degrees clockwise. */
export type Rotation = 0 | 90 | 180 | 270;

/** `rgb`: 3 bytes a pixel; `gray`: 1 byte, full range; `yuv420`: Y, U and V planes, packed, limited range; `jpeg`: a JFIF file. */
export type PictureForm = "rgb" | "gray" | "yuv420" | "jpeg";

/** What is wanted of a decoded picture. Sizes are those after rotation. */
export interface PictureTarget {
  readonly form: PictureForm;
  /** Absent: follows from the other one and the source's shape; both absent: the source's size. Clamped to the source's size. */
  readonly width?: number;
  readonly height?: number;
  /** With both sides given: `exact` (default) takes them as they are, `inside` keeps the shape within them. */
  readonly fit?: "exact" | "inside";
  readonly rotation?: Rotation;
  /** `jpeg`: 1 to 100, 75 by default. */
  readonly quality?: number;
  /** `jpeg`: the quality is lowered until the file has at most so many bytes. */
  readonly bytesMax?: number;
}

/** A decoded picture. `data` is the caller's own memory, tightly packed. */
export interface Picture {
  readonly form: PictureForm;
  readonly width: number;
  readonly height: number;
  /** Presentation time of the unit it was decoded from, Unix microseconds. */
  readonly timeUs: number;
  /** The decoder concealed errors in it. */
  readonly damaged: boolean;
  /** Size of the coded picture, after rotation. */
  readonly sourceWidth: number;
  readonly sourceHeight: number;
  readonly data: Uint8Array;
}

export interface DecodeStillOptions {
  readonly format: VideoFormat;
  /** From a key frame on; the picture of the last one is wanted. */
  readonly units: readonly CodedUnit[];
  readonly targets: readonly PictureTarget[];
  /** The work is given up after so long; CODEC_JOB_MS_MAX by default. */
  readonly timeoutMs?: number;
}

/** What a decoder may leave out: nothing, frames nothing refers to, or all but key frames. */
export type DecodeSkip = "none" | "non-reference" | "non-key";

/** A decoder that lives as long as its stream is watched. Calls are worked off one after another. */
export interface VideoDecoder {
  /**
   * Feeds one unit; resolves with the pictures that came out, each in the form of each target in order (with B-frames
   * none, one or several). An empty list of targets only advances the decoder.
   */
  decode(
    unit: CodedUnit,
    targets: readonly PictureTarget[],
    skip?: DecodeSkip,
  ): Promise<readonly (readonly Picture[])[]>;
  /** What it still held back. */
  flush(targets: readonly PictureTarget[]): Promise<readonly (readonly Picture[])[]>;
  /** Name of the implementation in use (`h264`, `h264_v4l2m2m`, …). */
  readonly name: string;
  close(): void;
}

export interface VideoEncoderOptions {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly bitsPerSecond: number;
  /** Frames from one key frame to the next. */
  readonly gopLength: number;
}

export interface EncodedUnit {
  /** Annex B, parameter sets before each key frame. */
  readonly data: Uint8Array;
  readonly key: boolean;
  readonly timeUs: number;
}

/** H.264, no B-frames. */
export interface VideoEncoder {
  /** `picture.form` must be `yuv420` of the encoder's size. */
  encode(picture: Picture, forceKey?: boolean): Promise<readonly EncodedUnit[]>;
  readonly name: string;
  close(): void;
}

/** The wire forms of sound. pcm: 16 bits, little endian. aac: ADTS frames. */
export type SoundForm = "pcm" | "g711u" | "g711a" | "aac";

export interface SoundTranscoderOptions {
  readonly input: AudioFormat;
  readonly output: SoundForm;
  /** Samples a second; 8000 for G.711, where absent as well as for the others. Mono. */
  readonly sampleRate?: number;
}

export interface SoundPiece {
  readonly data: Uint8Array;
  /** Time of its first sample, Unix microseconds. */
  readonly timeUs: number;
  readonly durationUs: number;
}

/** Decodes, resamples and encodes one sound track. A gap or a step in time starts it again, without made-up silence. */
export interface SoundTranscoder {
  push(bytes: readonly Uint8Array[], decodeTimeUs: number): Promise<readonly SoundPiece[]>;
  close(): void;
}

/** How busy the codec is; asking costs nothing. */
export interface CodecLoad {
  readonly threads: number;
  readonly running: number;
  readonly queued: number;
  /** Decoders, encoders and transcoders that are open. */
  readonly open: number;
  /** Bytes of the decoded pictures of all decoders, and the most there may be. */
  readonly frameBytes: number;
  readonly frameBytesMax: number;
  /** How often a picture got no memory, since the start. */
  readonly frameRefusals: number;
}

export interface Codec {
  /** One picture from a run of units: a job of its own. */
  decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]>;
  openVideoDecoder(format: VideoFormat): VideoDecoder;
  /** Undefined when this platform has no H.264 encoder. */
  openVideoEncoder(options: VideoEncoderOptions): VideoEncoder | undefined;
  openSoundTranscoder(options: SoundTranscoderOptions): SoundTranscoder;
  readonly load: CodecLoad;
}
