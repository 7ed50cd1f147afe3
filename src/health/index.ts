/**
 * health: how the recorder is: the state of its archive, and of its disks.
 *
 * Belongs here: what other rooms count, put together into what a supervisor asks for; the machine's disks, what they say of
 * themselves (SMART) and what that means; metrics when they come.
 * Does not belong here: repairing or removing anything (`archive`), telling it over HTTP (`api`), events (`event`).
 */
export * from "./archive-health.js";
export * from "./archive-status.js";
export * from "./block-disks.js";
export type { DiskChange } from "./disk-changes.js";
export * from "./disk-errors.js";
export { childDiskNames } from "./disk-names.js";
export * from "./disk-report.js";
export * from "./disk-report-maker.js";
export * from "./disk-state.js";
export * from "./disk-watch.js";
export { ReportSource } from "./report-source.js";
export { SmartRounds } from "./smart-rounds.js";
export { noSmart, type SmartSource } from "./smart-source.js";
export { Smartctl } from "./smartctl.js";
export { isAskedBySmartctl } from "./smartctl-processes.js";
export { SystemFiles } from "./system-files.js";
export { ToldDisks } from "./told-disks.js";
