import type { AudioFormat, VideoFormat } from "../../live/index.js";

/**
 * The interface of the native codec (`native/codec`). All work runs on the codec's own threads, with limits on their
 * number, queue, memory and time. Each promise rejects with NvrdError NOT_AVAILABLE (with `retryAfterMs`) if a limit is
 * reached, and with `CodecError` if the input cannot be processed.
 */

/** One access unit of a Frame or the archive. */
export interface CodedUnit {
  /**
   * Its bytes in pieces. Another thread reads them until the call's promise settles: keep a frame leased until then,
   * and copy bytes of the archive first.
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

/**
 * `rgb`: 3 bytes a pixel; `gray`: 1 byte, full range; `yuv420`: Y, U and V planes, packed, limited range; `jpeg`: a JFIF file;
 * `motion`: what moves in the grey picture, for `motionIn`.
 */
export type PictureForm = "rgb" | "gray" | "yuv420" | "jpeg" | "motion";

/** A rectangle of a picture, relative to its sides: from the left and the top, 0 to 1. */
export interface PicturePart {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The output wanted from a decoded picture. Sizes apply after rotation. */
export interface PictureTarget {
  readonly form: PictureForm;
  /**
   * Default: from the other side and the source's aspect ratio; without both, the source's size. Clamped to the
   * source's size.
   */
  readonly width?: number;
  readonly height?: number;
  /** With both sides given: `exact` (default) uses them as they are, `inside` keeps the aspect ratio within them. */
  readonly fit?: "exact" | "inside";
  readonly rotation?: Rotation;
  /** What is shown of the picture, after rotation; default: all of it. Sizes are those of the part. */
  readonly part?: PicturePart;
  /** `jpeg`: 1 to 100, 75 by default. */
  readonly quality?: number;
  /** `jpeg`: the quality is lowered until the file has at most this many bytes. */
  readonly bytesMax?: number;
  /** `motion`: who analyses the picture; both sides are given, at most 640 pixels each, with `inside`. */
  readonly watch?: MotionWatch;
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
  /** Units from a key frame on; the picture of the last one is returned. */
  readonly units: readonly CodedUnit[];
  readonly targets: readonly PictureTarget[];
  /** Time limit; default: CODEC_JOB_MS_MAX. */
  readonly timeoutMs?: number;
}

/** What a decoder may skip: nothing, non-reference frames, or all but key frames. */
export type DecodeSkip = "none" | "non-reference" | "non-key";

/** When the codec's threads turn to it: `soon`: in its turn; `when-idle`: while nothing else waits for them. */
export type CodecTurn = "soon" | "when-idle";

/** A decoder for the frames of one stream. Calls are processed in order. */
export interface VideoDecoder {
  /**
   * Decodes one unit; resolves with the pictures that came out (with B-frames none, one or several), each in the forms
   * of `targets`, in order. With no targets, it only advances the decoder.
   */
  decode(
    unit: CodedUnit,
    targets: readonly PictureTarget[],
    skip?: DecodeSkip,
  ): Promise<readonly (readonly Picture[])[]>;
  /** The pictures that it still held back. */
  flush(targets: readonly PictureTarget[]): Promise<readonly (readonly Picture[])[]>;
  /** Name of the implementation in use (`h264`, `h264_v4l2m2m`, …). */
  readonly name: string;
  /** Processor time of the codec's threads that its work took so far, microseconds. */
  readonly busyUs: number;
  close(): void;
}

export interface VideoEncoderOptions {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly bitsPerSecond: number;
  /** Frames from one key frame to the next. */
  readonly gopLength: number;
  /** Default: `soon`. */
  readonly turn?: CodecTurn;
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

/** Output formats of sound. pcm: 16 bits, little endian. aac: ADTS frames. */
export type SoundForm = "pcm" | "g711u" | "g711a" | "aac";

export interface SoundTranscoderOptions {
  readonly input: AudioFormat;
  readonly output: SoundForm;
  /** Samples a second; G.711: 8000, which is also the default. Output is mono. */
  readonly sampleRate?: number;
  /** Default: `soon`. */
  readonly turn?: CodecTurn;
}

export interface SoundPiece {
  readonly data: Uint8Array;
  /** Time of its first sample, Unix microseconds. */
  readonly timeUs: number;
  readonly durationUs: number;
}

/** Decodes, resamples and encodes one sound track. A gap or a step in time restarts it, without inserting silence. */
export interface SoundTranscoder {
  push(bytes: readonly Uint8Array[], decodeTimeUs: number): Promise<readonly SoundPiece[]>;
  close(): void;
}

/** A part of the picture that is watched for motion. Coordinates are relative, from the upper left corner. */
export interface WatchedZone {
  /** 1 (least) to 100. */
  readonly sensitivity: number;
  /** Smallest object that counts, in percent of the picture. */
  readonly minSizePercent: number;
  readonly area: WatchedArea;
}

export type WatchedArea =
  | { readonly kind: "picture" }
  | { readonly kind: "polygon"; readonly points: readonly { readonly x: number; readonly y: number }[] }
  /** `cells`: 0 or 1 each, row by row. */
  | { readonly kind: "grid"; readonly columns: number; readonly rows: number; readonly cells: string };

/** Something that moves in a zone, in one picture. */
export interface ZoneMotion extends PicturePart {
  /** Index of the zone. */
  readonly zone: number;
  /** The part of the picture's pixels that it changed in this zone, 0 to 1. */
  readonly strength: number;
}

/** A small grey picture, row by row. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Finds what moves in the pictures of one camera. It is the `watch` of targets of the form `motion`. */
export interface MotionWatch {
  /** Analyses a picture on the calling thread. Times go forward, Unix microseconds. */
  analyze(picture: GrayPicture, timeUs: number): readonly ZoneMotion[];
  /** Frees what it knows of the scene: it is learned again. */
  restart(): void;
}

/**
 * Finds what is different in zones from one picture to the next. The pictures may be seconds apart, so that nothing can be
 * followed from one to another, as a `MotionWatch` does.
 */
export interface RegionMotion {
  /** Whether something moved since the picture before; false for the first one, and for one of another size. */
  take(picture: GrayPicture): boolean;
  /** What comes next is not compared with what was before. */
  restart(): void;
  /** Whether a box lies in the zones, at least with a corner. */
  touches(box: PicturePart): boolean;
}

/** Load of the codec; cheap to read. */
export interface CodecLoad {
  readonly threads: number;
  readonly running: number;
  readonly queued: number;
  /** Open decoders, encoders and transcoders. */
  readonly open: number;
  /** Bytes of the decoded pictures of all decoders, and their limit. */
  readonly frameBytes: number;
  readonly frameBytesMax: number;
  /** How often there was no memory for a picture, since the start. */
  readonly frameRefusals: number;
}

export interface Codec {
  /**
   * Loads the codec, where that is done when it is first needed; undefined once it is loaded. Who opens something without it loads
   * it on the calling thread. Never rejects: what is opened says what is missing.
   */
  prepare?(): Promise<void> | undefined;
  /** Decodes one picture from a run of units, as a separate job. */
  decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]>;
  /** @param turn Default: `soon`. */
  openVideoDecoder(format: VideoFormat, turn?: CodecTurn): VideoDecoder;
  /** Undefined if this platform has no H.264 encoder. */
  openVideoEncoder(options: VideoEncoderOptions): VideoEncoder | undefined;
  openSoundTranscoder(options: SoundTranscoderOptions): SoundTranscoder;
  /** At most 16 zones. */
  openMotionWatch(zones: readonly WatchedZone[]): MotionWatch;
  openRegionMotion(zones: readonly WatchedZone[]): RegionMotion;
  readonly load: CodecLoad;
}
