import type { Clock, ClockTimer, Log } from "../base/index.js";
import { openSegmentPath } from "./segment-summary.js";
import type { SlotError, SyncerAnswer, SyncFile, WriterAnswer } from "./volume-messages.js";
import type { VolumeThread } from "./volume-thread.js";
import { type ClosingSlot, SlabRegistry, WriteBatch } from "./write-batch.js";
import type { WritingSegment } from "./writing-segment.js";

/** With a sync each second, at most 2 s are lost to a power cut. */
export const WRITE_TICK_MS_DEFAULT = 400;
export const SYNC_INTERVAL_MS_DEFAULT = 1000;
/** Most bytes of frames that wait for one volume, those handed to its thread included. */
export const HELD_BYTES_MAX_DEFAULT = 64 * 1024 * 1024;
/** A write or a sync that takes longer than this makes its volume unusable until it returns. */
const HUNG_MS = 10_000;
const MICROSECONDS_PER_MILLISECOND = 1000;

/** Puts its frames into a volume's batches. */
export interface BatchSource {
  /** Moves frames into the batch; false when the batch is full and frames remain. */
  fill(batch: WriteBatch): boolean;
  /** The volume's thread has ended: nothing more is filled for it. */
  onVolumeFailed(): void;
}

/** Told what becomes of segments on a volume. */
export interface SegmentListener {
  /** More of the segment can be read. */
  onReadable(segment: WritingSegment): void;
  /** Written, synced, closed. */
  onClosed(segment: WritingSegment): void;
  /** What the disk has of it may be whole or not: recovery will tell. */
  onFailed(segment: WritingSegment): void;
}

export interface VolumeWriterOptions {
  readonly thread: VolumeThread;
  readonly syncThread: VolumeThread;
  readonly listener: SegmentListener;
  readonly clock: Clock;
  readonly log: Log;
  readonly tickMs: number;
  readonly syncIntervalMs: number;
  readonly heldBytesMax: number;
}

/**
 * The main side of a volume's writing: each tick gathers the frames of all streams into one batch, hands it to
 * the writer thread, and gives the frames back when it is written. One batch is on its way at a time: a disk
 * that hangs holds back no more than `heldBytesMax`. What is written is synced by another thread, so that a
 * slow sync holds no frames and delays no write.
 */
export class VolumeWriter {
  readonly #thread: VolumeThread;
  readonly #syncThread: VolumeThread;
  readonly #listener: SegmentListener;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tickMs: number;
  readonly #syncIntervalMs: number;
  readonly #heldBytesMax: number;
  readonly #sources = new Set<BatchSource>();
  readonly #segments = new Map<number, WritingSegment>();
  readonly #batch: WriteBatch;
  readonly #registry = new SlabRegistry();
  #timer: ClockTimer | undefined;
  #batchSinceUs: number | undefined;
  /** Since when the sync thread has not answered. */
  #syncSinceUs: number | undefined;
  #nextSyncUs = 0;
  #nextSlot = 1;
  #heldBytes = 0;
  #writtenBytes = 0;
  /** The last batch was full: the next one goes out as soon as it is answered. */
  #more = false;
  #failed = false;

  constructor(options: VolumeWriterOptions) {
    this.#thread = options.thread;
    this.#syncThread = options.syncThread;
    this.#listener = options.listener;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#tickMs = options.tickMs;
    this.#syncIntervalMs = options.syncIntervalMs;
    this.#heldBytesMax = options.heldBytesMax;
    this.#batch = new WriteBatch(this.#registry);
  }

  start(): void {
    this.#thread.postMessage({ op: "batch", index: 0, memory: this.#batch.memory });
    this.#timer = this.#clock.setInterval(() => this.tick(), this.#tickMs);
  }

  /** Stops the ticks; what is on its way is still answered. */
  stop(): void {
    this.#timer?.clear();
  }

