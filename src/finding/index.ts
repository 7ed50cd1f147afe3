/**
 * finding: what was seen of the channels: one kind of record, whoever saw it.
 *
 * Belongs here: the record and its bounds, the findings that last, their files beside the recordings, the index and its search.
 * Does not belong here: who sees (`camera`, `recording`, `analysis`), events (`event`), HTTP and rights (`owner`).
 */
export {
  boxWithin,
  FINDING_DIRECTIONS,
  FINDING_PATH_MAX,
  FINDING_SOURCES,
  FINDING_TEXT_CHARACTERS_MAX,
  FINDING_WORD_CHARACTERS_MAX,
  FINDING_ZONES_MAX,
  type Finding,
  type FindingBest,
  type FindingBox,
  type FindingDirection,
  type FindingMoment,
  type FindingSource,
  findingId,
  findingSize,
  readFindingId,
} from "./finding.js";
export { FINDINGS_DIRECTORY } from "./finding-files.js";
export type { KeptSince } from "./finding-retention.js";
export {
  type FindingPage,
  type FindingPosition,
  type FindingQuery,
  SEARCH_WORDS_MAX,
} from "./finding-search.js";
export {
  FindingStore,
  type FindingStoreOptions,
  type FindingStoreState,
  type FindingVolumes,
} from "./finding-store.js";
export {
  type FindingBegin,
  type FindingChange,
  type FindingGrowth,
  type FindingListener,
  type FindingWriter,
  LASTING_MAX,
  LASTING_OF_CHANNEL_MAX,
  LastingFindings,
  MOTION_PAUSE_MS,
} from "./lasting-findings.js";
export { SEEN_MARKS_KIND, SEEN_ONE_BY_ONE_MAX, SeenMarks } from "./seen-marks.js";
