/**
 * command: the command line's words, and each subcommand of `nvrd`.
 *
 * Belongs here: flags, usage, exit by status, what a subcommand asks of the running service or does without one, and
 * what it prints.
 * Does not belong here: what the running service answers (`service/control`), the service's process (`main.ts`).
 */
export { type CommandLine, parseCommandLine, USAGE, UsageError } from "./command-line.js";
export { loadDemo, runSubcommand, type ServiceLine } from "./subcommands.js";
