import { randomBytes } from "node:crypto";
import {
  type Clock,
  type Guid,
  invariant,
  newGuid,
  type StreamKey,
  US_PER_SECOND,
} from "../../base/index.js";
import type { AudioFormat, Frame, VideoFormat } from "../../live/index.js";
import { NONCE_BYTES, readSegmentFraming } from "../segment/segment-format.js";
import { packSegmentHeader, type SegmentHeader } from "../segment/segment-header.js";
import { openSegmentPath } from "../segment/segment-summary.js";
import { FRAME_DURATION_DEFAULT_US } from "../segment/segment-tally.js";
import type { Epochs } from "../time/epochs.js";
import type { FrameDating } from "../time/frame-dating.js";
import type { Interruptions } from "./interruptions.js";
import type { WritingVolume } from "./volume-choice.js";
import type { VolumeWriter } from "./volume-writer.js";
import type { WriteBatch } from "./write-batch.js";
import { WritingSegment } from "./writing-segment.js";

export const SEGMENT_SECONDS_DEFAULT = 60;
/** A segment whose GOP does not end is cut at this many times its wanted length. */
const SEGMENT_LENGTHS_MAX = 2;
export const SEGMENT_BYTES_MAX = 1024 * 1024 * 1024;
/** Most GOPs of one segment: its table stays readable in one piece. */
const SEGMENT_GOPS_MAX = 8000;
/** A step of decode time longer than this where pictures are missing is a gap: a new fragment. */
export const GAP_MAX_US = 10_000_000;
/**
 * A segment without frames for this long is closed. Longer than a recorder waits to continue with one (CONTINUE_MS_MAX). A camera
 * that sends a picture now and then misses none between two of them.
 */
export const IDLE_MAX_US = 60_000_000;
/** Time between two attempts to start a segment after one failed. */
const RETRY_US = 1_000_000;
/** A recording that resumes up to this much before its last end repeats frames (a kept GOP): they are left out. */
const REPEATED_MAX_US = 60_000_000;
const PREALLOCATE_FIRST_BYTES = 4 * 1024 * 1024;
const PREALLOCATE_MARGIN = 1.1;

/** What decides the epoch of a fragment, and where it may begin. */
export type FragmentTimes = Pick<Epochs, "note" | "newestUs" | "epochFrom" | "takeSegmentId">;

export interface SegmentSequenceOptions {
  readonly key: StreamKey;
  readonly epochs: FragmentTimes;
  readonly dating: Pick<FrameDating, "provisionalOffsetUs">;
  readonly bootId: Guid;
  readonly interruptions: Interruptions;
  readonly clock: Clock;
  /** Wanted length of a segment in seconds. */
  readonly segmentSeconds: number;
  /** The id of a new fragment; default: a random one. */
  readonly newFragmentId?: () => Guid;
  /** Called for each segment that is opened. */
  readonly onOpen: (segment: WritingSegment) => void;
  /** Format of the first audio that waits behind a frame: the header then names it from the start. */
  readonly audioBehind: (frame: Frame) => AudioFormat | undefined;
}

/** Decides, frame by frame, where a stream's segments and fragments begin and end. */
export class SegmentSequence {
  readonly #options: SegmentSequenceOptions;
  readonly #segmentUs: number;
  #segment: WritingSegment | undefined;
  /** The batch in which the segment's run is open. */
  #runBatch: WriteBatch | undefined;
  #fragmentId: Guid = "";
  #fragmentSequence = 0;
  #newestSegmentId = 0;
  /** Provisional minus monotonic time, of a fragment whose times were taken before the clock was known. */
  #provisionalOffsetUs: number | undefined;
  #video: VideoFormat | undefined;
  #audio: AudioFormat | undefined;
  #lastAudioUs = 0;
  #lastPlacedUs = 0;
  #retryAtUs = 0;
  /** The segment given up last: the next fragment says where it ends at the latest. */
  #abandoned: WritingSegment | undefined;
  #frameDurationUs = FRAME_DURATION_DEFAULT_US;
  #preallocateBytes = PREALLOCATE_FIRST_BYTES;
  #mayRepeat = false;

  constructor(options: SegmentSequenceOptions) {
    this.#options = options;
    this.#segmentUs = options.segmentSeconds * US_PER_SECOND;
  }

  get segment(): WritingSegment | undefined {
    return this.#segment;
  }

