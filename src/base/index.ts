/**
 * base: what every room stands on: clocks, GUIDs, time spellings, the error catalogue, the log, the way to the addon.
 *
 * Belongs here: small things without a notion of cameras, archives or HTTP; looking at an LMDB environment of unknown
 * health, which several rooms have.
 * Does not belong here: anything that knows a frame, a channel's settings, a volume or a socket. Imports nothing of ours.
 */
export * from "./boot-id.js";
export * from "./byte-budget.js";
export * from "./clock.js";
export * from "./clock-status.js";
export * from "./database-inspection.js";
export * from "./errors.js";
export * from "./guid.js";
export * from "./log.js";
export * from "./log-ring.js";
export * from "./memory-limit.js";
export * from "./native-addon.js";
export * from "./pause.js";
export * from "./recorder-clock.js";
export * from "./small-file.js";
export * from "./stream-type.js";
export * from "./time-format.js";
