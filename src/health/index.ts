/**
 * health: how the recorder is: its archive, cameras, disks, clock and machine, and how its runs ended.
 *
 * Belongs here: what other rooms count, put together into what a supervisor asks for: the report, what is wrong and what
 * to do, the metrics, the support bundle without its contents; the machine's disks, what they say of themselves (SMART)
 * and what that means.
 * Does not belong here: repairing or removing anything (`archive`), telling it over HTTP (`api`), events (`event`).
 */
export * from "./archive-health.js";
export * from "./archive-status.js";
export * from "./block-disks.js";
export * from "./camera-health.js";
export * from "./day-rate.js";
export type { DiskChange } from "./disk-changes.js";
export * from "./disk-errors.js";
export { childDiskNames } from "./disk-names.js";
export * from "./disk-report.js";
export * from "./disk-report-maker.js";
export * from "./disk-state.js";
export * from "./disk-watch.js";
export * from "./event-loop-delay.js";
export * from "./gc-watch.js";
export * from "./health-figures.js";
export * from "./health-monitor.js";
export * from "./health-problems.js";
export * from "./health-report.js";
export * from "./health-summary.js";
export * from "./machine.js";
export * from "./metric.js";
export * from "./metrics.js";
export { ReportSource } from "./report-source.js";
export * from "./run-history.js";
export * from "./secret-scrubber.js";
export { SmartRounds } from "./smart-rounds.js";
export { noSmart, type SmartSource } from "./smart-source.js";
export { Smartctl } from "./smartctl.js";
export { isAskedBySmartctl } from "./smartctl-processes.js";
export * from "./support-bundle.js";
export { SystemFiles } from "./system-files.js";
export { ToldDisks } from "./told-disks.js";
export { disksBelow, disksUnder, type Mount, mountedDisks, parseMounts } from "./volume-disks.js";
