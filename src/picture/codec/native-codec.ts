import { availableParallelism } from "node:os";
import { codecName, type VideoFormat } from "../../live/index.js";
import { type CodecAddon, codecMissing, fromAddon, loadCodecAddon } from "./codec-addon.js";
import { CodecError } from "./codec-error.js";
import type {
  Codec,
  CodecLoad,
  CodecTurn,
  DecodeStillOptions,
  MotionWatch,
  Picture,
  RegionMotion,
  SoundTranscoder,
  SoundTranscoderOptions,
  VideoDecoder,
  VideoEncoder,
  VideoEncoderOptions,
  WatchedZone,
} from "./codec-types.js";
import type { HardwareChoice } from "./hardware.js";
import { FallbackVideoDecoder, FallbackVideoEncoder } from "./hardware-fallback.js";
import { type NativeMotion, NativeMotionWatch, NativeRegionMotion } from "./motion-watch.js";
import {
  type NativeDecoderClass,
  type NativeDecoderOptions,
  NativeVideoDecoder,
  nativeDecoderOptions,
} from "./native-video-decoder.js";
import { nativeTargets } from "./picture-target.js";
import { openSoundTranscoder } from "./sound-transcoder.js";
import { AddonVideoEncoder, hasEncoder, SOFTWARE_ENCODER } from "./video-encoder.js";

/** Time limit of one job, milliseconds. */
export const CODEC_JOB_MS_MAX = 10_000;
/** Jobs that wait for a thread. */
export const CODEC_QUEUE_MAX = 256;
/** Open decoders, encoders and transcoders. */
export const CODEC_OPEN_MAX = 256;
/** Memory for the decoded pictures of all decoders, bytes; less on a small machine (docs/design/memory.md). */
export const CODEC_FRAME_BYTES_MAX = 1024 * 1024 * 1024;
/** A thread without work for so long drops the memory, scalers and encoders that it keeps for the next picture. */
export const CODEC_KEEP_MS = 20_000;

export interface NativeCodecOptions {
  /** Default: the addon of this build. */
  readonly addon?: CodecAddon;
  /** Threads, 1 to 64; default: one fewer than processors, which leaves one for recording and the API. */
  readonly threads?: number;
  /** Jobs that wait, 1 to 4096; CODEC_QUEUE_MAX by default. */
  readonly queueMax?: number;
  /** Long-lived objects, 1 to 1024; CODEC_OPEN_MAX by default. */
  readonly openMax?: number;
  /** Bytes of decoded pictures of all decoders; CODEC_FRAME_BYTES_MAX by default. */
  readonly frameBytesMax?: number;
  /** What threads keep for the next picture goes after so long without work, milliseconds; CODEC_KEEP_MS by default. */
  readonly keepMs?: number;
  /** Hardware decoders and encoders for streams; default: software. Stills always use software. */
  readonly hardware?: HardwareChoice;
}

/** The addon's functions used here (native/codec: picture/still.cc, decode/video_decoder.cc, motion/motion.cc, pool.cc). */
interface NativeFunctions extends NativeMotion {
  configurePool(bounds: Readonly<Record<string, number>>): boolean;
  poolLoad(): CodecLoad;
  softwareDecoder(codec: number): string;
  decodeStill(
    decoder: NativeDecoderOptions,
    units: readonly (readonly [bytes: readonly Uint8Array[], key: boolean, presentationUs: number])[],
    targets: Float64Array,
    timeoutMs: number,
  ): Promise<Picture[]>;
  readonly VideoDecoder: NativeDecoderClass;
}

/**
 * The native codec. Its threads belong to the Node thread that loads it, and end with it. Without the addon every call
 * rejects (or throws) NvrdError NOT_SUPPORTED, and the load is 0.
 */
export class NativeCodec implements Codec {
  readonly #addon: CodecAddon;
  readonly #functions: NativeFunctions | undefined;
  readonly #hardware: HardwareChoice | undefined;

