/**
 * base: what all rooms use: clocks, units, timeouts, a semaphore, GUIDs, time formats, the error catalogue, the log,
 * loading the addon.
 *
 * Belongs here: small helpers that know nothing of cameras, archives or HTTP.
 * Does not belong here: anything that knows a frame, a channel's settings, a volume or a socket.
 * Imports no other room.
 */
export { AddressRanges, isAddressRange, isPublicAddress } from "./address-ranges.js";
export { readBootId } from "./boot-id.js";
export { builtScript } from "./built-script.js";
export { ByteBudget } from "./byte-budget.js";
export {
  CLOCK_KNOWN,
  CLOCK_WITNESSES,
  type Clock,
  type ClockKnowledge,
  type ClockSet,
  type ClockTimer,
  type ClockWitness,
  SystemClock,
} from "./clock.js";
export {
  type ClockStatus,
  hasBatteryTime,
  hasHostTime,
  readBatteryTimeUs,
  readClockErrorUs,
  readClockStatus,
} from "./clock-status.js";
export { DelayedFile } from "./delayed-file.js";
export { ERRORS, type ErrorCode, errorText, NvrdError } from "./errors.js";
export { EXIT } from "./exit-status.js";
export { EMPTY_GUID, type Guid, guidFromBytes, guidToBytes, newGuid, parseGuid } from "./guid.js";
export { HOST_NAME, IPV4, OCTET } from "./host-patterns.js";
export { LANGUAGES, type Language } from "./language.js";
export { hasLdapLogin, isLdapAccount, isLdapAttribute, isLdapUrl } from "./ldap-forms.js";
export { LibraryConsole } from "./library-console.js";
export { callLine, errorLine, errorOfLine, jsonOfLine, type LineCallOptions, readLine } from "./line-call.js";
export { localZoneName } from "./local-zone.js";
export { createLog, type Log, type LogOptions } from "./log.js";
export { LOG_RING_BYTES_MAX, LOG_RING_LINE_LENGTH_MAX, LogRing } from "./log-ring.js";
export { type CameraName, logText } from "./log-text.js";
export {
  MEMORY_BYTES_UNKNOWN,
  type MemoryBound,
  type MemoryLimit,
  memoryGroups,
  readMemoryLimit,
} from "./memory-limit.js";
export { loadNativeAddon } from "./native-addon.js";
export { NodeWarnings } from "./node-warnings.js";
export { once } from "./once.js";
export { pauseUnlessAborted } from "./pause.js";
export { endProcess } from "./process-end.js";
export { type ProcessHeap, processHeap } from "./process-heap.js";
export {
  CLOCK_FLOOR_US,
  type ClockTrust,
  RecorderClock,
  type RecorderClockOptions,
} from "./recorder-clock.js";
export { MASK, redactText, redactUrl } from "./redact-url.js";
export { Semaphore } from "./semaphore.js";
export {
  patternOf,
  type SentenceLists,
  type SentencePattern,
  type SentenceTemplate,
  sentenceLists,
  translated,
} from "./sentence-templates.js";
export { readSmallFile, replaceSmallFile } from "./small-file.js";
export { type StartedPart, stopInOrder } from "./stop-in-order.js";
export { STREAM_TYPES, type StreamKey, type StreamType, streamKeyText } from "./stream-type.js";
export { formatApiTime, formatApiTimeMs, formatIsoTime, parseApiTime, parseIsoTime } from "./time-format.js";
export {
  endsUnlessAborted,
  endsWithin,
  type TimeLimit,
  unlessAborted,
  withTimeout,
} from "./timeout.js";
export {
  BITS_PER_BYTE,
  BYTES_PER_GB,
  BYTES_PER_KIB,
  BYTES_PER_MB,
  BYTES_PER_TB,
  DAYS_PER_YEAR,
  HOURS_PER_YEAR,
  MINUTES_PER_DAY,
  MINUTES_PER_HOUR,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  NS_PER_MS,
  PARTS_PER_MILLION,
  SECONDS_PER_DAY,
  SECONDS_PER_HOUR,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_MS,
  US_PER_SECOND,
} from "./units.js";
export { fillingView } from "./unshared-view.js";
export { readVersion } from "./version.js";
