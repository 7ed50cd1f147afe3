import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  parseGuid,
  STREAM_TYPES,
} from "../base/index.js";
import type { BootTimes } from "./boot-times.js";
import { TakeLevel } from "./held-frames.js";
import { provisionalOffsetOf, unpackSegmentHeader } from "./segment-header.js";
import {
  openSegmentPath,
  type SegmentFile,
  type SegmentSummary,
  segmentIdOf,
  segmentPath,
  type VolumeAccess,
  type VolumeSpace,
} from "./segment-summary.js";
import { VolumeHealth } from "./volume-health.js";
import type { IdentifyRequest, IdentifyResult, SummaryResult } from "./volume-messages.js";
import { VOLUME_GONE } from "./volume-mount.js";
import { BRISK_MS, type Candidate } from "./volume-spread.js";
import { type ThreadRequests, VolumeError } from "./volume-thread.js";
import { VolumeThreads, type VolumeThreadsOptions } from "./volume-threads.js";
import type { VolumeWriter } from "./volume-writer.js";
import { WriteRate } from "./write-rate.js";

/** Longest wait for an ordinary answer of a disk. */
export const DISK_TIMEOUT_MS = 10_000;
/** Longest wait for work on whole files: recovery, deep checks, listings of a sleeping disk. */
export const DISK_UPKEEP_TIMEOUT_MS = 120_000;
/** Segment files that `listSegments` hands out at once. */
const LIST_BATCH = 1000;
const SPACE_INTERVAL_MS = 10_000;

export interface VolumeOptions extends Omit<VolumeThreadsOptions, "onFailure" | "health"> {
  readonly bootTimes: BootTimes;
  readonly clock: Clock;
  /** Whether the directory has to be a mount point. */
  readonly mustBeMounted: boolean;
}

/** How much a volume's streams hand over and what becomes of it. */
export interface VolumeCounters {
  readonly directory: string;
  /** Undefined while it was never identified. */
  readonly volumeId: Guid | undefined;
  readonly usable: boolean;
  readonly streams: number;
  readonly heldBytes: number;
  readonly heldBytesMax: number;
  /** 0 all frames, 1 key frames only, 2 none. */
  readonly level: TakeLevel;
  /** How long the write, and the sync, that are under way have taken, in ms. */
  readonly writeStallMs: number;
  readonly syncStallMs: number;
  readonly bytesPerSecond: number;
  /** As last asked for. */
  readonly freeBytes: number;
  /** Since the threads were started. */
  readonly writtenBytes: number;
  readonly segmentsFailed: number;
}

/** One volume: a directory on one disk and the three threads that make every call on it. */
export class Volume implements VolumeAccess {
  readonly directory: string;
  readonly mustBeMounted: boolean;
  readonly #options: VolumeOptions;
  readonly #log: Log;
  readonly #health: VolumeHealth;
  readonly #rate = new WriteRate();
  #id: Guid | undefined;
  #threads: VolumeThreads | undefined;
  #onFailure: ((reason: string) => void) | undefined;
  #present = false;
  #ready = false;
  #space: VolumeSpace = { totalBytes: 0, freeBytes: 0 };
  #spaceTimer: ClockTimer | undefined;
  /** Threads that were told to end and have not: they hang in the disk. */
  #leaving: VolumeThreads | undefined;

  constructor(options: VolumeOptions) {
    this.directory = options.directory;
    this.mustBeMounted = options.mustBeMounted;
    this.#options = options;
    this.#log = options.log.child({ directory: options.directory });
    this.#health = new VolumeHealth({ clock: options.clock, onGivenUp: (reason) => this.fail(reason) });
  }

