import { existsSync } from "node:fs";
import path from "node:path";
import { EXIT, NvrdError } from "../base/index.js";
import { LOCK_FILE } from "../host/control/index.js";
import { type CheckOptions, type CheckOutcome, readOutcome } from "../service/control/index.js";
import { loadSettings, type Settings } from "../settings/index.js";
import type { CommandLine } from "./command-line.js";
import { ProgressLine } from "./progress-line.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

export type CheckLine = Extract<CommandLine, { command: "check" }>;

/** Files that the service creates in its data directory before it records anything. */
const TRACES = ["volumes.json", "index"];
const VOLUME_IDENTITY = "volume.json";

/** `nvrd check`: through the service if it is running, otherwise under the lock. Resolves with the exit status. */
export async function runCheckCommand(line: CheckLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (!existsSync(settings.dataDir)) {
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no directory ${settings.dataDir}`);
  }
  // Taking the lock creates its file, which must not happen in a directory that is not ours.
  if (!existsSync(path.join(settings.dataDir, LOCK_FILE))) refuseEmpty(settings);
  const shown = new ProgressLine(process.stderr, () => performance.now());
  const progress = (text: string) => shown.show(text);
  const options: CheckOptions = { rebuild: line.rebuild, deep: line.deep, progress };
  const outcome = await checkSomehow(settings, options).finally(() => shown.end());
  process.stdout.write(line.json ? `${JSON.stringify(outcome.report)}\n` : `${outcome.text.trimEnd()}\n`);
  return outcome.clean ? EXIT.done : EXIT.problems;
}

async function checkSomehow(settings: Settings, options: CheckOptions): Promise<CheckOutcome> {
  const { dataDir } = settings;
  const { rebuild, deep, progress } = options;
  return await throughServiceOrOffline({
    dataDir,
    command: "check",
    arguments: { rebuild, deep },
    ...(progress === undefined ? {} : { onProgress: progress }),
    readResult: readOutcome,
    offline: async () => {
      refuseEmpty(settings);
      return await (await import("../service/index.js")).checkOffline(settings, options);
    },
  });
}

/** Throws NvrdError SETTINGS_INVALID if there never was an archive here, because a check must not create one. */
function refuseEmpty({ dataDir, volumes }: Settings): void {
  const isThere =
    TRACES.some((name) => existsSync(path.join(dataDir, name))) ||
    volumes.some((volume) => existsSync(path.join(volume.path, VOLUME_IDENTITY)));
  if (isThere) return;
  throw new NvrdError("SETTINGS_INVALID", `dataDir: nothing was ever recorded in ${dataDir}`);
}
