import { type Clock, errorText, type Log, NvrdError, pauseUnlessAborted } from "../../base/index.js";
import type { Codec, PicturePart } from "../codec/codec-types.js";
import { StillCache } from "./still-cache.js";
import { StillJob, type StillShare } from "./still-job.js";
import type { CutPicture, GrayPlane, SpriteCells } from "./still-jpeg.js";
import { StillMaker } from "./still-maker.js";
import { StillMoments } from "./still-moments.js";
import {
  type Still,
  type StillFrame,
  type StillMaterial,
  type StillSize,
  type StillSource,
  stillFrameText,
  stillSizeText,
} from "./still-types.js";

/** Most pictures in work: each holds the frames of a GOP (RUN_BYTES_MAX) and one decoded picture. */
export const STILLS_AT_ONCE_MAX = 4;
/** Most pictures that wait for their turn or their camera; further ones are refused. */
export const STILLS_WAITING_MAX = 160;
/** Most of them that wait for a camera. */
export const STILLS_PREPARING_MAX = 64;
/** How long work that has time steps aside for stills. */
const ASIDE_MS = 50;
/** Retry-After of a refusal. */
const BUSY_RETRY_MS = 1000;
/** How long the frame of a time in the archive is remembered: retention and clock corrections may change it. */
const MOMENT_KEPT_MS = 60_000;
/** Likewise for a camera's snapshot, which is the newest only for a moment. */
const NEWEST_KEPT_MS = 1000;

export interface StillsOptions {
  readonly codec: Codec;
  /** Memory of the cache. */
  readonly cacheBytesMax: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: STILLS_AT_ONCE_MAX, STILLS_WAITING_MAX, STILLS_PREPARING_MAX. */
  readonly bounds?: { readonly atOnce: number; readonly waiting: number; readonly preparing: number };
}

/** Load of the stills; cheap to read. */
export interface StillsLoad {
  readonly running: number;
  /** Waiting for their turn or for a camera. */
  readonly waiting: number;
  readonly cachedBytes: number;
  readonly cached: number;
}

/**
 * Single pictures of live and recorded streams. Results are cached in limited memory. Equal requests in progress share
 * their work, as do sizes of one frame that are requested before its decoding begins. Beyond the limit of work, a
 * request is refused.
 */
export class Stills {
  readonly #options: StillsOptions;
  readonly #bounds: { readonly atOnce: number; readonly waiting: number; readonly preparing: number };
  readonly #cache: StillCache;
  readonly #moments: StillMoments;
  readonly #maker: StillMaker;
  /** Jobs in progress by the source's key; a second job for a source also has its size in the key. */
  readonly #jobs = new Map<string, StillJob>();
  readonly #queue: StillJob[] = [];
  #running = 0;
  #preparing = 0;

  constructor(options: StillsOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? {
      atOnce: STILLS_AT_ONCE_MAX,
      waiting: STILLS_WAITING_MAX,
      preparing: STILLS_PREPARING_MAX,
    };
    this.#cache = new StillCache(options.cacheBytesMax, options.clock);
    this.#moments = new StillMoments(options.clock);
    this.#maker = new StillMaker({ codec: options.codec, cache: this.#cache });
  }

  stop(): void {
    this.#cache.stop();
  }

  get load(): StillsLoad {
    return {
      running: this.#running,
      waiting: this.#queue.length + this.#preparing,
      cachedBytes: this.#cache.bytes,
      cached: this.#cache.size,
    };
  }

  /** The cached still of a frame, for an answer that is sent now: its bytes are the cache's. */
  ofFrame(frame: StillFrame, size: StillSize): Still | undefined {
    return this.#cache.get(`${stillFrameText(frame)} ${stillSizeText(size)}`);
  }

  /** As `ofFrame`, of a source's frame, while that is remembered. */
  ofSource(sourceKey: string, size: StillSize): Still | undefined {
    const frame = this.#moments.get(sourceKey);
    return frame === undefined ? undefined : this.#cache.get(`${frame} ${stillSizeText(size)}`);
  }

  /** As `ofSource`, to be kept: its bytes are the caller's. */
  copyOfSource(sourceKey: string, size: StillSize): Still | undefined {
    const frame = this.#moments.get(sourceKey);
    return frame === undefined ? undefined : this.#cache.take(`${frame} ${stillSizeText(size)}`);
  }

