/**
 * sight: objects that the recorder itself sees in the pictures of cameras.
 *
 * Belongs here: the detector's process and what passes to it; when and where cameras are looked at; tracks, and what they did.
 * Does not belong here: decoding (`picture`), motion (`recording`), what analysers in the neighbourhood see (`analysis`), how
 * findings are kept.
 *
 * Parts: `thing/`: boxes and labels; `detector/`: the process that looks at one picture; `track/`: things over several looks, and
 * what they do; `look/`: when and where to look.
 */
export { detectorProcess, type StartDetector } from "./detector/detector-process.js";
export { detectorModelFile } from "./detector/model-file.js";
export type { SightListener, SightRules, SightThing } from "./look/camera-sight.js";
export { LOOKS_A_SECOND_MAX, PROCESSOR_SHARE } from "./look/look-queue.js";
export {
  MEASURED_AFTER_MS,
  type SightCamera,
  type SightState,
  Sights,
  type SightsOptions,
} from "./sights.js";
export { DETECTED_LABELS, type DetectedLabel, KIND_OF_LABEL, type ObjectKind } from "./thing/labels.js";
export type { Act, CrossingDirection, WatchedLine, WatchedZone } from "./track/acts.js";
