import { type Guid, invariant, type StreamKey, streamKeyText } from "../../base/index.js";
import type { Frame, FrameRecording } from "../../live/index.js";
import {
  frameFlags,
  packProgress,
  packTrailer,
  RECORD_HEADER_BYTES,
  RecordKind,
  TRAILER_BYTES,
} from "../segment/segment-format.js";
import type { SegmentHeader } from "../segment/segment-header.js";
import type { GopEntry, OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import { SegmentTally, type TallyMark } from "../segment/segment-tally.js";
import type { WriteBatch } from "./write-batch.js";

export interface WritingSegmentOptions {
  readonly header: SegmentHeader;
  readonly headerBytes: number;
  readonly crcSeed: number;
  /** The writer thread's name for the file. */
  readonly slot: number;
  readonly frameDurationUs: number;
}

export type WritingState = "open" | "closing" | "closed" | "failed";

/**
 * A segment that is being written. What is planned runs ahead of what the disk has answered for; queries and
 * readers see the latter only.
 */
export class WritingSegment implements OpenSegment, FrameRecording {
  readonly header: SegmentHeader;
  readonly crcSeed: number;
  readonly slot: number;
  /** `key` as text. */
  readonly keyText: string;
  readonly #tally: SegmentTally;
  #plannedBytes: number;
  #footerOffset = 0;
  #endUs: number | undefined;
  #state: WritingState = "open";
  #failure = "";
  /** What the disk has answered for, how much of it the running sync covers, and how much the last finished one. */
  #written: TallyMark | undefined;
  #syncAsked: TallyMark | undefined;
  #synced: TallyMark | undefined;
  #marked: TallyMark | undefined;
  #lastMarkOffset = 0;
  #readableBytes: number;
  #toUs: number;
  #videoFrames = 0;
  #audioFrames = 0;
  readonly #gops: GopEntry[] = [];

  constructor(options: WritingSegmentOptions) {
    this.header = options.header;
    this.crcSeed = options.crcSeed;
    this.slot = options.slot;
    this.keyText = streamKeyText(options.header.key);
    this.#tally = new SegmentTally(options.header.fromUs, options.frameDurationUs);
    this.#plannedBytes = options.headerBytes;
    this.#readableBytes = options.headerBytes;
    this.#toUs = options.header.fromUs;
  }

  get volumeId(): Guid {
    return this.header.volumeId;
  }

  get segmentId(): number {
    return this.header.segmentId;
  }

  get key(): StreamKey {
    return this.header.key;
  }

  get fragmentId(): Guid {
    return this.header.fragmentId;
  }

  get fragmentSequence(): number {
    return this.header.fragmentSequence;
  }

  get epoch(): number {
    return this.header.epoch;
  }

  get bootId(): Guid {
    return this.header.bootId;
  }

  get fromUs(): number {
    return this.header.fromUs;
  }

  get toUs(): number {
    return this.#toUs;
  }

  /** Size of the file so far; of a closed segment with footer and trailer. */
  get bytes(): number {
    return this.#state === "closed" ? this.#plannedBytes : this.#readableBytes;
  }

  /** Bytes that the writer thread has answered for: header, marks and footer included. */
  get writtenBytes(): number {
    return this.#written?.bytes ?? 0;
  }

  get readableBytes(): number {
    return this.#readableBytes;
  }

  get videoFrames(): number {
    return this.#videoFrames;
  }

  get audioFrames(): number {
    return this.#audioFrames;
  }

  get gops(): readonly GopEntry[] {
    return this.#gops;
  }

  get state(): WritingState {
    return this.#state;
  }

  /** Why it failed. */
  get failure(): string {
    return this.#failure;
  }

  get plannedBytes(): number {
    return this.#plannedBytes;
  }

  get plannedGops(): number {
    return this.#tally.gops.length;
  }

  /** Decode time of the last video frame planned, and the end of it. */
  get lastUs(): number {
    return this.#tally.lastUs;
  }

  get plannedToUs(): number {
    return this.#tally.toUs;
  }

  get frameDurationUs(): number {
    return this.#tally.frameDurationUs;
  }

  /** Starts this segment's run in a batch; the first after a finished sync says so with a sync mark. */
  beginRun(batch: WriteBatch): void {
    batch.beginRun(this.slot, this.#plannedBytes);
    const synced = this.#synced;
    if (synced === undefined || synced.bytes === this.#marked?.bytes) return;
    const continued = this.#tally.continuedBetween(this.#marked, synced);
    const payload = packProgress(
      {
        syncedBytes: synced.bytes,
        previousMark: this.#lastMarkOffset,
        toUs: synced.toUs,
        videoFrames: synced.videoFrames,
        audioFrames: synced.audioFrames,
        continuedFrames: continued.frames,
        continuedDamaged: continued.damaged,
        gops: this.#tally.gopsBetween(this.#marked, synced),
      },
      this.header,
    );
    this.#lastMarkOffset = this.#plannedBytes;
    this.#marked = synced;
    batch.addRecord(RecordKind.SYNC_MARK, payload, synced.toUs);
    this.#plannedBytes += RECORD_HEADER_BYTES + payload.length;
  }

  /** What is put into the batch goes to where this segment ends. */
  #checkOffset(batch: WriteBatch): void {
    invariant(batch.runSlot === this.slot && batch.runEnd === this.#plannedBytes, "segment-offset");
  }

  /** Whether the disk has answered for the frame whose record begins at `position`. */
  holds(position: number, byteLength: number): boolean {
    return this.#state !== "failed" && position + RECORD_HEADER_BYTES + byteLength <= this.#readableBytes;
  }

  /** Adds a frame to the run; the batch takes over its lease. */
  add(frame: Frame, batch: WriteBatch): void {
    invariant(this.#state === "open" || this.#state === "failed", "segment-open");
    this.#checkOffset(batch);
    invariant(frame.isAudio || frame.decodeTimeUs >= this.#tally.lastUs, "segment-time");
    batch.addFrame(frame);
    frame.recordAt(this, this.#plannedBytes);
    const flags = frameFlags(frame);
    this.#tally.add(
      { codec: frame.format.codec, flags, decodeTimeUs: frame.decodeTimeUs },
      this.#plannedBytes,
    );
    this.#plannedBytes += RECORD_HEADER_BYTES + frame.byteLength;
  }

  /** Ends the segment at `toUs` with footer and trailer; the run must have begun. */
  finish(batch: WriteBatch, toUs: number): void {
    this.#checkOffset(batch);
    invariant(toUs > this.fromUs && toUs >= this.#tally.lastUs, "segment-end");
    const payload = packProgress(
      {
        syncedBytes: this.#plannedBytes,
        previousMark: this.#lastMarkOffset,
        toUs,
        videoFrames: this.#tally.videoFrames,
        audioFrames: this.#tally.audioFrames,
        continuedFrames: 0,
        continuedDamaged: false,
        gops: this.#tally.gops,
      },
      this.header,
    );
    this.#footerOffset = this.#plannedBytes;
    this.#endUs = toUs;
    batch.addRecord(RecordKind.FOOTER, payload, toUs);
    batch.addRaw(packTrailer(this.#footerOffset, this.crcSeed));
    this.#plannedBytes += RECORD_HEADER_BYTES + payload.length + TRAILER_BYTES;
    batch.closeAfter(this.slot, this.#plannedBytes);
    if (this.#state === "open") this.#state = "closing";
  }

  /** The disk has what was planned: queries and readers may see it. */
  commit(): void {
    if (this.#state === "failed") return;
    invariant(this.#plannedBytes >= this.#readableBytes, "segment-bytes");
    this.#readableBytes = this.#footerOffset === 0 ? this.#plannedBytes : this.#footerOffset;
    this.#written = this.#tally.at(this.#plannedBytes);
    this.#toUs = this.#endUs ?? this.#tally.toUs;
    this.#videoFrames = this.#tally.videoFrames;
    this.#audioFrames = this.#tally.audioFrames;
    const planned = this.#tally.gops;
    const from = Math.max(0, this.#gops.length - 1);
    for (let at = from; at < planned.length; at++) {
      const gop = planned[at];
      if (gop === undefined) continue;
      const { decodeTimeUs, offset, frames, damaged } = gop;
      this.#gops[at] = { decodeTimeUs, offset, frames, damaged };
    }
  }

  /** A sync of all that is written is asked for; returns how many bytes that is. */
  askSync(): number {
    this.#syncAsked = this.#written;
    return this.#written?.bytes ?? 0;
  }

  /** The sync asked for is done. */
  confirmSync(): void {
    invariant((this.#syncAsked?.bytes ?? 0) <= this.writtenBytes, "segment-bytes");
    this.#synced = this.#syncAsked ?? this.#synced;
  }

  get needsSync(): boolean {
    return this.#state === "open" && (this.#written?.bytes ?? 0) > (this.#synced?.bytes ?? 0);
  }

  close(): void {
    this.#state = "closed";
  }

  fail(reason: string): void {
    this.#state = "failed";
    this.#failure = reason;
  }

  /** A failed segment ends before `us`, where the next fragment starts. */
  endBefore(us: number): void {
    this.#toUs = Math.min(this.#toUs, us);
  }

  /** What the index keeps of a closed segment. */
  summary(): SegmentSummary {
    return {
      volumeId: this.volumeId,
      segmentId: this.segmentId,
      key: this.key,
      fragmentId: this.fragmentId,
      fragmentSequence: this.fragmentSequence,
      epoch: this.epoch,
      bootId: this.bootId,
      fromUs: this.fromUs,
      toUs: this.#toUs,
      bytes: this.bytes,
      videoFrames: this.#videoFrames,
      audioFrames: this.#audioFrames,
      gops: this.#gops,
    };
  }
}
