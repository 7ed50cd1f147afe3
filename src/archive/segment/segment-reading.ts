import type { Guid, StreamKey } from "../../base/index.js";
import type { SegmentFormats } from "./segment-header.js";

/** Times as in the header, even if they were corrected since. */
export interface OpenedSegment extends SegmentFormats {
  readonly headerBytes: number;
  readonly fromUs: number;
  /** Provisional minus monotonic time; undefined for a segment whose clock was known. */
  readonly provisionalOffsetUs: number | undefined;
}

export interface ReadResult {
  /** Bytes of whole, checked records from `memoryOffset` on: of those asked for as many as came, at least one. */
  readonly wholeBytes: number;
  /** The record after them is damaged, or there is none where one should be. */
  readonly damaged: boolean;
  /** The next record is whole but longer than the memory: so many bytes are needed. */
  readonly neededBytes: number;
}

/** Which bytes of an open segment are read. */
export interface RecordRead {
  readonly handle: number;
  readonly position: number;
  /** No byte from here on is read. */
  readonly limit: number;
  readonly memory: SharedArrayBuffer;
  /** Where in the memory the first byte goes; default: at its start. */
  readonly memoryOffset?: number;
}

/** What is opened: the members of a segment that its bytes are found by. */
export interface ReadableSegment {
  readonly key: StreamKey;
  readonly segmentId: number;
  /** Distinguishes it from its key frames alone. */
  readonly fragmentId: Guid;
  readonly epoch: number;
  readonly fromUs: number;
}

/**
 * A place that segments are read from: a volume, or object storage. Rejects with VolumeError where the segment is gone or cannot
 * be read, with NvrdError NOT_AVAILABLE where the place does not answer in time.
 */
export interface SegmentReading {
  /** `handle` names it from then on. `fromUs`: where reading will begin, for a place that is far. */
  open(segment: ReadableSegment, handle: number, fromUs?: number): Promise<OpenedSegment>;
  /** May answer fewer records than were asked for: a place that is far answers what has come. */
  read(request: RecordRead): Promise<ReadResult>;
  /** Also of one that is being opened or read: a place that is far gives up what it fetches. Never throws. */
  close(handle: number): void;
}
