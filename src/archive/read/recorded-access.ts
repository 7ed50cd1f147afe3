import type { ArchiveKey } from "../segment/types.js";
import type { RecordedFile } from "./recorded-file.js";
import type { RecordedQuery, RecordedSegment } from "./recorded-segments.js";

/** Recordings as exports need them: planned from the index only, then read piece by piece. */
export interface RecordedAccess {
  /** What is recorded of a time, from the key frame at or before its beginning on, in recorded order. */
  recorded(key: ArchiveKey, time: RecordedQuery): Iterable<RecordedSegment>;
  /**
   * Opens a segment's file. Rejects with NvrdError NOT_FOUND when it was removed meanwhile, NOT_AVAILABLE when its volume
   * does not answer, too many readers are open, or `gone` is aborted. The file is closed then; what is fetched for it is given up.
   */
  openRecorded(segment: RecordedSegment, gone?: AbortSignal): Promise<RecordedFile>;
}
