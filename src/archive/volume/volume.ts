import { type Clock, type ClockTimer, errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import type { FilePiece, IdentifyRequest, IdentifyResult, SideFile } from "../disk/volume-messages.js";
import { VOLUME_GONE } from "../disk/volume-mount.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";
import { unpackSegmentHeader } from "../segment/segment-header.js";
import {
  openSegmentPath,
  type SegmentFile,
  type SegmentListing,
  type SummaryOutcome,
  segmentIdOf,
  segmentPath,
  type VolumeAccess,
} from "../segment/segment-summary.js";
import { allowedBytes, roomBytes, type VolumeUse } from "../segment/volume-room.js";
import type { VolumeSpace } from "../segment/volume-space.js";
import type { BootTimes } from "../time/boot-times.js";
import { TakeLevel } from "../write/held-frames.js";
import type { VolumeWriter } from "../write/volume-writer.js";
import { VolumeHealth } from "./volume-health.js";
import {
  DISK_UPKEEP_TIMEOUT_MS,
  listVolume,
  newestFiles,
  readFiles,
  segmentPaths,
} from "./volume-segments.js";
import { BRISK_MS, type Candidate } from "./volume-spread.js";
import { VolumeThreads, type VolumeThreadsOptions } from "./volume-threads.js";
import { WriteRate } from "./write-rate.js";

/** Longest wait for an ordinary answer of a disk. */
export const DISK_TIMEOUT_MS = 10_000;
const SPACE_INTERVAL_MS = 10_000;

export interface VolumeOptions extends Omit<VolumeThreadsOptions, "onFailure" | "health"> {
  readonly bootTimes: BootTimes;
  readonly clock: Clock;
  /** Whether the directory has to be a mount point. */
  readonly mustBeMounted: boolean;
  /** A volume's bounds and use; default: it may take whatever is free. */
  readonly useOf?: UseOf;
}

/** The bounds and the use of a volume with so much space. */
export type UseOf = (
  volume: { readonly id: Guid; readonly directory: string },
  space: VolumeSpace,
) => VolumeUse;

/** How much a volume's streams hand over and what becomes of it. */
export interface VolumeCounters {
  readonly directory: string;
  /** Undefined while it was never identified. */
  readonly volumeId: Guid | undefined;
  readonly usable: boolean;
  /** Nothing new is recorded onto it: it may be away. */
  readonly isRetired: boolean;
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

/** Files of a volume beside its segments, which its owner names: `<path>/<directory>/<name>`. */
export interface SideFiles {
  readonly id: Guid;
  listSideFiles(path: string): Promise<readonly SideFile[]>;
  /** As many bytes as the memory holds. */
  readSideFile(path: string, position: number, memory: SharedArrayBuffer): Promise<FilePiece>;
  /** From where what is whole of it ends; what lies behind is cut off. Rejects with SIDE_FILE_SHORT where the file ends before. */
  appendToSideFile(path: string, position: number, bytes: Uint8Array): Promise<void>;
  /** One that is not there is no error. */
  removeSideFile(path: string): Promise<void>;
}

/** One volume: a directory on one disk and the three threads that make every call on it. */
export class Volume implements VolumeAccess, SideFiles {
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
  #device: number | undefined;
  #spaceTimer: ClockTimer | undefined;
  /** Threads that were ordered to end and have not: they hang in the disk. */
  #leaving: VolumeThreads | undefined;

  constructor(options: VolumeOptions) {
    this.directory = options.directory;
    this.mustBeMounted = options.mustBeMounted;
    this.#options = options;
    this.#log = options.log.child({ directory: options.directory });
    this.#health = new VolumeHealth({
      clock: options.clock,
      onDoubt: () => this.#askSpace(),
      onGivenUp: (reason) => this.fail(reason),
    });
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
    const { useOf = anythingFree } = this.#options;
    const use = useOf(this, this.#space);
    const room = { roomBytes: roomBytes(use), allowedBytes: allowedBytes(use) };
    const full = this.#health.isFull;
    return { id: this.id, writer, ...room, bytesPerSecond, streams, brisk, full };
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

  /** The room on its file system as last asked for. */
  get lastSpace(): VolumeSpace {
    return this.#space;
  }

  /** The file system that it was found on, st_dev; undefined while it was never identified. */
  get device(): number | undefined {
    return this.#device;
  }

  /** Files since the start that could not be created for want of room. */
  get filesRefused(): number {
    return this.#health.filesRefused;
  }

  /** Streams that are recorded onto it now. */
  get streams(): number {
    return this.writer?.streams ?? 0;
  }

  /** Nothing is written to it, and no call on it takes long. */
  get isAtRest(): boolean {
    const { writer } = this;
    if (writer === undefined) return true;
    return writer.usable && writer.streams === 0 && writer.writeStallMs === 0 && writer.syncStallMs === 0;
  }

  counters(): Omit<VolumeCounters, "isRetired"> {
    const { writer } = this;
    return {
      directory: this.directory,
      volumeId: this.#id,
      usable: this.usable,
      streams: this.streams,
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
    // Threads of a try that was refused a moment ago are just ending.
    const hangs = this.#leaving !== undefined && !(await this.#leaving.terminateSoon());
    if (this.#threads !== undefined)
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory} is being taken`);
    if (hangs) throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory}: a call on it still hangs`);
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
      this.#space = identified.space;
      this.#device = identified.place.device;
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
    if (!(await threads.terminateSoon())) this.#log.error("a disk does not answer: its thread is abandoned");
  }

  /** Gives the volume up: its streams leave, its threads end. */
  fail(reason: string): void {
    if (this.#threads === undefined) return;
    const wasReady = this.#ready;
    this.#log.error(`volume failed: ${reason}`);
    this.#endThreads(reason);
    if (wasReady) this.#onFailure?.(reason);
  }

  /** Records what was written recently; called on the volumes' common tick. */
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
    await this.#rename(files.map((file) => ({ from: openSegmentPath(file), to: segmentPath(file) })));
  }

  listSegments(): AsyncIterable<SegmentListing> {
    return listVolume(this.reads);
  }

  async readSummaries(
    files: readonly SegmentFile[],
    options: { readonly deep: boolean; readonly fromFrames?: boolean },
  ): Promise<readonly SummaryOutcome[]> {
    const { bootTimes } = this.#options;
    await bootTimes.loaded(this.id);
    return await readFiles({ reads: this.reads, volumeId: this.id, bootTimes }, files, options);
  }

  /** The newest closed segment file of each stream: an index that lacks one of them is an old one. */
  async newestFiles(): Promise<readonly SegmentFile[]> {
    return await newestFiles(this.reads);
  }

  async closeAgain(file: SegmentFile, durationUs: number | undefined): Promise<void> {
    const request = { op: "close-again", paths: segmentPaths(file), durationUs } as const;
    await this.reads.read(request, DISK_UPKEEP_TIMEOUT_MS);
  }

  async putInPlace(path: string): Promise<SegmentFile> {
    const bytes = await this.reads.read({ op: "header", paths: [path] }, DISK_UPKEEP_TIMEOUT_MS);
    const header = unpackSegmentHeader(Buffer.from(bytes));
    if (header.volumeId !== this.id || header.segmentId !== segmentIdOf(path))
      throw new VolumeError("DAMAGED", `it is segment ${header.segmentId} of volume ${header.volumeId}`);
    const [taken] = await this.readSummaries([header], { deep: false });
    if (taken === undefined || !isMissing(taken))
      throw new NvrdError("CONFLICT", "there is a file in its place already");
    await this.#rename([{ from: path, to: segmentPath(header) }]);
    return { key: header.key, segmentId: header.segmentId };
  }

  async movesOf(file: SegmentFile): Promise<number> {
    const bytes = await this.reads.read({ op: "header", paths: segmentPaths(file) }, DISK_UPKEEP_TIMEOUT_MS);
    return unpackSegmentHeader(Buffer.from(bytes)).moves;
  }

  async unlink(file: SegmentFile): Promise<void> {
    await this.reads.read({ op: "unlink", paths: segmentPaths(file) }, DISK_UPKEEP_TIMEOUT_MS);
  }

  async listSideFiles(path: string): Promise<readonly SideFile[]> {
    return await this.reads.read({ op: "list-side-files", path }, DISK_UPKEEP_TIMEOUT_MS);
  }

  async readSideFile(path: string, position: number, memory: SharedArrayBuffer): Promise<FilePiece> {
    return await this.reads.read({ op: "read-piece", paths: [path], position, memory }, DISK_TIMEOUT_MS);
  }

  async appendToSideFile(path: string, position: number, bytes: Uint8Array): Promise<void> {
    await this.reads.read({ op: "append-side-file", path, position, bytes }, DISK_TIMEOUT_MS);
  }

  async removeSideFile(path: string): Promise<void> {
    await this.reads.read({ op: "unlink", paths: [path] }, DISK_UPKEEP_TIMEOUT_MS);
  }

  async space(): Promise<VolumeSpace> {
    const space = await this.reads.read({ op: "space" }, DISK_TIMEOUT_MS);
    this.#space = space;
    return space;
  }

  async #rename(files: readonly { readonly from: string; readonly to: string }[]): Promise<void> {
    const threads = this.#threads;
    if (threads === undefined)
      throw new NvrdError("NOT_AVAILABLE", `volume ${this.directory} is not running`);
    await threads.syncerRequests.call((id) => ({ op: "rename", id, files }), DISK_UPKEEP_TIMEOUT_MS);
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

function isMissing(outcome: SummaryOutcome): boolean {
  return "error" in outcome && outcome.error instanceof VolumeError && outcome.error.code === "ENOENT";
}

/** Those of a refusal that say more than that it is one. */
const OWN_CODES = ["VOLUME_GIVEN_UP", "FORMAT_NEWER"] as const;

/** Whether a directory was looked at and holds no volume that may be taken; false where that is not known. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof NvrdError &&
    error.code === "VOLUME_REFUSED" &&
    error.cause instanceof VolumeError &&
    error.cause.code === "VOLUME_REFUSED"
  );
}

function asRefusal(error: unknown, directory: string): Error {
  if (error instanceof NvrdError) return error;
  const known = error instanceof VolumeError ? OWN_CODES.find((own) => own === error.code) : undefined;
  const code = known ?? "VOLUME_REFUSED";
  return new NvrdError(code, `volume ${directory}: ${errorText(error)}`, { cause: error });
}

function anythingFree(_volume: unknown, space: VolumeSpace): VolumeUse {
  return { quota: {}, usedBytes: space.totalBytes - space.freeBytes, space };
}
