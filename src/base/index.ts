/**
 * base: what all rooms use: clocks, units, timeouts, a semaphore, GUIDs, time formats, the error catalogue, the log,
 * loading the addon.
 *
 * Belongs here: small helpers that know nothing of cameras, archives or HTTP.
 * Does not belong here: anything that knows a frame, a channel's settings, a volume or a socket.
 * Imports no other room.
 *
 * `value/`: units, errors, ids and spellings; `kinds/`: names that the wire shares, with a door of its own; `log/`: the
 * log and what else is written; `time/`: clocks and formats of time; `process/`: this process, its addon and small files;
 * `wait/`: waiting, limits and order.
 */
export {
  eachStream,
  OBJECT_LABELS,
  type ObjectLabel,
  PRESENCE_KINDS,
  SEEN_KINDS,
  type SeenKind,
  STREAM_TYPES,
  type StreamKey,
  type StreamType,
  streamKeyText,
} from "./kinds/index.js";
export { LibraryConsole } from "./log/library-console.js";
export { createLog, type Log, type LogOptions } from "./log/log.js";
export { LOG_RING_BYTES_MAX, LOG_RING_LINE_LENGTH_MAX, LogRing } from "./log/log-ring.js";
export { type CameraName, logText } from "./log/log-text.js";
export { NodeWarnings } from "./log/node-warnings.js";
export { builtScript } from "./process/built-script.js";
export { collectGarbage } from "./process/collect-garbage.js";
export { DESCRIPTORS_UNKNOWN, readDescriptorLimit } from "./process/descriptor-limit.js";
export { EXIT } from "./process/exit-status.js";
export { freeMemory } from "./process/free-memory.js";
export { type LongWork, noteWait, noteWork, takeLongWork } from "./process/long-work.js";
export {
  MEMORY_BYTES_UNKNOWN,
  type MemoryBound,
  type MemoryLimit,
  memoryGroups,
  readMemoryLimit,
} from "./process/memory-limit.js";
export { memoryUsage } from "./process/memory-usage.js";
export { loadNativeAddon } from "./process/native-addon.js";
export {
  appendPlain,
  clearPlaceSync,
  keepBeside,
  NotAFile,
  openFileOrFolderSync,
  openPlain,
  openPlainSync,
  otherThanFile,
  readPlain,
  readPlainSync,
  replaceSmallFile,
  syncDirectory,
  takePlace,
  writeAfresh,
  writePlainSync,
} from "./process/plain-file.js";
export { endProcess } from "./process/process-end.js";
export { type ProcessHeap, processHeap } from "./process/process-heap.js";
export { returnPages } from "./process/return-pages.js";
export { readSmallFile, readSmallFileLater } from "./process/small-file.js";
export { hasSpareThreads } from "./process/spare-threads.js";
export { startProgram, startScript, startServant } from "./process/start-program.js";
export { fillingView } from "./process/unshared-view.js";
export { type Release, readRelease, readVersion } from "./process/version.js";
export { formatBinaryTime, parseBinaryTime } from "./time/binary-time.js";
export { readBootId } from "./time/boot-id.js";
export {
  CLOCK_KNOWN,
  CLOCK_WITNESSES,
  type Clock,
  type ClockKnowledge,
  type ClockSet,
  type ClockTimer,
  type ClockTrust,
  type ClockWitness,
  onTimerLate,
  SystemClock,
} from "./time/clock.js";
export {
  type ClockStatus,
  hasBatteryTime,
  hasHostTime,
  readBatteryTimeUs,
  readClockErrorUs,
  readClockStatus,
} from "./time/clock-status.js";
export { firstBehind, type Interval, outside, overlaps, union } from "./time/intervals.js";
export { localZoneName } from "./time/local-zone.js";
export { REQUESTS_A_TURN_MS, RequestTurns } from "./time/request-turns.js";
export {
  formatApiTime,
  formatApiTimeMs,
  formatIsoTime,
  parseApiTime,
  parseIsoTime,
} from "./time/time-format.js";
export { attentiveUs, setTimeLimit } from "./time/time-limit.js";
export { onTimerFault } from "./time/timer-faults.js";
export { AddressRanges, isAddressRange, isPublicAddress } from "./value/address-ranges.js";
export { ERRORS, type ErrorCode, errorText, NvrdError } from "./value/errors.js";
export { EMPTY_GUID, type Guid, guidFromBytes, guidToBytes, newGuid, parseGuid } from "./value/guid.js";
export {
  brokenInvariants,
  INVARIANTS,
  type InvariantCode,
  InvariantError,
  invariant,
} from "./value/invariant.js";
export { LANGUAGES, type Language } from "./value/language.js";
export { MASK, redactText, redactUrl } from "./value/redact-url.js";
export {
  patternOf,
  type SentenceLists,
  type SentencePattern,
  type SentenceTemplate,
  sentenceLists,
  translated,
} from "./value/sentence-templates.js";
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
  PARTS_PER_MILLION,
  SECONDS_PER_DAY,
  SECONDS_PER_HOUR,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_MS,
  US_PER_SECOND,
} from "./value/units.js";
export { withoutSecret } from "./value/without-secret.js";
export { withAnyOf } from "./wait/any-of.js";
export { ByteBudget } from "./wait/byte-budget.js";
export { atOnce, inTurns } from "./wait/in-turns.js";
export { callLine, errorOfLine, jsonOfLine, type OrderConnection, serveOrder } from "./wait/line-call.js";
export { once } from "./wait/once.js";
export { type AnsweringThread, ORDER_WORKER, OrderThread, orderThreadOf } from "./wait/order-thread.js";
export { Pace } from "./wait/pace.js";
export { pauseUnlessAborted } from "./wait/pause.js";
export { type Allowance, CostBucket, PeerBudget } from "./wait/peer-budget.js";
export { Semaphore } from "./wait/semaphore.js";
export { type StartedPart, stopInOrder } from "./wait/stop-in-order.js";
export { Strangers, strangersShare } from "./wait/strangers.js";
export {
  endsUnlessAborted,
  endsWithin,
  type TimeLimit,
  unlessAborted,
  withTimeout,
} from "./wait/timeout.js";
