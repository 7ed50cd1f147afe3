/**
 * health: the state of the recorder: its archive, cameras, disks, clock and machine, and how its runs ended.
 *
 * Belongs here: what other rooms count, put together into what a supervisor asks for: the report, the problems and their
 * remedies, the metrics, the support bundle without its contents; the machine's disks, what they say of themselves (SMART) and
 * what that means. Does not belong here: repairing or removing anything (`archive`), answering about it over HTTP (`compat`, `owner`), events
 * (`event`).
 *
 * Parts: `disk/`: disks and SMART; `report/`: figures, problems, the summary, how runs ended, the support bundle;
 * `metric/`: the same for Prometheus; `history/`: what the machine did in the last day and month.
 */

export { AnnouncedDisks } from "./disk/announced-disks.js";
export { type BlockDisk, BlockDiskReader, readBlockDisks } from "./disk/block-disks.js";
export type { DiskChange } from "./disk/disk-changes.js";
export { DiskHistory, type DiskSample } from "./disk/disk-history.js";
export { heatBounds } from "./disk/disk-judgement.js";
export { childDiskNames } from "./disk/disk-names.js";
export {
  DISK_REPORT_BYTES_MAX,
  type DiskReport,
  readDiskReport,
  writeDiskReport,
} from "./disk/disk-report.js";
export { askDisks, statesIn } from "./disk/disk-report-maker.js";
export type { DiskSmart, DiskState, DiskStates, DiskVerdict } from "./disk/disk-state.js";
export { DiskWatch, FIRST_LOOK_MS, type WatchedVolume } from "./disk/disk-watch.js";
export { ReportSource } from "./disk/report-source.js";
export { SmartRounds } from "./disk/smart-rounds.js";
export { noSmart, type SmartSource } from "./disk/smart-source.js";
export { Smartctl } from "./disk/smartctl.js";
export { isAskedBySmartctl } from "./disk/smartctl-processes.js";
export { SystemFiles } from "./disk/system-files.js";
export { disksBelow, disksUnder, type Mount, mountedDisks, parseMounts } from "./disk/volume-disks.js";
export {
  FigureHistory,
  HISTORY_FILE,
  HISTORY_FILE_BYTES,
  type HistoryView,
} from "./history/figure-history.js";
export type { FigureSample, FigureValues, HistoryFigure } from "./history/figure-slots.js";
export { MachineLoadReader } from "./history/machine-load.js";
export { METRIC_GROUPS, METRICS_CONTENT_TYPE, metricsText } from "./metric/metrics.js";
export { ArchiveHealth, diskErrors } from "./report/archive-health.js";
export type { ChannelReach } from "./report/archive-reach.js";
export {
  ARCHIVE_STATUS_UNKNOWN,
  type ArchiveErrors,
  type ArchiveStatus,
  hasArchiveError,
} from "./report/archive-status.js";
export {
  type CameraHealth,
  camerasHealth,
  type RecordingWord,
  type StreamHealth,
} from "./report/camera-health.js";
export {
  DELAY_PART_MS,
  DELAY_PARTS,
  EventLoopDelay,
} from "./report/event-loop-delay.js";
export { type HealthDigest, healthDigest } from "./report/health-digest.js";
export {
  type ApiFigures,
  type HealthFigures,
  type HubHealth,
  type IndexHealth,
  type MemoryPlan,
  type MemoryShortage,
  type MqttHealth,
  type ObjectsHealth,
  type PartnerHealth,
  type ReplicasHealth,
  type RequestCount,
  VIEWER_KINDS,
  type ViewerCount,
  type ViewerKind,
  type VolumeHealth,
} from "./report/health-figures.js";
export { CAMERA_GRACE_US, FIGURES_KEPT_US, HealthMonitor } from "./report/health-monitor.js";
export { healthProblems, isFaulty, PROBLEMS, type ProblemCode, SHORTAGES } from "./report/health-problems.js";
export { healthReport, summaryOf, visibleFigures, volumeDays } from "./report/health-report.js";
export { healthSummary, SUMMARY_LENGTH_MAX, type SummaryFigures } from "./report/health-summary.js";
export { Machine, type MachineFigures } from "./report/machine.js";
export { PROBLEM_WORDS } from "./report/problem-words.js";
export { readReach } from "./report/reach-reader.js";
export {
  ALIVE_INTERVAL_MS,
  CRASH_FILE,
  type Crash,
  LAST_EXIT_FILE,
  RUNS_KEPT,
  type Run,
  RunHistory,
  readCrash,
  readRuns,
} from "./report/run-history.js";
export {
  interruptionOf,
  interruptionText,
  type RunInterruption,
  readInterruption,
} from "./report/run-interruption.js";
export { CENSORED, type Secret, SecretScrubber } from "./report/secret-scrubber.js";
export {
  BUNDLE_LENGTH_MAX,
  ENTRY_LENGTH_MAX,
  ENTRY_WAIT_MS,
  type SupportEntry,
  supportBundle,
} from "./report/support-bundle.js";
