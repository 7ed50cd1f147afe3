import { existsSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { createLog, EXIT, NvrdError, SystemClock } from "../base/index.js";
import type { ScanQuestion } from "../camera/index.js";
import type { DiscoveryItem } from "../contract/answer/index.js";
import { discoveryItems } from "../owner/index.js";
import { itemsSchema, progressText } from "../service/control/index.js";
import { createDeviceService } from "../service/shared/index.js";
import { loadSettings } from "../settings/index.js";
import { type Camera, LmdbSiteStore } from "../site/index.js";
import type { DiscoverLine } from "./command-line.js";
import { ProgressLine } from "./progress-line.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

/** `nvrd discover`: through the running service, or by itself if none is running. */

/** Name of the configuration in the data directory. */
const CONFIGURATION_NAME = "configuration";
/** Runs the command; returns the exit status. Rejects with an NvrdError. */
export async function runDiscoverCommand(line: DiscoverLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  const shown = new ProgressLine(process.stderr, () => performance.now());
  // A search takes seconds: what reads a pipe or a file waits for its end alone.
  const onProgress = (progress: string): void => {
    if (process.stderr.isTTY) shown.show(progress);
  };
  const items = await discover(settings.dataDir, line.question, onProgress).finally(() => shown.end());
  process.stdout.write(line.json ? `${JSON.stringify(items)}\n` : `${table(items)}\n`);
  return EXIT.done;
}

/** Scans through the service; otherwise by itself, with the cameras of the stopped recorder, which may start meanwhile. */
async function discover(
  dataDir: string,
  question: ScanQuestion,
  onProgress: (line: string) => void,
): Promise<readonly DiscoveryItem[]> {
  // A scan needs no recorder: without one, no camera has been added yet.
  if (!existsSync(path.join(dataDir, CONFIGURATION_NAME))) return await scanAlone(question, [], onProgress);
  const known = await throughServiceOrOffline<Known>({
    dataDir,
    command: "discover",
    arguments: question,
    onProgress,
    readResult: (result) => {
      const items = v.safeParse(itemsSchema, result);
      if (!items.success) throw new NvrdError("INTERNAL", "the service's answer is invalid");
      return { items: items.output };
    },
    offline: async () => ({ cameras: await storedCameras(dataDir) }),
  });
  return "items" in known ? known.items : await scanAlone(question, known.cameras, onProgress);
}

type Known = { readonly items: readonly DiscoveryItem[] } | { readonly cameras: readonly Camera[] };

async function storedCameras(dataDir: string): Promise<readonly Camera[]> {
  const log = createLog({ level: "silent" });
  const store = new LmdbSiteStore({ directory: dataDir, clock: new SystemClock(), log });
  await store.start();
  try {
    return store.current.cameras;
  } finally {
    await store.stop();
  }
}

async function scanAlone(
  question: ScanQuestion,
  cameras: readonly Camera[],
  onProgress: (line: string) => void,
): Promise<readonly DiscoveryItem[]> {
  const service = createDeviceService({ clock: new SystemClock(), log: createLog({ level: "silent" }) });
  const found = await service.devices.scan(question, (progress) => onProgress(progressText(progress)));
  return discoveryItems(found, cameras);
}

const COLUMNS = ["NAME", "MAKER", "MODEL", "ADDRESS", "IDENTITY", "ADDED"] as const;
const NOTHING = `no device answered. Cameras of other networks are found by their address: nvrd discover --address A`;

function table(items: readonly DiscoveryItem[]): string {
  if (items.length === 0) return NOTHING;
  const rows = items.map((item) => [
    item.Name,
    item.Manufacturer,
    item.Model,
    item.Address,
    item.IsIdentityShared ? `${item.Identity} (claimed twice)` : item.Identity,
    item.AlreadyAdded ? "yes" : "no",
  ]);
  const all = [[...COLUMNS], ...rows];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
