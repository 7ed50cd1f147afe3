import { type Guid, type Log, streamKeyText } from "../base/index.js";
import type { AudioFormat, Frame } from "../live/index.js";
import { RECORD_PAYLOAD_BYTES_MAX } from "./segment-format.js";
import { SegmentSequence, type SegmentSequenceOptions, type WritingVolume } from "./segment-sequence.js";
import type { StreamWriter } from "./types.js";
import type { BatchSource, VolumeWriter } from "./volume-writer.js";
import type { WriteBatch } from "./write-batch.js";
import type { WritingSegment } from "./writing-segment.js";

/** Frames of more ranges do not come from our demuxer. */
const FRAME_RANGES_MAX = 256;

/** A volume as a stream's writer chooses it. */
export interface WritableVolume {
  readonly id: Guid;
  /** Undefined while the volume's threads do not run. */
  readonly writer: VolumeWriter | undefined;
}

export interface StreamWriterOptions extends Omit<SegmentSequenceOptions, "onOpen" | "audioBehind"> {
  /** The volume for a stream's next segment; undefined when none can be written. */
  readonly chooseVolume: () => WritableVolume | undefined;
  readonly log: Log;
}

/** Stands in the queue where frames are missing, or where the recording ends. */
interface Cut {
  readonly done: (() => void) | undefined;
}

/**
 * Writes one stream: keeps its frames until the volume's next tick takes them. The frame path only counts and
 * queues; what does not fit is dropped up to the next key frame, and a new fragment starts there.
 */
export class SegmentedStreamWriter implements StreamWriter, BatchSource {
  readonly #options: StreamWriterOptions;
  readonly #sequence: SegmentSequence;
  #volume: WritingVolume | undefined;
  #queue: (Frame | Cut)[] = [];
  #needsKey = true;
  #gap = false;
  #droppedFrames = 0;
  /** Frames dropped since the last one that was taken. */
  #episodeFrames = 0;
  /** Segments on their way to the disk; `end` waits for them. */
  readonly #unfinished = new Set<WritingSegment>();
  #waiters: (() => void)[] = [];

  constructor(options: StreamWriterOptions) {
    this.#options = options;
    this.#sequence = new SegmentSequence({
      ...options,
      onOpen: (segment) => this.#unfinished.add(segment),
      audioBehind: (frame) => this.#audioBehind(frame),
    });
  }

  /** Frames not recorded because the disk could not take them. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  append(frame: Frame): void {
    if (this.#needsKey && (frame.isAudio || !frame.key)) {
      if (this.#episodeFrames > 0) this.#countDropped(); // before the first key frame nothing is lost
      return;
    }
    if (frame.byteLength > RECORD_PAYLOAD_BYTES_MAX || frame.ranges.length > FRAME_RANGES_MAX) {
      this.#drop(`a frame of ${frame.byteLength} bytes is too long`);
      return;
    }
    const volume = this.#usableVolume();
    if (volume === undefined || !volume.writer.admit(frame.byteLength)) {
      this.#drop(volume === undefined ? "no volume can be written" : "the volume does not keep up");
      return;
    }
    if (this.#gap) this.#queue.push({ done: undefined });
    if (this.#episodeFrames > 0) this.#endEpisode();
    this.#gap = false;
    this.#needsKey = false;
    frame.retain();
    this.#queue.push(frame);
  }

  end(): Promise<void> {
    this.#needsKey = true;
    this.#gap = false;
    this.#episodeFrames = 0;
    return new Promise((resolve) => {
      const volume = this.#volume;
      if (volume === undefined || (this.#queue.length === 0 && this.#sequence.segment === undefined)) {
        this.#whenFinished(resolve);
        return;
      }
      this.#queue.push({ done: resolve });
      volume.writer.tick();
    });
  }

  /** Called by the volume each tick. */
  fill(batch: WriteBatch): boolean {
    const volume = this.#volume;
    if (volume === undefined) return true;
    this.#sequence.beginBatch();
    let taken = 0;
    for (const item of this.#queue) {
      if ("done" in item) this.#cut(item, batch, volume);
      else if (!batch.fits(item)) break;
      else if (!this.#sequence.place(item, batch, volume)) this.#leaveOut(item, volume.writer);
      taken += 1;
    }
    const full = taken < this.#queue.length;
    if (taken > 0) this.#queue.splice(0, taken);
    else if (!full && this.#sequence.isIdle) this.#sequence.finish(batch, volume);
    const { segment } = this.#sequence;
    if (segment !== undefined) this.#options.epochs.note(this.#options.key, segment.plannedToUs);
    return !full;
  }

  onVolumeFailed(): void {
    if (this.#volume !== undefined) this.#leaveVolume(this.#volume.writer);
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

  #usableVolume(): WritingVolume | undefined {
    if (this.#volume?.writer.usable === true) return this.#volume;
    if (this.#volume !== undefined) this.#leaveVolume(this.#volume.writer);
    const chosen = this.#options.chooseVolume();
    if (chosen?.writer === undefined) return undefined;
    this.#volume = { id: chosen.id, writer: chosen.writer };
    this.#volume.writer.addSource(this);
    return this.#volume;
  }

  /** The volume failed or hangs: what waits for it is let go, the next key frame starts on another. */
  #leaveVolume(writer: VolumeWriter): void {
    writer.removeSource(this);
    const queue = this.#queue;
    this.#queue = [];
    for (const item of queue) {
      if (!("done" in item)) this.#leaveOut(item, writer);
      else if (item.done !== undefined) this.#whenFinished(item.done);
    }
    const { segment } = this.#sequence;
    this.#sequence.forget();
    if (segment !== undefined && segment.state !== "failed") {
      segment.fail("the volume does not answer");
      writer.abandon(segment);
    }
    this.#volume = undefined;
    this.#needsKey = true;
  }

  /** A frame that was taken in is not recorded after all. */
  #leaveOut(frame: Frame, writer: VolumeWriter): void {
    if (!frame.isAudio) this.#droppedFrames += 1;
    writer.dismiss(frame.byteLength);
    frame.release();
  }

  #drop(reason: string): void {
    this.#needsKey = true;
    this.#gap = true;
    if (this.#episodeFrames === 0) {
      this.#options.log.warn(
        { stream: streamKeyText(this.#options.key) },
        `frames are not recorded: ${reason}`,
      );
    }
    this.#countDropped();
  }

  #countDropped(): void {
    this.#episodeFrames += 1;
    this.#droppedFrames += 1;
  }

  #endEpisode(): void {
    const fields = { stream: streamKeyText(this.#options.key), frames: this.#episodeFrames };
    this.#options.log.info(fields, "frames are recorded again");
    this.#episodeFrames = 0;
  }

  #cut(cut: Cut, batch: WriteBatch, volume: WritingVolume): void {
    this.#sequence.finish(batch, volume);
    if (cut.done === undefined) return;
    this.#sequence.expectRepeats();
    this.#whenFinished(cut.done);
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
