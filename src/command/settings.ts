import { EXIT } from "../base/index.js";
import { loadSettings } from "../settings/index.js";
import type { CommandLine } from "./command-line.js";

/** `nvrd settings`: checks the settings and prints them. Settings hold no secrets, only names of files that do. */
export function runSettingsCommand(line: Extract<CommandLine, { command: "settings" }>): number {
  const { portFallback: _, ...settings } = loadSettings({ flags: line.flags, environment: process.env });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value ?? null)}\n`);
  process.stdout.write(line.json ? `${JSON.stringify(settings)}\n` : lines.join(""));
  return EXIT.done;
}
