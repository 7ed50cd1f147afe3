/**
 * command: the syntax of the command line, and each subcommand of `nvrd`.
 *
 * Belongs here: flags, usage, exit status, what a subcommand requests from the running service or does without it,
 * and what it prints.
 * Does not belong here: the answers of the running service (`service/control`), the process of the service
 * (`main.ts`).
 */
export { type CommandLine, parseCommandLine, USAGE, UsageError } from "./command-line.js";
export { loadDemo, loadFleetDemo, runSubcommand, type ServiceLine } from "./subcommands.js";