  /** Throws RangeError for options out of range, and if a different number of threads is running already. */
  constructor(options: NativeCodecOptions = {}) {
    this.#addon = options.addon ?? loadCodecAddon();
    this.#functions = functionsOf(this.#addon);
    this.#hardware = options.hardware;
    const bounds = {
      threads: options.threads ?? Math.max(1, availableParallelism() - 1),
      queueMax: options.queueMax ?? CODEC_QUEUE_MAX,
      openMax: options.openMax ?? CODEC_OPEN_MAX,
      frameBytesMax: options.frameBytesMax ?? CODEC_FRAME_BYTES_MAX,
      keepMs: options.keepMs ?? CODEC_KEEP_MS,
    };
    if (this.#functions?.configurePool(bounds) === false)
      throw new RangeError(`codec options out of range: ${JSON.stringify(bounds)}`);
  }

  /** Why the codec cannot be used; undefined if it can. */
  get missing(): string | undefined {
    return this.#functions === undefined ? (this.#addon.missing ?? "it is of another version") : undefined;
  }

  /** Version of the loaded libav*: `5.1.6 (libavcodec 59.37.100)`; undefined without the codec. */
  get libavVersion(): string | undefined {
    const { libavVersion } = this.#addon.functions;
    const version: unknown = typeof libavVersion === "function" ? libavVersion() : undefined;
    return typeof version === "string" ? version : undefined;
  }

  get load(): CodecLoad {
    return this.#functions?.poolLoad() ?? NO_LOAD;
  }

  async decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]> {
    const { format, units, targets, timeoutMs = CODEC_JOB_MS_MAX } = options;
    const functions = this.#present();
    const decoder = nativeDecoderOptions(format, this.#softwareDecoder(format));
    const rows = units.map(
      (unit) => [unit.bytes, unit.key, unit.decodeTimeUs + unit.presentationOffsetUs] as const,
    );
    const { numbers } = nativeTargets(targets);
    try {
      return await functions.decodeStill(decoder, rows, numbers, timeoutMs);
    } catch (error) {
      throw fromAddon(error);
    }
  }

  openVideoDecoder(format: VideoFormat, turn: CodecTurn = "soon"): VideoDecoder {
    const openSoftware = (): VideoDecoder =>
      this.openDecoderNamed(format, this.#softwareDecoder(format), turn);
    const name = this.#hardware?.decoderFor(format.codec);
    if (name === undefined) return openSoftware();
    const hardware = this.openDecoderNamed(format, name, turn);
    const onFailure = (reason: string): void => this.#hardware?.failed("decoder", name, reason);
    return new FallbackVideoDecoder({ hardware, openSoftware, onFailure });
  }

  /** Opens libavcodec's decoder of this name, whether it works here or not. */
  openDecoderNamed(format: VideoFormat, name: string, turn: CodecTurn = "soon"): VideoDecoder {
    const { VideoDecoder } = this.#present();
    return new NativeVideoDecoder(VideoDecoder, { format, name, turn, jobMsMax: CODEC_JOB_MS_MAX });
  }

  openVideoEncoder(options: VideoEncoderOptions): VideoEncoder | undefined {
    const name = this.#hardware?.encoder;
    const hasSoftware = hasEncoder(this.#addon, SOFTWARE_ENCODER);
    const openSoftware = (): VideoEncoder => new AddonVideoEncoder(SOFTWARE_ENCODER, options, this.#addon);
    if (name === undefined) return hasSoftware ? openSoftware() : undefined;
    const hardware = new AddonVideoEncoder(name, options, this.#addon);
    if (!hasSoftware) return hardware;
    const onFailure = (reason: string): void => this.#hardware?.failed("encoder", name, reason);
    return new FallbackVideoEncoder({ hardware, openSoftware, onFailure });
  }

  openSoundTranscoder(options: SoundTranscoderOptions): SoundTranscoder {
    return openSoundTranscoder(options, this.#addon);
  }

  openMotionWatch(zones: readonly WatchedZone[]): MotionWatch {
    return new NativeMotionWatch(this.#present(), zones);
  }

  openRegionMotion(zones: readonly WatchedZone[]): RegionMotion {
    return new NativeRegionMotion(this.#present(), zones);
  }

  #present(): NativeFunctions {
    if (this.#functions === undefined) throw codecMissing(this.missing ?? "");
    return this.#functions;
  }

  #softwareDecoder(format: VideoFormat): string {
    const name = this.#present().softwareDecoder(format.codec);
    if (name === "")
      throw new CodecError("unsupported", `this libavcodec has no decoder for ${codecName(format.codec)}`);
    return name;
  }
}

/** Without the addon. */
export const NO_LOAD: CodecLoad = {
  threads: 0,
  running: 0,
  queued: 0,
  open: 0,
  frameBytes: 0,
  frameBytesMax: 0,
  frameRefusals: 0,
};

/** The addon's functions; undefined unless all are present. */
function functionsOf(addon: CodecAddon): NativeFunctions | undefined {
  const names = [
    "configurePool",
    "poolLoad",
    "softwareDecoder",
    "decodeStill",
    "VideoDecoder",
    "MotionWatch",
    "RegionMotion",
  ];
  const whole = names.every((name) => typeof addon.functions[name] === "function");
  return whole ? (addon.functions as unknown as NativeFunctions) : undefined;
}
