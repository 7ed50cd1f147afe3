/**
 * recording: when to record: each channel's mode, and the recorder that applies it.
 *
 * Belongs here: the decision whether a channel's frames go to the archive at this moment.
 * Does not belong here: how they are written (`archive`), how they are received (`camera`, `rtsp`).
 *
 * Parts: `motion/`: motion in pictures: zones, background, detectors.
 */
export { localClock } from "./local-clock.js";
export { MANUAL_SWITCHES_FILE, type ManualSwitch, ManualSwitches } from "./manual-switches.js";
export {
  MOTION_SOURCES,
  MOTION_ZONES_MAX,
  type MotionBox,
  type MotionChange,
  type MotionSource,
} from "./motion/motion-change.js";
export {
  MotionDetectors,
  type MotionDetectorsOptions,
  type MotionDetectorsState,
  type MotionSight,
} from "./motion/motion-detectors.js";
export { MotionStates } from "./motion/motion-states.js";
export { type MotionZone, readMotionZones, WHOLE_PICTURE } from "./motion/motion-zones.js";
export { zoneHas } from "./motion/zone-area.js";
export { PRE_ROLL_TOTAL_BYTES_MAX, PreRoll } from "./pre-roll.js";
export { type ManualRequest, Recorder, type RecordingDecision, type RecordingState } from "./recorder.js";
export { modeChangeText, type RecordingMode, readModeChange, recordingMode } from "./recording-mode.js";
export { episodeEndText, hasManualPart, type RecordingReason, reasonText } from "./recording-reason.js";
export {
  readScheduleChange,
  type ScheduleBefore,
  scheduleChangeText,
  scheduleText,
} from "./schedule-change.js";
export { SEEN_MOMENT_MS, SEEN_THINGS_MAX, SeenStates } from "./seen-states.js";
export type { TimedRecording } from "./timed-recordings.js";
export { type ZoneState, ZoneStates } from "./zone-states.js";