  /**
   * Makes a still, or joins the work in progress. Throws NvrdError NOT_AVAILABLE, with `retryAfterMs`, if there is too
   * much work. The promise rejects with NvrdError: NOT_FOUND, NOT_AVAILABLE or NOT_SUPPORTED.
   */
  make(source: StillSource, size: StillSize): StillShare {
    const own = `${source.key} ${stillSizeText(size)}`;
    for (const key of [source.key, own]) {
      const share = this.#jobs.get(key)?.join(size);
      if (share !== undefined) return share;
    }
    this.#requireRoom(source);
    const key = this.#jobs.has(source.key) ? own : source.key;
    const job = new StillJob({ key, source, onAbandoned: () => this.#abandon(job) });
    const share = job.join(size);
    if (share === undefined) throw new Error("a new job takes its first size");
    this.#jobs.set(key, job);
    if (source.prepare === undefined) this.#enqueue(job);
    else this.#prepare(job, source.prepare).catch((error: unknown) => this.#fail(job, error));
    return share;
  }

  /**
   * A frame as a small grey picture, to look for something in: not cached, and only while nobody waits for a still.
   * Undefined if `signal` was aborted. Rejects like the promise of `make`.
   */
  async gray(source: StillSource, width: number, signal: AbortSignal): Promise<GrayPlane | undefined> {
    if (!(await this.idle(signal))) return undefined;
    const material = await source.open(signal);
    try {
      return signal.aborted ? undefined : await this.#maker.gray(material, width);
    } finally {
      material.release();
    }
  }

  /** Resolves with true when nobody waits for a still, for work that has time; with false once `signal` is aborted. */
  async idle(signal: AbortSignal): Promise<boolean> {
    while (this.#running > 0 || this.#queue.length > 0) {
      await pauseUnlessAborted(this.#options.clock, ASIDE_MS, signal);
      if (signal.aborted) return false;
    }
    return true;
  }

  /** A part of a still as a JPEG of its own: see `StillJpegs.cut`. */
  cut(jpeg: Uint8Array, part: PicturePart, sideMax: number): Promise<CutPicture> {
    return this.#maker.cut(jpeg, part, sideMax);
  }

  /** Several stills as one JPEG: see `StillJpegs.sprite`. */
  sprite(stills: readonly (Still | undefined)[], cells: SpriteCells): Promise<Uint8Array> {
    return this.#maker.sprite(stills, cells);
  }

  #requireRoom(source: StillSource): void {
    const { waiting, preparing } = this.#bounds;
    const isFull = this.#queue.length + this.#preparing >= waiting;
    const tooManyCameras = source.prepare !== undefined && this.#preparing >= preparing;
    if (!isFull && !tooManyCameras) return;
    const what = tooManyCameras
      ? `${this.#preparing} cameras are being waited for`
      : `${waiting} pictures wait`;
    throw new NvrdError("NOT_AVAILABLE", `${what} already, which is the limit`, {
      retryAfterMs: BUSY_RETRY_MS,
    });
  }

  async #prepare(job: StillJob, prepare: (signal: AbortSignal) => Promise<StillMaterial>): Promise<void> {
    this.#preparing += 1;
    try {
      job.prepared = await prepare(job.signal);
    } finally {
      this.#preparing -= 1;
    }
    if (job.signal.aborted) job.prepared.release();
    else this.#enqueue(job);
  }

  #enqueue(job: StillJob): void {
    this.#queue.push(job);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < this.#bounds.atOnce) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#running += 1;
      this.#run(job)
        .catch((error: unknown) => this.#fail(job, error))
        .finally(() => {
          this.#running -= 1;
          this.#pump();
        });
    }
  }

  async #run(job: StillJob): Promise<void> {
    const material = job.takePrepared() ?? (await job.source.open(job.signal));
    try {
      // If nobody waits, stop here. Otherwise the sizes are final: later requests start a new job.
      if (job.signal.aborted) return;
      const frame = stillFrameText(material.frame);
      if (material.lasting) this.#moments.set(job.source.key, frame, MOMENT_KEPT_MS);
      else if (material.kind === "jpeg") this.#moments.set(job.source.key, frame, NEWEST_KEPT_MS);
      job.finish(await this.#maker.make(material, job.seal()));
    } finally {
      material.release();
      this.#forget(job);
    }
  }

  #fail(job: StillJob, error: unknown): void {
    this.#forget(job);
    if (!(error instanceof NvrdError))
      this.#options.log.error({ still: job.key, err: error }, `a still failed: ${errorText(error)}`);
    job.fail(error);
  }

  /** Nobody waits for the job any longer: removes it from the queue. Running work ends by its signal. */
  #abandon(job: StillJob): void {
    const at = this.#queue.indexOf(job);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      job.takePrepared()?.release();
    }
    this.#forget(job);
  }

  #forget(job: StillJob): void {
    if (this.#jobs.get(job.key) === job) this.#jobs.delete(job.key);
  }
}
