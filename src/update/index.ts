/**
 * update: another version of the whole system: taken in, checked, installed into the other slot, tried once, kept or given up.
 *
 * Belongs here: the journal of an update, what the service does of it (without rights) and what root's units do, the
 * health gate's judgement, the calls of RAUC and of the boot back end.
 * Does not belong here: HTTP (`api`), how a boot loader is told (`image/rauc`), what a recorder says of itself
 * (`update-service.ts`), events (`event`).
 */
export * from "./boot-agent.js";
export * from "./command-runner.js";
export * from "./handover.js";
export * from "./health-gate.js";
export * from "./inbox.js";
export * from "./installer.js";
export * from "./journal.js";
export * from "./rauc-system.js";
export * from "./types.js";
export * from "./update-watch.js";
export * from "./updater.js";
