import type { CommandLine } from "./command-line.js";
import type { startDemo } from "./demo.js";

/** What `main.ts` runs: the service itself. */
export type ServiceLine = Extract<CommandLine, { command: "run" | "demo" }>;

/** What ends by itself. */
export type SubcommandLine = Exclude<CommandLine, ServiceLine | { command: "help" | "version" }>;

/**
 * Does what a subcommand's line says; resolves with the exit status. Each is loaded when it is asked for: `nvrd settings`
 * needs no archive, and native parts cost time.
 */
export async function runSubcommand(line: SubcommandLine): Promise<number> {
  switch (line.command) {
    case "check":
      return await (await import("./check.js")).runCheckCommand(line);
    case "config":
      return await (await import("./config.js")).configCommand(line);
    case "volume":
      return await (await import("./volume.js")).runVolumeCommand(line);
    case "settings":
      return (await import("./settings.js")).runSettingsCommand(line);
    case "discover":
      return await (await import("./discover.js")).runDiscoverCommand(line);
    case "disk-keeper":
      return await (await import("./disk-keeper.js")).runDiskKeeperCommand();
    case "disk-report":
      return await (await import("./disk-report.js")).runDiskReportCommand(line);
    case "support":
      return await (await import("./support.js")).runSupportCommand(line);
    case "update":
    case "health-gate":
      return await (await import("./update.js")).runUpdateCommand(line);
  }
}

/** The service with the built-in cameras. */
export const loadDemo = async (): Promise<typeof startDemo> => (await import("./demo.js")).startDemo;
