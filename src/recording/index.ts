/**
 * recording: when to record: each channel's mode, and the recorder that follows it.
 *
 * Belongs here: the decision whether a channel's frames go to the archive at this moment.
 * Does not belong here: how they are written (`archive`), how they are received (`camera`, `rtsp`).
 */
export * from "./channel-recorder.js";
export * from "./frame-rate-limit.js";
export * from "./manual-switches.js";
export * from "./motion/motion-analyzer.js";
export * from "./motion/motion-detector.js";
export * from "./motion/motion-detector-load.js";
export * from "./motion/motion-detectors.js";
export * from "./motion/motion-states.js";
export * from "./motion/motion-zones.js";
export * from "./motion-episodes.js";
export * from "./pre-roll.js";
export * from "./recorder.js";
export * from "./recording-reason.js";
export * from "./week-schedule.js";
