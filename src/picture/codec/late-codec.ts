import { Worker } from "node:worker_threads";
import { builtScript, type Clock, hasSpareThreads, type Log } from "../../base/index.js";
import type { VideoFormat } from "../../live/index.js";
import { codecAddonAbsent } from "./codec-addon.js";
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
import type { CodecVersion } from "./codec-version.js";
import { NativeCodec, type NativeCodecOptions, NO_LOAD } from "./native-codec.js";

/** Threads that the one that loads the libraries takes. */
const PRELOAD_THREADS = 2;
/** A thread that loads the libraries is given up after this; then the main thread loads them. */
const PRELOAD_MS_MAX = 30_000;

export interface LateCodecOptions extends NativeCodecOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks a child process for the version. */
  readonly askVersion: () => Promise<CodecVersion>;
  /** Has the system load the libraries aside; default: in a thread. */
  readonly preload?: (work: () => void) => Promise<void>;
}

/**
 * The native codec, loaded when something is to be decoded or encoded for the first time: its libraries take 15 MB and 40 ms of
 * CPU, and many recorders only record.
 */
export class LateCodec implements Codec {
  readonly #options: LateCodecOptions;
  #codec: NativeCodec | undefined;
  #preparing: Promise<void> | undefined;
  #version: Promise<CodecVersion> | undefined;
  #isReported = false;

  constructor(options: LateCodecOptions) {
    this.#options = options;
    const reason = codecAddonAbsent();
    if (reason !== undefined) this.#reportMissing(reason);
  }

  prepare(): Promise<void> | undefined {
    // It is loaded before the thread has ended: whoever comes meanwhile waits behind those who wait already.
    if (this.#codec !== undefined && this.#preparing === undefined) return undefined;
    const { clock, preload = (work) => preloadInThread(work, clock) } = this.#options;
    this.#preparing ??= preload(() => void this.#loaded()).then(() => {
      this.#loaded();
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  /** The version of libav*, from a child process while the codec is not loaded. Undefined without the codec. */
  async libavVersion(): Promise<string | undefined> {
    if (this.#codec !== undefined) return this.#codec.libavVersion;
    this.#version ??= this.#options.askVersion();
    const { libavVersion, missing } = await this.#version;
    if (missing !== undefined) this.#reportMissing(missing);
    return libavVersion;
  }

  get load(): CodecLoad {
    return this.#codec?.load ?? NO_LOAD;
  }

  async decodeStill(options: DecodeStillOptions): Promise<readonly Picture[]> {
    await this.prepare();
    return await this.#loaded().decodeStill(options);
  }

  openVideoDecoder(format: VideoFormat, turn?: CodecTurn): VideoDecoder {
    return this.#loaded().openVideoDecoder(format, turn);
  }

  openVideoEncoder(options: VideoEncoderOptions): VideoEncoder | undefined {
    return this.#loaded().openVideoEncoder(options);
  }

  openSoundTranscoder(options: SoundTranscoderOptions): SoundTranscoder {
    return this.#loaded().openSoundTranscoder(options);
  }

  openMotionWatch(zones: readonly WatchedZone[]): MotionWatch {
    return this.#loaded().openMotionWatch(zones);
  }

  openRegionMotion(zones: readonly WatchedZone[]): RegionMotion {
    return this.#loaded().openRegionMotion(zones);
  }

  #loaded(): NativeCodec {
    if (this.#codec !== undefined) return this.#codec;
    this.#codec = new NativeCodec(this.#options);
    if (this.#codec.missing !== undefined) this.#reportMissing(this.#codec.missing);
    return this.#codec;
  }

  #reportMissing(reason: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.log.warn(
      { reason },
      "no stills, transcoding or motion detection: the native codec is missing",
    );
  }
}

/** Calls `work` while a thread holds the libraries loaded: it finds them there. Resolves whatever the thread does. */
async function preloadInThread(work: () => void, clock: Clock): Promise<void> {
  const worker = preloader();
  // Where the system has no thread for it, they are loaded here.
  if (worker === undefined) return work();
  await new Promise<void>((resolve) => {
    const timer = clock.setTimeout(resolve, PRELOAD_MS_MAX);
    const end = (): void => {
      timer.clear();
      resolve();
    };
    // Without the thread, `work` loads them here, and says what is wrong with them.
    for (const event of ["message", "error", "exit"]) worker.once(event, end);
  });
  work();
  await worker.terminate();
}

function preloader(): Worker | undefined {
  if (!hasSpareThreads(PRELOAD_THREADS)) return undefined;
  return new Worker(builtScript(import.meta.url, "codec-preload-worker"), { execArgv: [] });
}
