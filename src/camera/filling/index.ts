/**
 * camera/filling: what cameras kept on cards of their own, fetched into gaps of the recording.
 *
 * Belongs here: which gaps are filled, when, in which order, how often; where what was kept meets what is recorded; what became of
 * each gap.
 * Does not belong here: the camera's answers and their bounds (`camera`), the replay itself (`rtsp`), writing segments (`archive`),
 * why there are gaps (`owner/timeline`).
 */
export { type FillHours, fillHours } from "./fill-hours.js";
export { GAP_STATES, type GapEntry, type GapState } from "./gap-book.js";
export {
  type FillSettings,
  type FillState,
  type GapFillStates,
  GapFills,
  type GapFillsOptions,
} from "./gap-fills.js";
