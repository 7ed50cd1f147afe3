import { InvariantError, type Log, NvrdError, type StreamKey, streamKeyText } from "../../base/index.js";
import type { AudioFormat, Frame } from "../../live/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import { RECORD_PAYLOAD_BYTES_MAX } from "../segment/segment-format.js";
import type { StreamWriter } from "../segment/types.js";
import { TakeLevel } from "./held-frames.js";
import { Interruptions } from "./interruptions.js";
import { GAP_MAX_US, SegmentSequence, type SegmentSequenceOptions } from "./segment-sequence.js";
import { StreamLosses } from "./stream-losses.js";
import type { VolumeChoice, WritingVolume } from "./volume-choice.js";
import type { BatchSource, VolumeWriter } from "./volume-writer.js";
import type { WriteBatch } from "./write-batch.js";
import type { WritingSegment } from "./writing-segment.js";

/** Frames of more ranges do not come from our demuxer. */
const FRAME_RANGES_MAX = 256;
/** While a stream is thinned its key frames are at least this far apart: MJPEG and short GOPs are thinned too. */
export const THINNED_INTERVAL_US = 1_000_000;
/** A recording that is not closed after this long, of a volume that owes an answer for so long, is not waited for. */
const END_WAIT_MS = 5_000;
const SILENT_MS_MIN = 4_000;
/** A volume that answers may take longer, on a busy machine: it is looked at again after this long, */
const END_LOOK_MS = 1_000;
/** this often at most. */
const END_LOOKS_MAX = 55;
/** A stream whose frames wait longer for the disk is not being recorded, as far as anybody can tell. */
export const UNWRITTEN_US_MAX = 3_000_000;

export interface StreamWriterOptions
  extends Omit<SegmentSequenceOptions, "onOpen" | "audioBehind" | "interruptions"> {
  readonly volumes: VolumeChoice;
  readonly notice: ArchiveNoticeListener;
  readonly log: Log;
}

/** Stands in the queue where frames are missing, or where the recording ends. */
interface Cut {
  readonly done: (() => void) | undefined;
  /** What follows goes to another volume. */
  readonly moves?: true;
  /** Decode time of the stream's next picture, which is not recorded. */
  readonly beforeUs?: number | undefined;
}

/**
 * Writes one stream: keeps its frames until the volume's next tick takes them. The frame path only counts and
 * queues; what the volume does not take is left out up to a key frame. After thinning the fragment continues, after
 * dropping a new one starts.
 */
export class SegmentedStreamWriter implements StreamWriter, BatchSource {
  readonly #options: StreamWriterOptions;
  readonly #sequence: SegmentSequence;
  readonly #interruptions: Interruptions;
  readonly losses: StreamLosses;
  /** Of the volume left last: it may still have to close a segment. */
  #leftWriter: VolumeWriter | undefined;
  #volume: WritingVolume | undefined;
  #queue: (Frame | Cut)[] = [];
  #needsKey = true;
  #gap = false;
  /** The camera is lost, and its segment is open in case it is back soon. */
  #isLost = false;
  #moveWanted = false;
  /** Decode time of the newest key frame taken, and of the newest picture. */
  #lastKeyUs = 0;
  #lastPictureUs = 0;
  /** The stream's segment failed, and no later one has held so far. */
  #failing = false;
  /** Frames have reached the disk since the recording or the volume began. */
  #reachedDisk = false;
  /** Since when frames wait for the disk, by the monotonic clock. */
  #waitingSinceUs: number | undefined;
  /** Segments on their way to the disk; `end` waits for them. */
  readonly #unfinished = new Set<WritingSegment>();
  #waiters: (() => void)[] = [];

