import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { type Clock, type Guid, type Log, newGuid, type StreamKey, streamKeyText } from "../base/index.js";
import type { AudioFormat, Frame, VideoFormat } from "../live/index.js";
import type { Epochs } from "./epochs.js";
import { NONCE_BYTES, RECORD_PAYLOAD_BYTES_MAX } from "./segment-format.js";
import { packSegmentHeader, type SegmentHeader } from "./segment-header.js";
import { openSegmentPath } from "./segment-summary.js";
import { FRAME_DURATION_DEFAULT_US } from "./segment-tally.js";
import type { StreamWriter } from "./types.js";
import type { BatchSource, VolumeWriter } from "./volume-writer.js";
import type { WriteBatch } from "./write-batch.js";
import { WritingSegment } from "./writing-segment.js";

export const SEGMENT_SECONDS_DEFAULT = 60;
/** A segment whose GOP does not end is cut at this many times its wanted length. */
const SEGMENT_LENGTHS_MAX = 2;
export const SEGMENT_BYTES_MAX = 1024 * 1024 * 1024;
/** Most GOPs of one segment: its table stays readable in one piece. */
const SEGMENT_GOPS_MAX = 8000;
/** A step of decode time longer than this is a gap: a new fragment. */
export const GAP_MAX_US = 10_000_000;
/** A segment without frames for this long is closed. */
const IDLE_MAX_US = 15_000_000;
/** Frames of more ranges do not come from our demuxer. */
const FRAME_RANGES_MAX = 256;
/** Time between two attempts to start a segment after one failed. */
const RETRY_US = 1_000_000;
/** A recording that resumes up to this much before its last end repeats frames (a kept GOP): they are left out. */
const REPEATED_MAX_US = 60_000_000;
const PREALLOCATE_FIRST_BYTES = 4 * 1024 * 1024;
const PREALLOCATE_MARGIN = 1.1;
const MICROSECONDS_PER_SECOND = 1_000_000;

/** A volume as a stream's writer needs it. */
export interface WritableVolume {
  readonly id: Guid;
  /** Undefined while the volume's threads do not run. */
  readonly writer: VolumeWriter | undefined;
  readonly usable: boolean;
}

export interface StreamWriterOptions {
  readonly key: StreamKey;
  /** The volume for a stream's next segment; undefined when none can be written. */
  readonly chooseVolume: () => WritableVolume | undefined;
  readonly epochs: Epochs;
  readonly bootId: Guid;
  readonly clock: Clock;
  readonly log: Log;
  readonly segmentSeconds: number;
}

/** Stands in the queue where frames are missing or the recording ends. */
interface Cut {
  readonly done: (() => void) | undefined;
}

/**
 * Writes one stream: keeps its frames until the volume's next tick, then decides where segments and fragments
 * begin and end. The frame path only counts and queues.
 */
export class SegmentedStreamWriter implements StreamWriter, BatchSource {
  readonly #options: StreamWriterOptions;
  readonly #segmentUs: number;
  #volume: { readonly id: Guid; readonly writer: VolumeWriter } | undefined;
  #queue: (Frame | Cut)[] = [];
  #needsKey = true;
  #gap = false;
  #droppedFrames = 0;
  #episodeFrames = 0;
  #segment: WritingSegment | undefined;
  #runBatch: WriteBatch | undefined;
  #fragmentId: Guid | undefined;
  #fragmentSequence = 0;
  #video: VideoFormat | undefined;
  #audio: AudioFormat | undefined;
  #lastAudioUs = 0;
  #lastAppendUs = 0;
  #retryAtUs = 0;
  #frameDurationUs = FRAME_DURATION_DEFAULT_US;
  /** Recording was ended: what comes next may begin with frames that are recorded already. */
  #mayRepeat = false;
  #preallocateBytes = PREALLOCATE_FIRST_BYTES;
  /** Segments on their way to the disk; `end` waits for them. */
  readonly #unfinished = new Set<WritingSegment>();
  #waiters: (() => void)[] = [];

