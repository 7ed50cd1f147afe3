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
export {
  reportedKinds,
  type SightListener,
  type SightRules,
  type SightThing,
  thingKinds,
  type WantedThing,
} from "./look/camera-sight.js";
export { type SightCamera, Sights } from "./sights.js";
export type { DetectedLabel } from "./thing/labels.js";
export { type Act, ThingActs, type WatchedZone } from "./track/acts.js";
