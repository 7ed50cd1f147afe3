/**
 * analysis: what analysers in the neighbourhood see in the cameras' pictures.
 *
 * Belongs here: when a picture goes to an analyser, the vision API of DeepStack and CodeProject.AI, Frigate's events, what is
 * made of answers that nobody vouches for: events, motion, small pictures. Loaded when an analyser is on.
 * Does not belong here: the analysers' configuration (`site`), making pictures (`picture`), the connection to the broker
 * (`mqtt`), the search for findings (`owner`).
 */

export {
  type AnalyserDrops,
  type AnalyserState,
  type AnalyserTrial,
  type AnalysisControl,
  NO_DROPS,
  type TaskTrial,
} from "./analyser-state.js";
export {
  Analyses,
  type AnalysesOptions,
  type MessageFeed,
  TESTS_PER_MINUTE_MAX,
  TICK_MS,
} from "./analyses.js";
export type { CameraPicture, CameraPictures } from "./camera-pictures.js";
export {
  FINDING_KINDS,
  type Finding,
  type FindingKind,
  kindOfLabel,
  readLabel,
  readNumber,
} from "./finding.js";
export { FindingEvents, isWanted } from "./finding-events.js";
export { FrigateEvents } from "./frigate-events.js";
export { readFrigateMessage } from "./frigate-message.js";
export { PictureBudget } from "./picture-budget.js";
export { overlap, regionOf } from "./picture-region.js";
export { SeenThings } from "./seen-things.js";
export { VisionAnalyser } from "./vision-analyser.js";
export { readAnswer } from "./vision-answer.js";
