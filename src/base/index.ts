/**
 * base: what every room stands on: clocks, units, timeouts, a semaphore, GUIDs, time spellings, the error catalogue, the
 * log, the way to the addon.
 *
 * Belongs here: small things without a notion of cameras, archives or HTTP.
 * Does not belong here: anything that knows a frame, a channel's settings, a volume or a socket. Imports nothing of ours.
 */
export * from "./boot-id.js";
export * from "./built-script.js";
export * from "./clock.js";
export * from "./clock-status.js";
export * from "./errors.js";
export * from "./guid.js";
export * from "./log.js";
export * from "./log-ring.js";
export * from "./native-addon.js";
export * from "./pause.js";
export * from "./recorder-clock.js";
export * from "./semaphore.js";
export * from "./small-file.js";
export * from "./stream-type.js";
export * from "./time-format.js";
export * from "./timeout.js";
export * from "./units.js";
