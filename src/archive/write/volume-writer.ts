import {
  attentiveUs,
  type Clock,
  type ClockTimer,
  InvariantError,
  type Log,
  US_PER_MS,
} from "../../base/index.js";
import type { LateThread } from "../disk/late-thread.js";
import { THREAD_START_MS_MAX } from "../disk/thread-starts.js";
import type { SlotError, SyncerAnswer, SyncFile, WriterAnswer } from "../disk/volume-messages.js";
import { openSegmentPath } from "../segment/segment-summary.js";
import { HeldFrames, type TakeLevel } from "./held-frames.js";
import { type ClosingSlot, SlabRegistry, WriteBatch } from "./write-batch.js";
import type { WritingSegment } from "./writing-segment.js";

/** With a sync each second, at most 2 s are lost to a power cut. */
export const WRITE_TICK_MS_DEFAULT = 400;
export const SYNC_INTERVAL_MS_DEFAULT = 1000;

/** Puts its frames into a volume's batches. */
export interface BatchSource {
  /** Moves frames into the batch; false when the batch is full and frames remain. */
  fill(batch: WriteBatch): boolean;
  /** The volume failed or hangs: nothing more is filled for it, what waits goes to another one. */
  onVolumeLost(reason: string): void;
  /** Goes to another volume with its next key frame, without losing a frame. */
  moveAway(): void;
}

/** Is notified of what becomes of segments on a volume. */
export interface SegmentListener {
  /** More of the segment can be read. */
  onReadable(segment: WritingSegment): void;
  /** Written, synced, closed. */
  onClosed(segment: WritingSegment): void;
  /** What the disk has of it may be whole or not: recovery will find out. */
  onFailed(segment: WritingSegment): void;
}

/** Is notified of how the disk does: decides when a volume is given up. */
export interface WriterHealth {
  onSegmentFailure(error: SlotError): void;
  /** Something of this volume became durable. */
  onSuccess(): void;
}

export interface VolumeWriterOptions {
  readonly thread: LateThread;
  readonly syncThread: LateThread;
  readonly listener: SegmentListener;
  readonly health: WriterHealth;
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
  readonly #thread: LateThread;
  readonly #syncThread: LateThread;
  readonly #listener: SegmentListener;
  readonly #health: WriterHealth;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tickMs: number;
  readonly #syncIntervalMs: number;
  readonly #held: HeldFrames;
  readonly #sources = new Set<BatchSource>();
  readonly #segments = new Map<number, WritingSegment>();
  readonly #batch: WriteBatch;
  readonly #registry = new SlabRegistry();
  #timer: ClockTimer | undefined;
  /** Since when the writer thread has its batch, by `attentiveUs`: a held main thread takes no answers. */
  #batchSinceUs: number | undefined;
  /** Since when the sync thread has not answered, by `attentiveUs`. */
  #syncSinceUs: number | undefined;
  #nextSyncUs = 0;
  #nextSlot = 1;
  #writtenBytes = 0;
  /** The last batch was full: the next one goes out as soon as it is answered. */
  #more = false;
  /** The writer thread has loaded its program. */
  #isLoaded = false;
  #failed = false;
  #shunned = false;

  constructor(options: VolumeWriterOptions) {
    this.#thread = options.thread;
    this.#syncThread = options.syncThread;
    this.#listener = options.listener;
    this.#health = options.health;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#tickMs = options.tickMs;
    this.#syncIntervalMs = options.syncIntervalMs;
    this.#held = new HeldFrames(options.heldBytesMax);
    this.#batch = new WriteBatch(this.#registry);
  }

  /** The ticks begin with the first stream. */
  start(): void {
    this.#thread.keep({ op: "batch", index: 0, memory: this.#batch.memory });
  }

  /** Stops the ticks; what is on its way is still answered. */
  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #startTicks(): void {
    // After the other calls that are due now: cameras are read by one of them, and what they sent comes along.
    const tick = () => queueMicrotask(() => this.#timer !== undefined && this.tick());
    this.#timer ??= this.#clock.setInterval(tick, this.#tickMs);
  }

  /** False while its threads have failed, or while it is shunned because it does not answer. */
  get usable(): boolean {
    return !this.#failed && !this.#shunned;
  }

  /** How long the writer thread has been busy with one batch, in ms. While it loads, no disk keeps it busy. */
  get writeStallMs(): number {
    const busyMs = this.#stallMs(this.#batchSinceUs);
    return this.#isLoaded ? busyMs : Math.max(0, busyMs - THREAD_START_MS_MAX);
  }

  /** Time since the sync thread reported a synced file, in ms. */
  get syncStallMs(): number {
    return this.#stallMs(this.#syncSinceUs);
  }

  get heldBytes(): number {
    return this.#held.bytes;
  }

  get heldBytesMax(): number {
    return this.#held.bytesMax;
  }

  /** What streams may hand over now; changes on the tick. */
  get level(): TakeLevel {
    return this.#held.level;
  }

