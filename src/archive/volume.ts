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
import { unpackSegmentHeader } from "./segment-header.js";
import {
  openSegmentPath,
  type SegmentFile,
  type SegmentSummary,
  segmentPath,
  type VolumeAccess,
  type VolumeSpace,
} from "./segment-summary.js";
import type {
  IdentifyRequest,
  IdentifyResult,
  SummaryResult,
  SyncerAnswer,
  ThreadReply,
  WriterAnswer,
} from "./volume-messages.js";
import { type StartVolumeThread, ThreadRequests, VolumeError, type VolumeThread } from "./volume-thread.js";
import { type SegmentListener, VolumeWriter } from "./volume-writer.js";

/** Longest wait for an ordinary answer of a disk. */
export const DISK_TIMEOUT_MS = 10_000;
/** Longest wait for work on whole files: recovery, deep checks, listings of a sleeping disk. */
export const DISK_UPKEEP_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 500;
/** Segment files that `listSegments` hands out at once. */
const LIST_BATCH = 1000;
const FILE_ID_PATTERN = /([0-9a-f]{14})\.seg$/;

export interface VolumeOptions {
  readonly directory: string;
  readonly startThread: StartVolumeThread;
  readonly listener: SegmentListener;
  readonly clock: Clock;
  readonly log: Log;
  readonly tickMs: number;
  readonly syncIntervalMs: number;
  readonly heldBytesMax: number;
}

interface Threads {
  readonly all: readonly VolumeThread[];
  readonly writerRequests: ThreadRequests;
  readonly syncerRequests: ThreadRequests;
  readonly readerRequests: ThreadRequests;
  readonly writer: VolumeWriter;
}

/** One volume: a directory on one disk and the three threads that make every call on it. */
export class Volume implements VolumeAccess {
  readonly directory: string;
  readonly #options: VolumeOptions;
  readonly #log: Log;
  #id: Guid | undefined;
  #threads: Threads | undefined;
  #onFailure: ((reason: string) => void) | undefined;
  #ready = false;
  #freeBytes = 0;
  #totalBytes = 0;
  #spaceTimer: ClockTimer | undefined;

  constructor(options: VolumeOptions) {
    this.directory = options.directory;
    this.#options = options;
    this.#log = options.log.child({ directory: options.directory });
  }