  /** The volume's id, also when it has failed since. Throws while it was never identified. */
  get id(): Guid {
    if (this.#id === undefined)
      throw new NvrdError("NOT_AVAILABLE", `${this.directory} is not identified yet`);
    return this.#id;
  }

  /** Whether it was taken and has not failed since. */
  get isIdentified(): boolean {
    return this.#present;
  }

  get writer(): VolumeWriter | undefined {
    return this.#ready ? this.#threads?.writer : undefined;
  }

  get usable(): boolean {
    return this.writer?.usable === true;
  }

  /** The volume as one that a stream may go to; undefined while it cannot be written. */
  candidate(streams: number): (Candidate & { readonly writer: VolumeWriter }) | undefined {
    const { writer } = this;
    if (writer === undefined || !writer.usable) return undefined;
    const brisk = writer.writeStallMs < BRISK_MS && writer.level === TakeLevel.ALL;
    const { bytesPerSecond } = this.#rate;
    return { id: this.id, writer, ...this.#space, bytesPerSecond, streams, brisk, full: this.#health.isFull };
  }

  /** Bytes written since the volume's threads began. */
  get writtenBytes(): number {
    return this.writer?.writtenBytes ?? 0;
  }

  /** Bytes of the volume's file system as last asked for; 0 before. */
  get totalBytes(): number {
    return this.#space.totalBytes;
  }

  /** Free bytes of it as last asked for; 0 before. */
  get freeBytes(): number {
    return this.#space.freeBytes;
  }

  counters(): VolumeCounters {
    const { writer } = this;
    return {
      directory: this.directory,
      volumeId: this.#id,
      usable: this.usable,
      streams: writer?.streams ?? 0,
      heldBytes: writer?.heldBytes ?? 0,
      heldBytesMax: this.#options.heldBytesMax,
      level: writer?.level ?? TakeLevel.NONE,
      writeStallMs: writer?.writeStallMs ?? 0,
      syncStallMs: writer?.syncStallMs ?? 0,
      bytesPerSecond: this.#rate.bytesPerSecond,
      freeBytes: this.#space.freeBytes,
      writtenBytes: writer?.writtenBytes ?? 0,
      segmentsFailed: this.#health.failures,
    };
  }

  /** Called when the volume has failed; `start` may be tried again. */
  onFailure(listener: (reason: string) => void): void {
    this.#onFailure = listener;
  }

  /** Starts the threads and identifies the directory. Rejects with VOLUME_REFUSED, FORMAT_NEWER or NOT_AVAILABLE. */
  async start(request: IdentifyRequest): Promise<IdentifyResult> {
    if (this.#threads !== undefined)
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory} is being taken`);
    if (this.#leaving !== undefined)
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory}: a call on it still hangs`);
    const threads = new VolumeThreads({
      ...this.#options,
      health: this.#health,
      log: this.#log,
      onFailure: (reason) => this.fail(reason),
    });
    this.#threads = threads;
    try {
      const identified = await threads.identify(request, DISK_TIMEOUT_MS);
      this.#id = identified.volumeId;
      this.#present = true;
      this.#space = { totalBytes: identified.totalBytes, freeBytes: identified.freeBytes };
      threads.writer.start();
      this.#ready = true;
      this.#spaceTimer = this.#options.clock.setInterval(() => this.#askSpace(), SPACE_INTERVAL_MS);
      return identified;
    } catch (error) {
      this.#endThreads("not taken");
      throw asRefusal(error, this.directory);
    }
  }

  /** Ends the threads; what is to be written must have been ended before. One that hangs in the disk is left behind. */
  async stop(): Promise<void> {
    const threads = this.#threads;
    this.#ready = false;
    this.#present = false;
    this.#spaceTimer?.clear();
    if (threads === undefined) return;
    this.#threads = undefined;
    threads.writer.stop();
    threads.failRequests("stopped");
    if (!(await threads.terminateSoon()))
      this.#log.error("a disk does not answer: its thread is left behind");
  }

  /** Gives the volume up: its streams leave, its threads end. */
  fail(reason: string): void {
    if (this.#threads === undefined) return;
    const wasReady = this.#ready;
    this.#log.error(`volume failed: ${reason}`);
    this.#endThreads(reason);
    if (wasReady) this.#onFailure?.(reason);
  }

  /** Takes note of what was written of late; called on the volumes' common tick. */
  measure(): void {
    const { writer } = this;
    if (writer !== undefined) this.#rate.note(writer.writtenBytes, this.#options.clock.monotonicUs());
  }

  /** The reader thread. Throws NOT_AVAILABLE while the volume does not run. */
  get reads(): ThreadRequests {
    if (this.#threads === undefined || !this.#ready) {
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory} is not running`);
    }
    return this.#threads.readerRequests;
  }

  /** Moves files from `open/` to their place in `streams/`. */
  async settle(files: readonly SegmentFile[]): Promise<void> {
    const threads = this.#threads;
    if (threads === undefined)
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory} is not running`);
    const moves = files.map((file) => ({ from: openSegmentPath(file), to: segmentPath(file) }));
    await threads.syncerRequests.call((id) => ({ op: "rename", id, files: moves }), DISK_UPKEEP_TIMEOUT_MS);
  }

  async *listSegments(): AsyncGenerator<readonly SegmentFile[]> {
    const opened = await this.reads.read({ op: "list-open" }, DISK_UPKEEP_TIMEOUT_MS);
    let batch: SegmentFile[] = opened.map((header) => unpackSegmentHeader(Buffer.from(header)));
    const days = await this.reads.read({ op: "list-days" }, DISK_UPKEEP_TIMEOUT_MS);
    for (const path of days) {
      const names = await this.#listDay(path);
      for (const name of names) {
        const file = fileOf(path, name);
        if (file !== undefined) batch.push(file);
      }
      if (batch.length < LIST_BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async readSummary(file: SegmentFile, options: { readonly deep: boolean }): Promise<SegmentSummary> {
    const { bootTimes } = this.#options;
    const paths = segmentPaths(file);
    await bootTimes.loaded(this.id);
    const found = await this.reads.read({ op: "summary", paths, deep: options.deep }, DISK_UPKEEP_TIMEOUT_MS);
    const summary = summaryOf(found, bootTimes);
    const same =
      summary.segmentId === file.segmentId &&
      summary.key.channelId === file.key.channelId &&
      summary.key.streamType === file.key.streamType;
    if (!same)
      throw new VolumeError(
        "DAMAGED",
        `${paths[0]} says it is segment ${summary.segmentId} of another stream`,
      );
    return summary;
  }

  async unlink(file: SegmentFile): Promise<void> {
    await this.reads.read({ op: "unlink", paths: segmentPaths(file) }, DISK_UPKEEP_TIMEOUT_MS);
  }

  async space(): Promise<VolumeSpace> {
    const space = await this.reads.read({ op: "space" }, DISK_TIMEOUT_MS);
    this.#space = space;
    return space;
  }

  async #listDay(path: string): Promise<readonly string[]> {
    try {
      return await this.reads.read({ op: "list-day", path }, DISK_UPKEEP_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof VolumeError && error.code === "ENOENT") return []; // retention removed the day meanwhile
      throw error;
    }
  }

  #askSpace(): void {
    this.space().catch((error: unknown) => {
      if (error instanceof VolumeError && error.code === VOLUME_GONE) this.fail(error.message);
      else this.#log.warn(`free space unknown: ${errorText(error)}`);
    });
  }

  #endThreads(reason: string): void {
    const threads = this.#threads;
    if (threads === undefined) return;
    this.#threads = undefined;
    this.#present = false; // another disk may lie there when it is taken again
    this.#ready = false;
    this.#spaceTimer?.clear();
    threads.writer.fail(reason);
    threads.failRequests(reason);
    this.#leaving = threads;
    void threads.terminate().then(() => {
      this.#leaving = undefined;
    });
  }
}

/** Where a segment's file may be: its place, `open/` until the index knows it, its place again when it moved just then. */
export function segmentPaths(file: SegmentFile): string[] {
  return [segmentPath(file), openSegmentPath(file), segmentPath(file)];
}

/** What the index keeps of a closed segment, from its header and footer, dated as its volume says. */
export function summaryOf(found: SummaryResult, bootTimes: Pick<BootTimes, "redate">): SegmentSummary {
  const header = unpackSegmentHeader(Buffer.from(found.header));
  const { toUs, videoFrames, audioFrames, gops } = found.progress;
  const { volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs } = header;
  const summary = {
    ...{ volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs },
    ...{ toUs, bytes: found.bytes, videoFrames, audioFrames, gops },
  };
  return bootTimes.redate(summary, provisionalOffsetOf(header));
}

function fileOf(day: string, name: string): SegmentFile | undefined {
  const [, channel = "", stream = ""] = day.split("/");
  const segmentId = segmentIdOf(name);
  const channelId = parseGuid(channel);
  const streamType = STREAM_TYPES.find((type) => type === stream);
  if (segmentId === undefined || channelId === undefined || streamType === undefined) return undefined;
  return { key: { channelId, streamType }, segmentId };
}

function asRefusal(error: unknown, directory: string): Error {
  if (error instanceof NvrdError) return error;
  const code =
    error instanceof VolumeError && error.code === "FORMAT_NEWER" ? "FORMAT_NEWER" : "VOLUME_REFUSED";
  return new NvrdError(code, `volume ${directory}: ${errorText(error)}`, { cause: error });
}
