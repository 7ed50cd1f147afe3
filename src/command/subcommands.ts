import type { CommandLine } from "./command-line.js";
import type { startDemo } from "./demo.js";
import type { startFleetDemo } from "./fleet-demo.js";

/** The commands that run the service itself (`main.ts`). */
export type ServiceLine = Extract<CommandLine, { command: "run" | "demo" }>;

/** The commands that end by themselves. */
export type SubcommandLine = Exclude<CommandLine, ServiceLine | { command: "help" | "version" }>;

/**
 * Runs a subcommand; resolves with the exit status. Each is loaded on demand, because native modules take time to load, and
 * `nvrd settings` needs none.
 */
export async function runSubcommand(line: SubcommandLine): Promise<number> {
  switch (line.command) {
    case "check":
      return await (await import("./check.js")).runCheckCommand(line);
    case "restore":
      return await (await import("./restore.js")).runRestoreCommand(line);
    case "config":
      return await (await import("./config.js")).configCommand(line);
    case "password":
      return await (await import("./password.js")).passwordCommand(line);
    case "volume":
      return await (await import("./volume.js")).runVolumeCommand(line);
    case "settings":
      return (await import("./settings.js")).runSettingsCommand(line);
    case "discover":
      return await (await import("./discover.js")).runDiscoverCommand(line);
    case "disk-keeper":
      return await (await import("./disk-keeper.js")).runDiskKeeperCommand();
    case "network-keeper":
      return await (await import("./network-keeper.js")).runNetworkKeeperCommand();
    case "disk-report":
      return await (await import("./disk-report.js")).runDiskReportCommand(line);
    case "support":
      return await (await import("./support.js")).runSupportCommand(line);
    case "update":
    case "health-gate":
      return await (await import("./update.js")).runUpdateCommand(line);
  }
}

/** Loads the service with the built-in cameras. */
export const loadDemo = async (): Promise<typeof startDemo> => (await import("./demo.js")).startDemo;

/** Loads the hub with two recorders. */
export const loadFleetDemo = async (): Promise<typeof startFleetDemo> =>
  (await import("./fleet-demo.js")).startFleetDemo;