  /** The volume's id. Throws while it was never identified. */
  get id(): Guid {
    if (this.#id === undefined)
      throw new NvrdError("NOT_AVAILABLE", `${this.directory} is not identified yet`);
    return this.#id;
  }

  get isIdentified(): boolean {
    return this.#id !== undefined;
  }

  get writer(): VolumeWriter | undefined {
    return this.#ready ? this.#threads?.writer : undefined;
  }

  get usable(): boolean {
    return this.writer?.usable === true;
  }

  /** Free bytes as last asked for. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Bytes written since the volume's threads began. */
  get writtenBytes(): number {
    return this.#threads?.writer.writtenBytes ?? 0;
  }

  /** Bytes of the volume's file system as last asked for; 0 before. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Called when a thread of the volume has ended by itself; `start` may be tried again. */
  onFailure(listener: (reason: string) => void): void {
    this.#onFailure = listener;
  }

  /** Starts the threads and identifies the directory. Rejects with VOLUME_REFUSED, FORMAT_NEWER or NOT_AVAILABLE. */
  async start(request: IdentifyRequest): Promise<IdentifyResult> {
    const threads = this.#threads ?? this.#startThreads();
    this.#threads = threads;
    try {
      const result = await threads.writerRequests.call(
        (id) => ({ op: "identify", id, request }),
        DISK_TIMEOUT_MS,
      );
      const identified = result as IdentifyResult;
      this.#id = identified.volumeId;
      this.#freeBytes = identified.freeBytes;
      threads.writer.start();
      this.#ready = true;
      this.#spaceTimer = this.#options.clock.setInterval(() => this.#askSpace(), SPACE_INTERVAL_MS);
      return identified;
    } catch (error) {
      this.#endThreads("not taken");
      throw asRefusal(error, this.directory);
    }
  }

  /** Ends the threads; what is to be written must have been ended before. */
  async stop(): Promise<void> {
    const threads = this.#threads;
    this.#ready = false;
    this.#spaceTimer?.clear();
    if (threads === undefined) return;
    this.#threads = undefined;
    threads.writer.stop();
    failRequests(threads, "stopped");
    const ended = Promise.all(threads.all.map((thread) => thread.terminate()));
    let timer: ClockTimer | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = this.#options.clock.setTimeout(() => resolve("late"), STOP_TIMEOUT_MS);
    });
    if ((await Promise.race([ended, late])) === "late")
      this.#log.error("a disk does not answer: its thread is left behind");
    timer?.clear();
  }

  /** The reader thread. Rejects with NOT_AVAILABLE while the volume does not run. */
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
    const paths = segmentPaths(file);
    const found = await this.reads.read({ op: "summary", paths, deep: options.deep }, DISK_UPKEEP_TIMEOUT_MS);
    const summary = summaryOf(found);
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
    this.#freeBytes = space.freeBytes;
    this.#totalBytes = space.totalBytes;
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
    this.space().catch((error: unknown) => this.#log.warn(`free space unknown: ${errorText(error)}`));
  }

  #startThreads(): Threads {
    const { startThread, clock, listener, tickMs, syncIntervalMs, heldBytesMax } = this.#options;
    const { directory } = this;
    const writerThread = startThread({ role: "writer", directory });
    const syncThread = startThread({ role: "syncer", directory });
    const readerThread = startThread({ role: "reader", directory });
    const requestsOf = (thread: VolumeThread) =>
      new ThreadRequests({ thread, clock, name: `volume ${directory}` });
    const writerRequests = requestsOf(writerThread);
    const syncerRequests = requestsOf(syncThread);
    const readerRequests = requestsOf(readerThread);
    const bounds = { tickMs, syncIntervalMs, heldBytesMax };
    const log = this.#log;
    const writer = new VolumeWriter({ thread: writerThread, syncThread, listener, clock, log, ...bounds });
    writerThread.onMessage((data) => {
      const answer = data as WriterAnswer;
      if (answer.op === "reply") writerRequests.answer(answer);
      else writer.onAnswer(answer);
    });
    syncThread.onMessage((data) => {
      const answer = data as SyncerAnswer;
      if (answer.op === "reply") syncerRequests.answer(answer);
      else writer.onSyncAnswer(answer);
    });
    readerThread.onMessage((data) => readerRequests.answer(data as ThreadReply));
    const all = [writerThread, syncThread, readerThread];
    for (const thread of all) thread.onFailure((reason) => this.#fail(reason));
    return { all, writerRequests, syncerRequests, readerRequests, writer };
  }

  #fail(reason: string): void {
    this.#log.error(`volume failed: ${reason}`);
    this.#endThreads(reason);
    this.#onFailure?.(reason);
  }

  #endThreads(reason: string): void {
    const threads = this.#threads;
    if (threads === undefined) return;
    this.#threads = undefined;
    this.#ready = false;
    this.#spaceTimer?.clear();
    threads.writer.fail(reason);
    failRequests(threads, reason);
    for (const thread of threads.all) {
      thread.terminate().catch((error: unknown) => this.#log.warn(`thread not ended: ${errorText(error)}`));
    }
  }
}

function failRequests(threads: Threads, reason: string): void {
  threads.writerRequests.fail(reason);
  threads.syncerRequests.fail(reason);
  threads.readerRequests.fail(reason);
}

const SPACE_INTERVAL_MS = 10_000;

/** Where a segment's file may be: its place, `open/` until the index knows it, its place again when it moved just then. */
export function segmentPaths(file: SegmentFile): string[] {
  return [segmentPath(file), openSegmentPath(file), segmentPath(file)];
}

/** What the index keeps of a closed segment, from its header and footer. */
export function summaryOf(found: SummaryResult): SegmentSummary {
  const header = unpackSegmentHeader(Buffer.from(found.header));
  const { toUs, videoFrames, audioFrames, gops } = found.progress;
  const { volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs } = header;
  return {
    ...{ volumeId, segmentId, key, fragmentId, fragmentSequence, epoch, bootId, fromUs },
    ...{ toUs, bytes: found.bytes, videoFrames, audioFrames, gops },
  };
}

/** The segment id in a file's name. */
export function segmentIdOf(name: string): number | undefined {
  const match = FILE_ID_PATTERN.exec(name);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16);
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
