/**
 * command: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { holdsArchive } from "./archive-presence.js";
export { type CommandLine, EXIT, parseCommandLine, USAGE, UsageError } from "./command-line.js";
export { registerDiscoverCommand } from "./discover.js";
export { ProgressLine } from "./progress-line.js";
export { throughServiceOrOffline } from "./service-or-offline.js";
export { registerVolumeCommands } from "./volume.js";