  /** True when the segment has had no frame for so long that it is better closed; of a lost camera, as long as it may be joined. */
  isIdle(isLost: boolean): boolean {
    if (this.#segment === undefined) return false;
    const idleUs = this.#options.clock.monotonicUs() - this.#lastPlacedUs;
    return idleUs > (isLost ? GAP_MAX_US : IDLE_MAX_US);
  }

  /** A new batch is about to be filled. Answers the segment that failed meanwhile: it is given up. */
  beginBatch(volume: WritingVolume): WritingSegment | undefined {
    this.#runBatch = undefined;
    const segment = this.#segment;
    if (segment?.state !== "failed") return undefined;
    this.giveUp(volume.writer, segment.failure);
    return segment;
  }

  /** Gives the segment up half-way: recovery closes it when its disk lets it. */
  abandon(writer: VolumeWriter, reason: string): void {
    const segment = this.#segment;
    this.forget();
    this.#retryAtUs = 0;
    if (segment === undefined) return;
    // What the next fragment starts with must not lie before the end that was only planned for the last frame.
    this.#options.epochs.note(this.#options.key, Math.max(segment.fromUs, segment.lastUs) + 1);
    this.#abandoned = segment;
    if (segment.state !== "failed") segment.fail(reason);
    writer.abandon(segment);
  }

  /** As `abandon`, for a reason that may come again at once: the next attempt waits. */
  giveUp(writer: VolumeWriter, reason: string): void {
    this.abandon(writer, reason);
    this.#retryAtUs = this.#options.clock.monotonicUs() + RETRY_US;
  }

  /** Recording ends here: what comes next may begin with frames that are recorded already. */
  expectRepeats(): void {
    this.#mayRepeat = true;
  }

  /** Releases a segment that somebody else has given up. */
  forget(): void {
    this.#segment = undefined;
    this.#runBatch = undefined;
  }

  /** Puts a frame into the batch, which takes over its lease; false when it is not to be recorded. */
  place(frame: Frame, batch: WriteBatch, volume: WritingVolume): boolean {
    if (frame.isAudio && !this.#takesAudio(frame)) return false;
    if (this.#segment !== undefined) this.#endBefore(this.#segment, frame, batch, volume);
    const segment = this.#segment ?? this.#startFragment(frame, volume);
    if (segment === undefined) return false;
    if (this.#runBatch !== batch) this.#beginRun(segment, batch);
    segment.add(frame, batch);
    if (frame.isAudio) this.#lastAudioUs = frame.decodeTimeUs;
    return true;
  }

  #beginRun(segment: WritingSegment, batch: WriteBatch): void {
    segment.beginRun(batch);
    this.#runBatch = batch;
    this.#lastPlacedUs = this.#options.clock.monotonicUs();
  }

  /** Ends the fragment, before `nextUs` when a frame follows. */
  finish(batch: WriteBatch, nextUs?: number): void {
    const segment = this.#segment;
    if (segment === undefined) return;
    const before = nextUs !== undefined && nextUs > segment.lastUs ? nextUs : Number.POSITIVE_INFINITY;
    const leastUs = Math.max(segment.lastUs, segment.fromUs) + 1;
    this.#finishAt(segment, batch, Math.max(leastUs, Math.min(segment.plannedToUs, before)));
  }

  /** Audio goes along with video: none before the first key frame, none whose clock runs elsewhere. */
  #takesAudio(frame: Frame): boolean {
    if (this.#segment === undefined || frame.decodeTimeUs < this.#lastAudioUs) return false;
    return Math.abs(frame.decodeTimeUs - this.#segment.lastUs) <= IDLE_MAX_US;
  }

  #endBefore(segment: WritingSegment, frame: Frame, batch: WriteBatch, volume: WritingVolume): void {
    if (frame.isAudio) {
      if (sameFormat(this.#audio, frame.format as AudioFormat)) return;
      // Just behind the last picture: the next one may lie before this sound.
      this.#continueAt(segment.lastUs + 1, { segment, frame, batch, volume });
      return;
    }
    const stepUs = frame.decodeTimeUs - segment.lastUs;
    const stepUsMax = frame.discontinuity ? GAP_MAX_US : IDLE_MAX_US;
    if (stepUs < 0 || stepUs > stepUsMax || (frame.discontinuity && !this.#isJoined(frame))) {
      this.finish(batch, frame.decodeTimeUs);
      return;
    }
    // A segment that began with sound, just behind a picture, has no length yet.
    if (stepUs > 0 && frame.decodeTimeUs > segment.fromUs && this.#isDue(segment, frame)) {
      this.#continueAt(frame.decodeTimeUs, { segment, frame, batch, volume });
    }
  }

  /** Whether the fragment goes on over a short interruption. */
  #isJoined(frame: Frame): boolean {
    return frame.key && !this.#options.interruptions.endsFragment();
  }

  #isDue(segment: WritingSegment, frame: Frame): boolean {
    const lengthUs = frame.decodeTimeUs - segment.fromUs;
    return (
      (frame.key && lengthUs >= this.#segmentUs) ||
      lengthUs >= this.#segmentUs * SEGMENT_LENGTHS_MAX ||
      segment.plannedBytes + frame.byteLength > SEGMENT_BYTES_MAX ||
      segment.plannedGops >= SEGMENT_GOPS_MAX ||
      !sameFormat(this.#video, frame.format as VideoFormat)
    );
  }

  /** Continues with the fragment in a new segment from `fromUs`. */
  #continueAt(
    fromUs: number,
    at: { segment: WritingSegment; frame: Frame; batch: WriteBatch; volume: WritingVolume },
  ): void {
    this.#finishAt(at.segment, at.batch, fromUs);
    this.#fragmentSequence += 1;
    this.#open(fromUs, at.frame, at.volume, at.segment.epoch);
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
    this.forget();
  }

  /** Starts a fragment with a key frame; undefined when the frame cannot start one. */
  #startFragment(frame: Frame, volume: WritingVolume): WritingSegment | undefined {
    if (frame.isAudio || !frame.key || this.#options.clock.monotonicUs() < this.#retryAtUs) return undefined;
    const { epochs, key, dating } = this.#options;
    const repeatedUs = epochs.newestUs(key) - frame.decodeTimeUs;
    if (this.#mayRepeat && !frame.discontinuity && repeatedUs > 0 && repeatedUs <= REPEATED_MAX_US) {
      return undefined;
    }
    this.#mayRepeat = false;
    this.#abandoned?.endBefore(frame.decodeTimeUs);
    this.#abandoned = undefined;
    this.#fragmentId = (this.#options.newFragmentId ?? newGuid)();
    this.#fragmentSequence = 0;
    this.#provisionalOffsetUs = dating.provisionalOffsetUs(frame.decodeTimeUs);
    this.#audio = this.#options.audioBehind(frame);
    return this.#open(frame.decodeTimeUs, frame, volume, epochs.epochFrom(key, frame.decodeTimeUs));
  }

  #open(fromUs: number, frame: Frame, volume: WritingVolume, epoch: number): WritingSegment {
    const { key, clock, bootId, epochs } = this.#options;
    invariant(this.#fragmentSequence > 0 || (frame.key && !frame.isAudio), "fragment-start");
    const segmentId = epochs.takeSegmentId();
    invariant(segmentId > this.#newestSegmentId, "segment-id");
    this.#newestSegmentId = segmentId;
    if (frame.isAudio) this.#audio = frame.format as AudioFormat;
    else this.#video = frame.format as VideoFormat;
    this.#lastAudioUs = 0;
    this.#runBatch = undefined;
    const createdMonotonicUs = clock.monotonicUs();
    const offsetUs = this.#provisionalOffsetUs;
    const header: SegmentHeader = {
      segmentId,
      nonce: randomBytes(NONCE_BYTES),
      volumeId: volume.id,
      key,
      fragmentId: this.#fragmentId,
      fragmentSequence: this.#fragmentSequence,
      bootId,
      epoch,
      provisional: offsetUs !== undefined,
      moves: 0,
      fromUs,
      createdWallUs: offsetUs === undefined ? clock.nowUs() : offsetUs + createdMonotonicUs,
      createdMonotonicUs,
      video: this.#video,
      audio: this.#audio,
    };
    const bytes = packSegmentHeader(header);
    const segment = new WritingSegment({
      header,
      headerBytes: bytes.length,
      crcSeed: readSegmentFraming(bytes).crcSeed,
      slot: volume.writer.takeSlot(),
      frameDurationUs: this.#frameDurationUs,
    });
    this.#segment = segment;
    this.#options.onOpen(segment);
    const path = openSegmentPath(header);
    volume.writer.open(segment, { path, header: bytes, preallocateBytes: this.#preallocateBytes });
    return segment;
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