  constructor(options: StreamWriterOptions) {
    this.#options = options;
    this.#segmentUs = options.segmentSeconds * MICROSECONDS_PER_SECOND;
  }

  /** Frames not recorded because the disk could not take them. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  append(frame: Frame): void {
    if (this.#needsKey && (frame.isAudio || !frame.key)) return this.#countDrop();
    if (frame.byteLength > RECORD_PAYLOAD_BYTES_MAX || frame.ranges.length > FRAME_RANGES_MAX)
      return this.#drop();
    const volume = this.#usableVolume();
    if (volume === undefined || !volume.writer.admit(frame.byteLength)) return this.#drop();
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
      if (volume === undefined || (this.#queue.length === 0 && this.#segment === undefined)) {
        this.#whenFinished(resolve);
        return;
      }
      this.#queue.push({ done: resolve });
      volume.writer.tick();
    });
  }

  /** Called by the volume each tick. */
  fill(batch: WriteBatch): boolean {
    this.#runBatch = undefined;
    let taken = 0;
    let full = false;
    for (const item of this.#queue) {
      if ("done" in item) this.#cut(item, batch);
      else if (batch.fits(item)) this.#place(item, batch);
      else {
        full = true;
        break;
      }
      taken += 1;
    }
    if (taken > 0) this.#queue.splice(0, taken);
    if (this.#segment !== undefined) this.#options.epochs.note(this.#options.key, this.#segment.plannedToUs);
    if (taken === 0 && this.#isIdle()) this.#finish(batch, undefined);
    this.#runBatch = undefined;
    return !full;
  }

  /** A segment of this stream is durable, or given up. */
  onFinished(segment: WritingSegment): void {
    this.#unfinished.delete(segment);
    if (segment === this.#segment) this.#segment = undefined;
    if (this.#unfinished.size > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  #usableVolume(): { readonly id: Guid; readonly writer: VolumeWriter } | undefined {
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
      if ("done" in item) this.#whenFinished(item.done ?? (() => undefined));
      else this.#discard(item, writer);
    }
    if (this.#segment !== undefined) {
      this.#segment.fail("the volume does not answer");
      writer.abandon(this.#segment);
    }
    this.#segment = undefined;
    this.#volume = undefined;
    this.#needsKey = true;
  }

  #drop(): void {
    this.#needsKey = true;
    this.#gap = true;
    if (this.#episodeFrames === 0) {
      const reason = this.#volume === undefined ? "no volume can be written" : "the volume does not keep up";
      this.#options.log.warn(
        { stream: streamKeyText(this.#options.key) },
        `frames are not recorded: ${reason}`,
      );
    }
    this.#episodeFrames += 1;
    this.#droppedFrames += 1;
  }

  #countDrop(): void {
    if (this.#episodeFrames === 0) return; // before the first key frame nothing is lost that could be shown
    this.#episodeFrames += 1;
    this.#droppedFrames += 1;
  }

  #endEpisode(): void {
    const fields = { stream: streamKeyText(this.#options.key), frames: this.#episodeFrames };
    this.#options.log.info(fields, "frames are recorded again");
    this.#episodeFrames = 0;
  }

  #discard(frame: Frame, writer: VolumeWriter): void {
    writer.dismiss(frame.byteLength);
    frame.release();
  }

  #cut(cut: Cut, batch: WriteBatch): void {
    this.#finish(batch, undefined);
    if (cut.done === undefined) return;
    this.#mayRepeat = true;
    this.#whenFinished(cut.done);
  }

  #whenFinished(done: () => void): void {
    if (this.#unfinished.size === 0) done();
    else this.#waiters.push(done);
  }

  #isIdle(): boolean {
    return (
      this.#segment !== undefined && this.#options.clock.monotonicUs() - this.#lastAppendUs > IDLE_MAX_US
    );
  }

  /** Puts a frame where it belongs; the frame's lease goes to the batch or back. */
  #place(frame: Frame, batch: WriteBatch): void {
    const writer = this.#volume?.writer;
    if (writer === undefined) return frame.release();
    if (this.#segment?.state === "failed") this.#abandon(this.#segment, writer);
    if (frame.isAudio && !this.#takesAudio(frame)) return this.#discard(frame, writer);
    this.#endSegmentBefore(frame, batch);
    if (this.#segment === undefined && !this.#startSegment(frame, writer))
      return this.#discard(frame, writer);
    const segment = this.#segment;
    if (segment === undefined) return this.#discard(frame, writer);
    if (this.#runBatch !== batch) segment.beginRun(batch);
    this.#runBatch = batch;
    segment.add(frame, batch);
    if (frame.isAudio) this.#lastAudioUs = frame.decodeTimeUs;
    this.#lastAppendUs = this.#options.clock.monotonicUs();
  }

  /** Audio goes along with video: none before the first key frame, none whose clock runs elsewhere. */
  #takesAudio(frame: Frame): boolean {
    if (this.#segment === undefined || frame.decodeTimeUs < this.#lastAudioUs) return false;
    return Math.abs(frame.decodeTimeUs - this.#segment.lastUs) <= GAP_MAX_US;
  }

  #endSegmentBefore(frame: Frame, batch: WriteBatch): void {
    const segment = this.#segment;
    if (segment === undefined) return;
    if (frame.isAudio) {
      if (sameFormat(this.#audio, frame.format as AudioFormat)) return;
      return this.#continueIn(segment.lastUs + 1, frame, batch);
    }
    const stepUs = frame.decodeTimeUs - segment.lastUs;
    if (frame.discontinuity || stepUs < 0 || stepUs > GAP_MAX_US)
      return this.#finish(batch, frame.decodeTimeUs);
    const lengthUs = frame.decodeTimeUs - segment.fromUs;
    const due =
      (frame.key && lengthUs >= this.#segmentUs) ||
      lengthUs >= this.#segmentUs * SEGMENT_LENGTHS_MAX ||
      segment.plannedBytes + frame.byteLength > SEGMENT_BYTES_MAX ||
      segment.plannedGops >= SEGMENT_GOPS_MAX ||
      !sameFormat(this.#video, frame.format as VideoFormat);
    if (due && frame.decodeTimeUs > segment.fromUs) this.#continueIn(frame.decodeTimeUs, frame, batch);
  }

  /** Goes on with the fragment in a new segment from `fromUs`. */
  #continueIn(fromUs: number, frame: Frame, batch: WriteBatch): void {
    const segment = this.#segment;
    const writer = this.#volume?.writer;
    if (segment === undefined || writer === undefined) return;
    this.#finishAt(segment, batch, fromUs);
    this.#fragmentSequence += 1;
    this.#open(fromUs, frame, writer, segment.epoch);
  }

  /** Ends the fragment, before `nextUs` when a frame follows. */
  #finish(batch: WriteBatch, nextUs: number | undefined): void {
    const segment = this.#segment;
    const writer = this.#volume?.writer;
    if (segment === undefined || writer === undefined) return;
    if (segment.state === "failed") return this.#abandon(segment, writer);
    const before = nextUs !== undefined && nextUs > segment.lastUs ? nextUs : Number.POSITIVE_INFINITY;
    this.#finishAt(segment, batch, Math.max(segment.lastUs + 1, Math.min(segment.plannedToUs, before)));
    this.#fragmentId = undefined;
  }

  #finishAt(segment: WritingSegment, batch: WriteBatch, toUs: number): void {
    if (this.#runBatch !== batch) segment.beginRun(batch);
    segment.finish(batch, toUs);
    this.#options.epochs.note(this.#options.key, toUs);
    this.#frameDurationUs = segment.frameDurationUs;
    this.#preallocateBytes = Math.min(
      SEGMENT_BYTES_MAX,
      Math.ceil(segment.plannedBytes * PREALLOCATE_MARGIN),
    );
    this.#runBatch = undefined;
    this.#segment = undefined;
  }

  #abandon(segment: WritingSegment, writer: VolumeWriter): void {
    this.#segment = undefined;
    this.#fragmentId = undefined;
    this.#runBatch = undefined;
    this.#retryAtUs = this.#options.clock.monotonicUs() + RETRY_US;
    writer.abandon(segment);
  }

  /** Starts a fragment with a key frame; false when the frame cannot start one. */
  #startSegment(frame: Frame, writer: VolumeWriter): boolean {
    if (frame.isAudio || !frame.key) return false;
    if (this.#options.clock.monotonicUs() < this.#retryAtUs) {
      this.#droppedFrames += 1;
      return false;
    }
    const { epochs, key } = this.#options;
    const repeatedUs = epochs.newestUs(key) - frame.decodeTimeUs;
    if (this.#mayRepeat && !frame.discontinuity && repeatedUs > 0 && repeatedUs <= REPEATED_MAX_US)
      return false;
    this.#mayRepeat = false;
    this.#fragmentId = newGuid();
    this.#fragmentSequence = 0;
    this.#audio = this.#queuedAudioFormat(frame);
    this.#open(frame.decodeTimeUs, frame, writer, epochs.epochFrom(key, frame.decodeTimeUs));
    return true;
  }

  /** The format of the first audio that follows `frame` in the queue: the header then names it from the start. */
  #queuedAudioFormat(frame: Frame): AudioFormat | undefined {
    const from = this.#queue.indexOf(frame);
    for (let at = from + 1; at < this.#queue.length; at++) {
      const item = this.#queue[at];
      if (item === undefined || "done" in item) break;
      if (item.isAudio) return item.format as AudioFormat;
    }
    return undefined;
  }

  #open(fromUs: number, frame: Frame, writer: VolumeWriter, epoch: number): void {
    const { key, clock, bootId, epochs } = this.#options;
    if (frame.isAudio) this.#audio = frame.format as AudioFormat;
    else this.#video = frame.format as VideoFormat;
    this.#lastAudioUs = 0;
    const header: SegmentHeader = {
      segmentId: epochs.takeSegmentId(),
      nonce: randomBytes(NONCE_BYTES),
      volumeId: this.#volume?.id ?? "",
      key,
      fragmentId: this.#fragmentId ?? newGuid(),
      fragmentSequence: this.#fragmentSequence,
      bootId,
      epoch,
      fromUs,
      createdWallUs: clock.nowUs(),
      createdMonotonicUs: clock.monotonicUs(),
      video: this.#video,
      audio: this.#audio,
    };
    const bytes = packSegmentHeader(header);
    const segment = new WritingSegment({
      header,
      headerBytes: bytes.length,
      crcSeed: crc32(bytes.subarray(16, 24 + NONCE_BYTES)),
      slot: writer.takeSlot(),
      frameDurationUs: this.#frameDurationUs,
    });
    this.#segment = segment;
    this.#unfinished.add(segment);
    const path = openSegmentPath(header);
    writer.open(segment, { path, header: bytes, preallocateBytes: this.#preallocateBytes });
  }
}

/** Whether two formats are the same to a decoder: one object, or equal in every member. */
function sameFormat(a: VideoFormat | AudioFormat | undefined, b: VideoFormat | AudioFormat): boolean {
  if (a === b) return true;
  if (a === undefined || a.codec !== b.codec) return false;
  const sizes =
    "width" in a && "width" in b
      ? a.width === b.width && a.height === b.height
      : "channels" in a && "channels" in b && a.channels === b.channels && a.sampleRate === b.sampleRate;
  return sizes && Buffer.compare(a.initialization, b.initialization) === 0;
}
