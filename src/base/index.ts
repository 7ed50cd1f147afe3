/**
 * base: what every room stands on: clocks, GUIDs, time spellings, the error catalogue, the log, the way to the addon.
 *
 * Belongs here: small things without a notion of cameras, archives or HTTP; looking at an LMDB environment of unknown
 * health, which several rooms have.
 * Does not belong here: anything that knows a frame, a channel's settings, a volume or a socket. Imports nothing of ours.
 */
export { readBootId } from "./boot-id.js";
export {
  CLOCK_KNOWN,
  type Clock,
  type ClockKnowledge,
  type ClockSet,
  type ClockTimer,
  SystemClock,
} from "./clock.js";
export { type ClockStatus, hasBatteryTime, readClockErrorUs, readClockStatus } from "./clock-status.js";
export {
  builtScript,
  type Inspection,
  inspectDatabase,
  noteOpening,
  noteSettled,
  setAside,
  WALK_STATUS,
} from "./database-inspection.js";
export { ERRORS, type ErrorCode, errorText, NvrdError } from "./errors.js";
export { EXIT } from "./exit-status.js";
export { EMPTY_GUID, type Guid, guidFromBytes, guidToBytes, newGuid, parseGuid } from "./guid.js";
export { createLog, type Log, type LogOptions, redactUrl } from "./log.js";
export { LOG_RING_BYTES_MAX, LOG_RING_LINE_LENGTH_MAX, LogRing } from "./log-ring.js";
export { loadNativeAddon } from "./native-addon.js";
export { NodeWarnings } from "./node-warnings.js";
export { pauseUnlessAborted } from "./pause.js";
export { endProcess } from "./process-end.js";
export {
  CLOCK_FLOOR_US,
  type ClockTrust,
  RecorderClock,
  type RecorderClockOptions,
} from "./recorder-clock.js";
export { readSmallFile, replaceSmallFile } from "./small-file.js";
export { type StartedPart, stopInOrder } from "./stop-in-order.js";
export { STREAM_TYPES, type StreamKey, type StreamType, streamKeyText } from "./stream-type.js";
export { formatApiTime, formatApiTimeMs, formatIsoTime, parseApiTime, parseIsoTime } from "./time-format.js";
export { readVersion } from "./version.js";
