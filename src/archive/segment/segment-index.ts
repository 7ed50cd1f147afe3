import type { Guid, StreamKey } from "../../base/index.js";
import type { ReadableSegment } from "./segment-reading.js";
import type { OpenSegment, SegmentFile, SegmentSummary } from "./segment-summary.js";
import type {
  ArchiveFragment,
  DayTotal,
  RecordedChangeListener,
  RecordedDay,
  RecordedStretch,
} from "./types.js";

export interface SeekOptions {
  /** False: whoever asks does not look at the GOPs, which are most of what is read; they may be left out. Default: true. */
  readonly withGops?: boolean;
}

/**
 * What the archive asks of its index. Queries see open segments (`trackOpen`), segments added but not yet
 * committed, and committed ones alike, and are synchronous: one is a few microseconds.
 */
export interface SegmentIndex {
  /** Makes a segment that is being written visible to queries until `add` of the same segment id, or `forgetOpen`. */
  trackOpen(segment: OpenSegment): void;
  forgetOpen(segmentId: number): void;
  /** Takes a closed, synced segment. Visible at once, durable after the next commit. Adding one twice changes nothing. */
  add(summary: SegmentSummary): void;
  /** What is stored of a closed segment, on whatever volume; undefined when it is not known. */
  closed(segment: Pick<ReadableSegment, "key" | "segmentId" | "fromUs">): SegmentSummary | undefined;
  /**
   * Replaces what is stored of a segment by what is said of its copy on another volume, in one transaction; nothing else of it may
   * differ. False, and nothing is changed, when the index does not have the segment there (any more).
   */
  move(from: SegmentSummary, to: SegmentSummary): boolean;
  /** Whether a segment's record is on the index's disk, and nobody holds it: only then it may be removed. */
  isDurable(segmentId: number): boolean;
  /** Retention and check leave the segment alone until the returned function is called. */
  hold(segmentId: number): () => void;
  /** Resolves when all that was added or removed so far is flushed to the index's disk; commits now instead of on the tick. */
  flush(): Promise<void>;
  /** Called after each durable commit with the segments it made durable: they may leave `open/`. */
  onCommitted(listener: (files: readonly SegmentSummary[]) => void): void;

  /** As in `ArchiveAccess`. */
  keptDay(key: StreamKey, day: number): RecordedDay | undefined;
  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void;

  /** Of the closed segments of a stream that begin on a day (since 1970, UTC): changes when the day's segments change. */
  dayTotal(key: StreamKey, day: number): DayTotal;

  onChange(listener: RecordedChangeListener): void;

  /** The segment that holds `timeUs`, else the next one after it; undefined past the end. */
  seek(key: StreamKey, timeUs: number, options?: SeekOptions): SegmentSummary | OpenSegment | undefined;
  /**
   * The segment that follows `segment` in the stream's recorded order: it begins after it in its epoch, or in a later epoch.
   * Undefined at the live edge. Options as for `seek`.
   */
  following(
    key: StreamKey,
    segment: { readonly segmentId: number; readonly epoch: number; readonly fromUs: number },
    options?: SeekOptions,
  ): SegmentSummary | OpenSegment | undefined;
  /** The last segment of an epoch that starts at `fromUs` or before. */
  last(
    key: StreamKey,
    at: { readonly epoch: number; readonly fromUs: number },
  ): SegmentSummary | OpenSegment | undefined;
  /** As `fragments`, with their epochs. */
  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[];
  /** Fragments that overlap `[fromUs, toUs)`, oldest first. */
  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[];
  /** Newest segment of a stream; undefined when it has none. */
  newest(key: StreamKey): SegmentSummary | OpenSegment | undefined;
  /** Decode time of the key frame nearest to `timeUs`. */
  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined;
  streams(): StreamKey[];
  /** Not ready: it is being opened, or with a `failure` cannot be, and knows of no segments of earlier runs. */
  status(): { readonly ready: boolean; readonly failure: string | undefined };
  /** Whether the index holds all that a volume holds; one that was rebuilt does not until it has read the volume in. */
  isWhole(volumeId: Guid): boolean;

  /** The oldest closed segments that the index holds durably, oldest first, of all streams, of one volume if named. */
  oldest(limit: number, volumeId?: Guid): SegmentSummary[];
  /** Takes segments out of the index and notes their files for unlinking, in one transaction. Resolves when durable. */
  remove(summaries: readonly SegmentSummary[]): Promise<void>;
  /** Files listed for removal by `remove` and not yet reported gone, of one volume if named; a bounded number of them. */
  pendingUnlinks(volumeId?: Guid): { readonly volumeId: Guid; readonly file: SegmentFile }[];
  unlinked(files: readonly { readonly volumeId: Guid; readonly file: SegmentFile }[]): void;
}
