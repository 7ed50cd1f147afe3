import { isKeyFramesFragment, keyFramesFragmentId, type SegmentSummary } from "../../archive/index.js";
import type { Guid, StreamType } from "../../base/index.js";

/** A segment in the bucket, with its place there. */
export interface DayEntry {
  readonly channelId: Guid;
  /** `2026-11-28` */
  readonly day: string;
  readonly entry: SentEntry;
}

/** A segment that lies in the bucket, as manifest and journal have it. Times are Unix microseconds. */
export interface SentEntry {
  readonly stream: StreamType;
  readonly segmentId: number;
  readonly volumeId: Guid;
  /** Distinguishes key frames alone from the whole segment: they are another fragment. */
  readonly fragmentId: Guid;
  readonly fragmentSequence: number;
  readonly epoch: number;
  readonly fromUs: number;
  readonly toUs: number;
  /** Of the object before it is encrypted, as are the frames. */
  readonly bytes: number;
  readonly videoFrames: number;
  readonly audioFrames: number;
  /** Numbers of `Codec`; 0: none. */
  readonly video: number;
  readonly audio: number;
  /** Of the object as it lies there. */
  readonly sha256: string;
  /** The object's size where it is encrypted; `bytes` is that of the segment. */
  readonly sealedBytes?: number | undefined;
  /** GOP table of key frames alone, base64: no index here has it. */
  readonly gops?: string | undefined;
}

/**
 * What is kept of a segment that is to be sent: without its GOP table, because months of them wait. `bytes` and frames are those of
 * the whole segment, also where only its key frames go.
 */
export type Candidate = Omit<SentEntry, "video" | "audio" | "sha256" | "sealedBytes" | "gops"> & {
  readonly channelId: Guid;
};

/** What of a segment is wanted, or lies in the bucket. */
export type SegmentForm = "whole" | "key frames";

export function formOf({ fragmentId }: Pick<SentEntry, "fragmentId">): SegmentForm {
  return isKeyFramesFragment(fragmentId) ? "key frames" : "whole";
}

/** Whether what is there is as much as what is wanted. */
export function isEnough(there: SegmentForm, wanted: SegmentForm): boolean {
  return there === "whole" || wanted === "key frames";
}

/** As `candidateOf`; of one whose key frames have no name of their own the whole segment goes. */
export function candidateAs(segment: SegmentSummary, form: SegmentForm): Candidate {
  const whole = candidateOf(segment);
  if (form === "whole" || formOf(whole) === "key frames") return whole;
  return { ...whole, fragmentId: keyFramesFragmentId(whole.fragmentId) ?? whole.fragmentId };
}

export function candidateOf(segment: SegmentSummary): Candidate {
  const { key, segmentId, volumeId, fragmentId, fragmentSequence, epoch, fromUs, toUs, bytes } = segment;
  const { videoFrames, audioFrames } = segment;
  const { channelId, streamType: stream } = key;
  return {
    ...{ channelId, stream, segmentId, volumeId, fragmentId, fragmentSequence, epoch },
    ...{ fromUs, toUs, bytes, videoFrames, audioFrames },
  };
}

/** Segment ids are unique in one archive; several streams share it. */
export function dayOf(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1000)).toISOString().slice(0, 10);
}

/** The beginning of a day, Unix microseconds, UTC. */
export function dayBeginUs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) * 1000;
}
