/**
 * health: how the recorder is: its archive, cameras, disks, clock and machine, and how its runs ended.
 *
 * Belongs here: what other rooms count, put together into what a supervisor asks for: the report, what is wrong and what
 * to do, the metrics, the support bundle without its contents; the machine's disks, what they say of themselves (SMART)
 * and what that means.
 * Does not belong here: repairing or removing anything (`archive`), telling it over HTTP (`api`), events (`event`).
 */

export { ToldDisks } from "./disk/announced-disks.js";
export * from "./disk/block-disks.js";
export type { DiskChange } from "./disk/disk-changes.js";
export * from "./disk/disk-errors.js";
export { childDiskNames } from "./disk/disk-names.js";
export * from "./disk/disk-report.js";
export * from "./disk/disk-report-maker.js";
export * from "./disk/disk-state.js";
export * from "./disk/disk-watch.js";
export { ReportSource } from "./disk/report-source.js";
export { SmartRounds } from "./disk/smart-rounds.js";
export { noSmart, type SmartSource } from "./disk/smart-source.js";
export { Smartctl } from "./disk/smartctl.js";
export { isAskedBySmartctl } from "./disk/smartctl-processes.js";
export { SystemFiles } from "./disk/system-files.js";
export { disksBelow, disksUnder, type Mount, mountedDisks, parseMounts } from "./disk/volume-disks.js";
export * from "./metric/metric.js";
export * from "./metric/metrics.js";
export * from "./report/archive-health.js";
export * from "./report/archive-status.js";
export * from "./report/camera-health.js";
export * from "./report/day-rate.js";
export * from "./report/event-loop-delay.js";
export * from "./report/gc-watch.js";
export * from "./report/health-figures.js";
export * from "./report/health-monitor.js";
export * from "./report/health-problems.js";
export * from "./report/health-report.js";
export * from "./report/health-summary.js";
export * from "./report/machine.js";
export * from "./report/run-history.js";
export * from "./report/secret-scrubber.js";
export * from "./report/support-bundle.js";
