/**
 * finding: what was seen of the channels: one kind of record, whoever saw it.
 *
 * Belongs here: the record and its bounds, the findings that last, their files beside the recordings, the index and its search.
 * Does not belong here: who sees (`camera`, `recording`, `analysis`), events (`event`), HTTP and rights (`owner`).
 */
export {
  FINDING_PATH_MAX,
  type Finding,
  type FindingBest,
  type FindingBox,
  type FindingDirection,
  type FindingSource,
  findingSize,
  readFindingId,
} from "./finding.js";
export { type FindingFiles, findingFile, readFindingFile } from "./finding-files.js";
export type { FindingQuery } from "./finding-search.js";
export { FindingStore } from "./finding-store.js";
export { FoundFindings } from "./found-findings.js";
export {
  type FindingBegin,
  type FindingChange,
  type FindingGrowth,
  type FindingWriter,
  LASTING_OF_CHANNEL_MAX,
  LastingFindings,
  MOTION_PAUSE_MS,
} from "./lasting-findings.js";
export { SEEN_ONE_BY_ONE_MAX, SeenMarks } from "./seen-marks.js";