  /** Bytes written to segments since the writer began: headers, frames, sync marks, footers. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  get openSegments(): number {
    return this.#segments.size;
  }

  get streams(): number {
    return this.#sources.size;
  }

  /** Counts a frame in; false when the volume holds as much as it may: drop the frame. */
  admit(bytes: number): boolean {
    return this.#held.admit(bytes);
  }

  /** Counts a frame out that never came into a batch. */
  dismiss(bytes: number): void {
    this.#held.dismiss(bytes);
  }

  /** Its streams leave at once, with what waits for it, and none comes until `welcome`. */
  shun(reason: string): void {
    if (this.#shunned) return;
    this.#shunned = true;
    this.#giveUp(reason);
  }

  /** One of its streams goes to another volume. */
  sendOneAway(): void {
    const [source] = this.#sources;
    source?.moveAway();
  }

  /** Each of its streams goes to another volume with its next key frame. */
  sendAllAway(): void {
    for (const source of this.#sources) source.moveAway();
  }

  /** It answers again: streams may come. */
  welcome(): void {
    this.#shunned = false;
  }

  addSource(source: BatchSource): void {
    // They load while the first frames come: the first write and the first sync wait less for that.
    this.#thread.start();
    this.#syncThread.start();
    this.#sources.add(source);
    this.#startTicks();
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
    this.#held.review();
    const waiting = this.#batchSinceUs !== undefined;
    if (!waiting) this.#sendBatch();
    // What has just been sent is synced as soon as it is answered; behind a slow write the earlier ones need not wait.
    if (waiting || this.#batchSinceUs === undefined) this.#askSync();
    // The next stream starts the ticks again.
    if (this.#sources.size === 0 && this.#segments.size === 0 && this.#batchSinceUs === undefined)
      this.stop();
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
      case "started":
        this.#isLoaded = true;
        // Its first batch is on the way to the disk from now on.
        if (this.#batchSinceUs !== undefined) this.#batchSinceUs = attentiveUs(this.#clock);
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
    this.#giveUp(reason);
    this.#releaseBatch();
  }

  /** Streams leave, segments are left to recovery; a batch under way keeps its frames until it is answered. */
  #giveUp(reason: string): void {
    for (const source of [...this.#sources]) source.onVolumeLost(reason);
    for (const segment of [...this.#segments.values()]) {
      segment.fail(reason);
      this.abandon(segment);
    }
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
    this.#batchSinceUs = attentiveUs(this.#clock);
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
    this.#syncSinceUs = attentiveUs(this.#clock);
    this.#nextSyncUs = this.#clock.monotonicUs() + this.#syncIntervalMs * US_PER_MS;
    this.#syncThread.postMessage({ op: "sync", files });
  }

  #onWritten(errors: readonly SlotError[] | undefined): void {
    if (this.#failed) return;
    for (const error of errors ?? []) this.#failSegment(this.#segments.get(error.slot), error);
    for (const slot of this.#batch.slots) {
      const segment = this.#segments.get(slot);
      if (segment === undefined) continue;
      const beforeBytes = segment.writtenBytes;
      this.#checked(segment, () => segment.commit());
      this.#writtenBytes += segment.writtenBytes - beforeBytes;
      if (segment.state !== "failed") this.#listener.onReadable(segment);
    }
    for (const closing of this.#batch.closing) this.#close(closing);
    this.#releaseBatch();
    this.#held.review();
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
      this.#held.dismiss(frame.byteLength);
      frame.release();
    }
    this.#batch.reset();
  }

  #onSynced(answer: Extract<SyncerAnswer, { op: "synced" }>): void {
    this.#syncSinceUs = answer.last ? undefined : attentiveUs(this.#clock);
    for (const slot of answer.slots) {
      const segment = this.#segments.get(slot);
      if (segment !== undefined) this.#checked(segment, () => segment.confirmSync());
    }
    if (answer.slots.length > 0) this.#health.onSuccess();
    for (const error of answer.errors) this.#failSegment(this.#segments.get(error.slot), error);
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
    if (error !== undefined) this.#failSegment(segment, error);
    else if (segment.state !== "failed") segment.fail("closed too early");
    this.#listener.onFailed(segment);
  }

  /** Where an invariant does not hold the segment fails, which is no fault of the disk: recovery finds what it has. */
  #checked(segment: WritingSegment, take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      if (segment.state !== "failed") segment.fail(error.message);
      this.#log.error({ volume: segment.volumeId, err: error }, "a segment is given up");
    }
  }

  #failSegment(segment: WritingSegment | undefined, error: SlotError): void {
    if (segment === undefined || segment.state === "failed") return;
    segment.fail(error.message);
    this.#log.error({ volume: segment.volumeId, code: error.code }, `segment failed: ${error.message}`);
    this.#health.onSegmentFailure(error);
  }

  #stallMs(sinceUs: number | undefined): number {
    if (sinceUs === undefined) return 0;
    return (attentiveUs(this.#clock) - sinceUs) / US_PER_MS;
  }
}