  constructor(options: StreamWriterOptions) {
    this.#options = options;
    this.losses = new StreamLosses(options);
    this.#interruptions = new Interruptions(options.clock);
    this.#sequence = new SegmentSequence({
      ...options,
      interruptions: this.#interruptions,
      onOpen: (segment) => this.#unfinished.add(segment),
      audioBehind: (frame) => this.#audioBehind(frame),
    });
  }

  get key(): StreamKey {
    return this.#options.key;
  }

  /** The volume it is on; undefined while nothing is recorded. */
  get volume(): WritingVolume | undefined {
    return this.#volume;
  }

  get isWriting(): boolean {
    if (!this.#reachedDisk || this.losses.isDropping) return false;
    const sinceUs = this.#waitingSinceUs;
    return sinceUs === undefined || this.#options.clock.monotonicUs() - sinceUs <= UNWRITTEN_US_MAX;
  }

  /** Nothing that was appended is still on its way to the disk. */
  get isDrained(): boolean {
    return this.#queue.length === 0 && this.#unfinished.size === 0;
  }

  append(frame: Frame): void {
    if (this.#needsKey && (frame.isAudio || !frame.key)) {
      if (!frame.isAudio && this.losses.isDropping) this.losses.drop(); // before the first key frame nothing is lost
      return;
    }
    if (frame.byteLength > RECORD_PAYLOAD_BYTES_MAX || frame.rangeCount > FRAME_RANGES_MAX) {
      this.#drop(frame, "a frame is too long to be recorded");
      return;
    }
    const volume = this.#volume ?? this.#attach();
    if (volume === undefined) {
      this.#drop(frame, "no volume can be written");
      return;
    }
    const { level } = volume.writer;
    if (this.#isThinnedOut(frame, level)) return;
    if (level === TakeLevel.NONE || !volume.writer.admit(frame.byteLength)) {
      this.#drop(frame, "the volume does not keep up");
      return;
    }
    this.#enqueue(frame);
  }

  end(beforeUs?: number): Promise<void> {
    this.#needsKey = true;
    this.#isLost = false;
    this.#gap = false;
    this.#failing = false;
    this.#unreach();
    this.losses.end();
    return this.#ended(beforeUs);
  }

  async interrupt(): Promise<void> {
    const isOpen = this.#queue.length > 0 || this.#sequence.segment !== undefined;
    const mayStay = isOpen && !this.#isLost && !this.losses.isDropping;
    if (!mayStay || this.#interruptions.endsFragment()) {
      if (!this.#isLost) await this.end();
      return;
    }
    this.#isLost = true;
    this.#needsKey = true;
  }

  /** Resolves when all is durable or given up; a disk that does not answer is not waited for, a slow one is. */
  #ended(beforeUs: number | undefined): Promise<void> {
    const writer = this.#volume?.writer ?? this.#leftWriter;
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      let looks = 0;
      const look = (): void => {
        looks += 1;
        const stallMs = writer === undefined ? 0 : Math.max(writer.writeStallMs, writer.syncStallMs);
        if (stallMs < SILENT_MS_MIN && looks <= END_LOOKS_MAX) late = clock.setTimeout(look, END_LOOK_MS);
        else
          reject(
            new NvrdError("NOT_AVAILABLE", "the volume does not answer: the segment is closed when it does"),
          );
      };
      let late = clock.setTimeout(look, END_WAIT_MS);
      this.#askEnd(beforeUs, () => {
        late.clear();
        resolve();
      });
    });
  }

  #askEnd(beforeUs: number | undefined, resolve: () => void): void {
    const volume = this.#volume;
    if (volume === undefined || (this.#queue.length === 0 && this.#sequence.segment === undefined)) {
      if (volume !== undefined) this.#detach(volume);
      this.#whenFinished(resolve);
      return;
    }
    this.#queue.push({ done: resolve, beforeUs });
    volume.writer.tick();
  }

  /** Called by the volume each tick. */
  fill(batch: WriteBatch): boolean {
    const volume = this.#volume;
    if (volume === undefined) return true;
    const failed = this.#sequence.beginBatch(volume);
    if (failed !== undefined) this.#noteFailure(failed, volume);
    if (this.#volume !== volume) return true; // it went to another volume
    this.#noteSuccess();
    let taken = 0;
    for (const item of this.#queue) {
      if ("done" in item ? !batch.hasRoom : !batch.fits(item)) break;
      taken += 1;
      if (!("done" in item)) {
        if (!this.#place(item, batch, volume)) this.#leaveOut(item, volume.writer);
        continue;
      }
      this.#cut(item, batch, volume);
      if (item.moves === true) return this.#transfer(volume, taken);
    }
    const full = taken < this.#queue.length;
    if (full) this.#queue.splice(0, taken);
    else if (taken > 0) this.#queue.length = 0;
    else if (batch.hasRoom && this.#sequence.isIdle(this.#isLost)) this.#finish(batch, volume);
    const { segment } = this.#sequence;
    if (segment !== undefined) this.#options.epochs.note(this.#options.key, segment.plannedToUs);
    else if (this.#needsKey && !full) this.#detach(volume);
    return !full;
  }

  onVolumeLost(reason: string): void {
    if (this.#volume !== undefined) this.#move(this.#volume, reason);
  }

  moveAway(): void {
    this.#moveWanted = true;
  }

  /** The disk has taken frames of a segment of this stream. */
  onWritten(segment: WritingSegment): void {
    if (segment !== this.#sequence.segment || segment.videoFrames === 0) return;
    this.#reachedDisk = true;
    this.#waitingSinceUs = this.#queue.length === 0 ? undefined : this.#options.clock.monotonicUs();
  }

  /** A segment of this stream is durable, or given up. */
  onFinished(segment: WritingSegment): void {
    this.#unfinished.delete(segment);
    if (segment === this.#sequence.segment) this.#sequence.forget();
    if (this.#unfinished.size > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  #enqueue(frame: Frame): void {
    if (this.#gap) this.#queue.push({ done: undefined });
    if (this.#moveWanted && frame.key && !frame.isAudio) {
      this.#moveWanted = false;
      this.#queue.push({ done: undefined, moves: true });
    }
    if (this.losses.isDropping && !this.#failing) this.losses.endDropping();
    this.#gap = false;
    this.#isLost = false;
    this.#needsKey = false;
    if (!frame.isAudio) this.#lastPictureUs = frame.decodeTimeUs;
    if (frame.key && !frame.isAudio) this.#lastKeyUs = frame.decodeTimeUs;
    frame.retain();
    this.#queue.push(frame);
    this.#waitingSinceUs ??= this.#options.clock.monotonicUs();
  }

  #unreach(): void {
    this.#reachedDisk = false;
    this.#waitingSinceUs = undefined;
  }

  /** Whether the frame is left out because only key frames are kept. Ends the thinning with a key frame. */
  #isThinnedOut(frame: Frame, level: TakeLevel): boolean {
    const video = !frame.isAudio;
    if (level === TakeLevel.ALL) {
      if (!this.losses.isThinning) return false;
      if (video && frame.key) {
        this.losses.endThinning();
        this.#noteThinnedGap(frame);
        return false;
      }
    } else {
      if (level === TakeLevel.KEY_FRAMES) this.losses.startThinning();
      if (!this.losses.isThinning) return false;
      if (video && frame.key && Math.abs(frame.decodeTimeUs - this.#lastKeyUs) >= THINNED_INTERVAL_US) {
        this.#noteThinnedGap(frame);
        return false;
      }
    }
    if (frame.discontinuity) this.#gap = true; // the fragment ends here although its mark is left out
    if (video) this.losses.thin();
    return true;
  }

  /** Pictures that were left out between two key frames far apart are a gap. */
  #noteThinnedGap(keyFrame: Frame): void {
    if (keyFrame.decodeTimeUs - this.#lastPictureUs > GAP_MAX_US) this.#gap = true;
  }

  #attach(avoid?: WritingVolume): WritingVolume | undefined {
    this.#volume = this.#options.volumes.take(avoid?.id);
    this.#volume?.writer.addSource(this);
    return this.#volume;
  }

  #detach(volume: WritingVolume): void {
    volume.writer.removeSource(this);
    this.#leftWriter = volume.writer;
    this.#options.volumes.giveBack(volume);
    this.#volume = undefined;
    this.#moveWanted = false;
    this.#unreach();
  }

  /** What follows the first `taken` of the queue goes to another volume; it begins with a key frame. */
  #transfer(volume: WritingVolume, taken: number): boolean {
    this.#queue.splice(0, taken);
    this.#carryAll(volume);
    return true;
  }

  /** Leaves a volume that failed or hangs; what waits for it goes along from its first key frame on. */
  #move(volume: WritingVolume, reason: string): void {
    this.#sequence.abandon(volume.writer, reason);
    this.losses.startDropping(reason);
    this.#carryAll(volume);
  }

  #carryAll(volume: WritingVolume): void {
    this.#detach(volume);
    const queue = this.#queue;
    this.#queue = [];
    this.#needsKey = true;
    const next = queue.length === 0 ? undefined : this.#attach(volume);
    for (const item of queue) {
      if ("done" in item) this.#carryCut(item);
      else this.#carry(item, volume.writer, next);
    }
    if (next !== undefined && this.#queue.length === 0) this.#detach(next);
  }

  #carry(frame: Frame, from: VolumeWriter, to: WritingVolume | undefined): void {
    from.dismiss(frame.byteLength);
    const decodable = !this.#needsKey || (frame.key && !frame.isAudio);
    if (decodable && to?.writer.admit(frame.byteLength) === true) {
      this.#enqueue(frame);
    } else {
      this.#needsKey = true;
      this.#gap = this.#queue.length > 0;
      this.losses.startDropping("no volume can take them");
      if (!frame.isAudio) this.losses.drop();
    }
    frame.release();
  }

  #carryCut(cut: Cut): void {
    if (this.#queue.length > 0) this.#queue.push(cut);
    else if (cut.done !== undefined) this.#whenFinished(cut.done);
    if (cut.done !== undefined) this.#needsKey = true;
  }

  /** The segment failed: on another volume if there is one, else on this one after a while. */
  #noteFailure(segment: WritingSegment, volume: WritingVolume): void {
    this.#failing = true;
    this.#unreach();
    this.losses.startDropping(segment.failure);
    const other = this.#options.volumes.take(volume.id);
    if (other !== undefined) this.#options.volumes.giveBack(other);
    if (other !== undefined && other.id !== volume.id) this.#move(volume, segment.failure);
  }

  /** A segment has reached the disk again. */
  #noteSuccess(): void {
    if (!this.#failing || (this.#sequence.segment?.videoFrames ?? 0) === 0) return;
    this.#failing = false;
    if (!this.#needsKey) this.losses.endDropping();
  }

  /** A frame that was taken in is not recorded after all. */
  #leaveOut(frame: Frame, writer: VolumeWriter): void {
    if (!frame.isAudio && this.losses.isDropping) this.losses.drop();
    writer.dismiss(frame.byteLength);
    frame.release();
  }

  #drop(frame: Frame, reason: string): void {
    this.#needsKey = true;
    this.#gap = true;
    this.losses.startDropping(reason);
    if (!frame.isAudio) this.losses.drop();
  }

  /** Whether the batch has taken the frame over. */
  #place(frame: Frame, batch: WriteBatch, volume: WritingVolume): boolean {
    try {
      return this.#sequence.place(frame, batch, volume);
    } catch (error) {
      this.#stopSegment(error, volume);
      return false;
    }
  }

  #finish(batch: WriteBatch, volume: WritingVolume, nextUs?: number): void {
    try {
      this.#sequence.finish(batch, nextUs);
    } catch (error) {
      this.#stopSegment(error, volume);
    }
  }

  /**
   * An invariant does not hold: the segment is left as the disk has it, nothing of this batch is written into it any more, and
   * recording goes on with another one, from a key frame on.
   */
  #stopSegment(error: unknown, volume: WritingVolume): void {
    if (!(error instanceof InvariantError)) throw error;
    this.#options.log.error({ stream: streamKeyText(this.key), err: error }, "a segment is given up");
    this.#sequence.giveUp(volume.writer, error.message);
    this.#failing = true;
    this.#unreach();
    this.losses.startDropping(error.message);
  }

  #cut(cut: Cut, batch: WriteBatch, volume: WritingVolume): void {
    this.#finish(batch, volume, this.#decodeTimeBehind(cut));
    if (cut.done === undefined) return;
    this.#sequence.expectRepeats();
    this.#whenFinished(cut.done);
  }

  /** Where the fragment ends at the latest: how long its last frame seemed to last may be longer than it was. */
  #decodeTimeBehind(cut: Cut): number | undefined {
    if (cut.beforeUs !== undefined) return cut.beforeUs;
    const next = this.#queue[this.#queue.indexOf(cut) + 1];
    return next === undefined || "done" in next ? undefined : next.decodeTimeUs;
  }

  #whenFinished(done: () => void): void {
    if (this.#unfinished.size === 0) done();
    else this.#waiters.push(done);
  }

  #audioBehind(frame: Frame): AudioFormat | undefined {
    for (let at = this.#queue.indexOf(frame) + 1; at < this.#queue.length; at++) {
      const item = this.#queue[at];
      if (item === undefined || "done" in item) break;
      if (item.isAudio) return item.format as AudioFormat;
    }
    return undefined;
  }
}
