import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import {
  createLog,
  EXIT,
  errorText,
  NvrdError,
  readBootId,
  SystemClock,
  withTimeout,
} from "../base/index.js";
import { LmdbEventLog } from "../event/index.js";
import { readCrash, readRuns, type SupportEntry, supportBundle } from "../health/index.js";
import { LmdbGuard } from "../kept/lmdb/index.js";
import {
  configurationEntry,
  crashEntry,
  eventsEntry,
  knownSecrets,
  machineEntries,
  restartsEntry,
  settingsEntry,
} from "../service/shared/index.js";
import { EVENTS_NAME, loadSettings, type Settings } from "../settings/index.js";
import { LmdbSiteStore } from "../site/index.js";
import type { SupportLine } from "./command-line.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

/** `nvrd support`: the support bundle of the running service, or a reduced one without it. */

/** The bundle contains names and addresses, so only its owner may read it. */
const FILE_MODE = 0o600;
/** After this time the service is considered hung, and the bundle is created without it. */
const SERVICE_WAIT_MS = 60_000;

const answerSchema = v.object({ bundle: v.pipe(v.string(), v.base64()) });
const silent = () => createLog({ level: "silent" });

/** Writes the bundle; returns the exit status. Rejects with an NvrdError. */
export async function runSupportCommand(line: SupportLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (!existsSync(settings.dataDir))
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no directory ${settings.dataDir}`);
  const file = path.resolve(line.out ?? `nvrd-support-${new Date().toISOString().slice(0, 10)}.tar.gz`);
  const { bundle, note } = await bundleOf(settings);
  try {
    await writeFile(file, bundle, { mode: FILE_MODE });
  } catch (error) {
    throw new NvrdError("BAD_REQUEST", `${file} cannot be written: ${errorText(error)}`, {
      hint: "name another file with --out",
    });
  }
  process.stdout.write(`${file}: ${bundle.length} bytes${note}; review it before you send it\n`);
  return EXIT.done;
}

async function bundleOf(settings: Settings): Promise<{ bundle: Uint8Array; note: string }> {
  try {
    return await inTime(
      throughServiceOrOffline({
        dataDir: settings.dataDir,
        command: "support",
        arguments: {},
        readResult: (result) => ({ bundle: readAnswer(result), note: "" }),
        offline: async () => ({
          bundle: await offlineBundle(settings),
          note: ", created without the service",
        }),
      }),
    );
  } catch (error) {
    // The service holds the lock, so its databases are not opened; everything else is included.
    if (!(error instanceof NvrdError) || error.code === "BAD_REQUEST") throw error;
    const entries = commonEntries(settings);
    const bundle = await supportBundle({
      entries,
      secrets: knownSecrets(settings, undefined),
      clock: new SystemClock(),
    });
    return { bundle, note: `, without configuration and events: ${error.message}` };
  }
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  const text = `the service did not answer within ${SERVICE_WAIT_MS / 1000} s`;
  return withTimeout(answer, {
    clock: new SystemClock(),
    ms: SERVICE_WAIT_MS,
    error: () => new NvrdError("NOT_AVAILABLE", text),
  });
}

function readAnswer(result: unknown): Uint8Array {
  const answer = v.safeParse(answerSchema, result);
  if (!answer.success) throw new NvrdError("INTERNAL", "the service's answer is invalid");
  return Buffer.from(answer.output.bundle, "base64");
}

/** The entries that need no database. */
function commonEntries(settings: Settings): readonly SupportEntry[] {
  const { dataDir } = settings;
  return [
    settingsEntry(settings),
    restartsEntry(() => readRuns(dataDir, silent())),
    crashEntry(() => readCrash(dataDir, silent())),
    ...machineEntries(dataDir),
  ];
}

/** Runs under the lock of the data directory, so no other process uses its databases. */
async function offlineBundle(settings: Settings): Promise<Uint8Array> {
  const { dataDir } = settings;
  const log = silent();
  const clock = new SystemClock();
  const guard = new LmdbGuard(log);
  const site = new LmdbSiteStore({ directory: dataDir, clock, log });
  const events = new LmdbEventLog({
    ...{ directory: path.join(dataDir, EVENTS_NAME), bootId: readBootId(log), clock, log },
    days: settings.eventDays,
    bytesMax: settings.eventBytesMax,
    language: () => settings.language,
    // Opening the log must not delete old events.
    isClockKnown: () => false,
  });
  guard.start();
  try {
    const hasSite = LmdbSiteStore.exists(dataDir);
    if (hasSite) await site.start();
    if (existsSync(path.join(dataDir, EVENTS_NAME))) await events.start();
    try {
      const current = () => {
        if (!hasSite) throw new Error("there is none in the data directory");
        return site.current;
      };
      const entries = [configurationEntry(current), eventsEntry(() => events), ...commonEntries(settings)];
      const secrets = knownSecrets(settings, hasSite ? site.current : undefined);
      return await supportBundle({ entries, secrets, clock });
    } finally {
      await events.stop();
      if (hasSite) await site.stop();
    }
  } finally {
    guard.stop();
  }
}