  /** False while a thread has failed or has been busy with one batch or one sync for too long. */
  get usable(): boolean {
    if (this.#failed) return false;
    const nowUs = this.#clock.monotonicUs();
    const since = Math.min(this.#batchSinceUs ?? nowUs, this.#syncSinceUs ?? nowUs);
    return nowUs - since < HUNG_MS * MICROSECONDS_PER_MILLISECOND;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Bytes written to segments since the writer began: headers, frames, sync marks, footers. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  get openSegments(): number {
    return this.#segments.size;
  }

  /** Counts a frame in; false when the volume holds as much as it may: drop the frame. */
  admit(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#heldBytesMax) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Counts a frame out that never came into a batch. */
  dismiss(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  addSource(source: BatchSource): void {
    this.#sources.add(source);
  }

  removeSource(source: BatchSource): void {
    this.#sources.delete(source);
  }

  takeSlot(): number {
    return this.#nextSlot++;
  }

  /** Creates the segment's file before the batch that is being filled is written. */
  open(segment: WritingSegment, file: { path: string; header: Uint8Array; preallocateBytes: number }): void {
    this.#segments.set(segment.slot, segment);
    this.#thread.postMessage({ op: "open", slot: segment.slot, crcSeed: segment.crcSeed, ...file });
  }

  /** Leaves a failed segment as it is. */
  abandon(segment: WritingSegment): void {
    if (!this.#segments.delete(segment.slot)) return;
    if (!this.#failed) {
      this.#thread.postMessage({ op: "release", slot: segment.slot });
      this.#syncThread.postMessage({ op: "abandon", slot: segment.slot });
    }
    this.#listener.onFailed(segment);
  }

  /** Fills and sends the next batch unless one is on its way, and asks for a sync when it is time. */
  tick(): void {
    if (this.#failed) return;
    const waiting = this.#batchSinceUs !== undefined;
    if (!waiting) this.#sendBatch();
    // What has just been sent is synced as soon as it is answered; behind a slow write the earlier ones need not wait.
    if (waiting || this.#batchSinceUs === undefined) this.#askSync();
  }

  /** Takes the writer thread's answers that are its own. */
  onAnswer(answer: WriterAnswer): void {
    switch (answer.op) {
      case "written":
        this.#onWritten(answer.errors);
        return;
      case "note":
        this.#log.info(answer.message);
        return;
      case "reply":
        return;
    }
  }

  /** Takes the sync thread's answers that are its own. */
  onSyncAnswer(answer: SyncerAnswer): void {
    switch (answer.op) {
      case "synced":
        this.#onSynced(answer);
        return;
      case "closed":
        this.#onClosed(answer.slot, answer.error);
        return;
      case "note":
        this.#log.info(answer.message);
        return;
      case "reply":
        return;
    }
  }

  /** The thread is gone: everything it had is given back, its segments are left to recovery. */
  fail(reason: string): void {
    this.#failed = true;
    this.stop();
    for (const segment of [...this.#segments.values()]) {
      segment.fail(reason);
      this.abandon(segment);
    }
    this.#releaseBatch();
    for (const source of [...this.#sources]) source.onVolumeFailed();
  }

  #sendBatch(): void {
    const batch = this.#batch;
    batch.reset();
    this.#more = false;
    for (const source of [...this.#sources]) {
      if (source.fill(batch)) continue;
      // The next batch starts with the stream that found this one full, so that none waits for ever.
      this.#more = true;
      this.#rotateTo(source);
      break;
    }
    if (batch.numbersUsed === 0) return;
    this.#batchSinceUs = this.#clock.monotonicUs();
    const { numbersUsed: numbers, slabs, forgetSlabs } = batch;
    this.#thread.postMessage({ op: "write", batch: 0, numbers, slabs, forgetSlabs });
    batch.slabsSent();
  }

  #rotateTo(first: BatchSource): void {
    for (const source of [...this.#sources]) {
      if (source === first) return;
      this.#sources.delete(source);
      this.#sources.add(source);
    }
  }

  #askSync(): void {
    if (this.#syncSinceUs !== undefined || this.#clock.monotonicUs() < this.#nextSyncUs) return;
    const files: SyncFile[] = [];
    for (const segment of this.#segments.values()) {
      if (!segment.needsSync) continue;
      files.push({ slot: segment.slot, path: openSegmentPath(segment), bytes: segment.askSync() });
    }
    if (files.length === 0) return;
    this.#syncSinceUs = this.#clock.monotonicUs();
    this.#nextSyncUs = this.#syncSinceUs + this.#syncIntervalMs * MICROSECONDS_PER_MILLISECOND;
    this.#syncThread.postMessage({ op: "sync", files });
  }

  #onWritten(errors: readonly SlotError[] | undefined): void {
    if (this.#failed) return;
    for (const error of errors ?? []) this.#failSegment(error);
    for (const slot of this.#batch.slots) {
      const segment = this.#segments.get(slot);
      if (segment === undefined) continue;
      const beforeBytes = segment.writtenBytes;
      segment.commit();
      this.#writtenBytes += segment.writtenBytes - beforeBytes;
      if (segment.state !== "failed") this.#listener.onReadable(segment);
    }
    for (const closing of this.#batch.closing) this.#close(closing);
    this.#releaseBatch();
    if (this.#more) this.#sendBatch();
    this.#askSync();
  }

  /** The segment is written to its end: what is left is to make it durable. */
  #close({ slot, bytes }: ClosingSlot): void {
    const segment = this.#segments.get(slot);
    if (segment === undefined) return;
    if (segment.state === "failed") {
      this.abandon(segment);
      return;
    }
    this.#thread.postMessage({ op: "release", slot });
    this.#syncThread.postMessage({ op: "close", slot, path: openSegmentPath(segment), bytes });
  }

  /** Gives the batch's frames back. */
  #releaseBatch(): void {
    if (this.#batchSinceUs === undefined) return;
    this.#batchSinceUs = undefined;
    for (const frame of this.#batch.frames) {
      this.#heldBytes -= frame.byteLength;
      frame.release();
    }
    this.#batch.reset();
  }

  #onSynced(answer: Extract<SyncerAnswer, { op: "synced" }>): void {
    this.#syncSinceUs = answer.last ? undefined : this.#clock.monotonicUs();
    for (const slot of answer.slots) this.#segments.get(slot)?.confirmSync();
    for (const error of answer.errors) this.#failSegment(error);
  }

  #onClosed(slot: number, error: SlotError | undefined): void {
    const segment = this.#segments.get(slot);
    if (segment === undefined) return;
    this.#segments.delete(slot);
    if (error === undefined && segment.state === "closing") {
      segment.close();
      this.#listener.onClosed(segment);
      return;
    }
    if (segment.state !== "failed") segment.fail(error?.message ?? "closed too early");
    this.#log.error({ volume: segment.volumeId, code: error?.code }, `segment failed: ${segment.failure}`);
    this.#listener.onFailed(segment);
  }

  #failSegment(error: SlotError): void {
    const segment = this.#segments.get(error.slot);
    if (segment === undefined || segment.state === "failed") return;
    segment.fail(error.message);
    this.#log.error({ code: error.code }, `segment failed: ${error.message}`);
  }
}
