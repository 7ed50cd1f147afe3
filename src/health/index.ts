/**
 * health: how the recorder is: the state of its archive.
 *
 * Belongs here: what other rooms count, put together into what a supervisor asks for; disks and metrics when they come.
 * Does not belong here: repairing or removing anything (`archive`), telling it over HTTP (`api`), events (`event`).
 */
export * from "./archive-health.js";
export * from "./archive-status.js";
export * from "./disk-state.js";
