import { existsSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { KnownVolumes } from "../archive/index.js";
import { BYTES_PER_GB, createLog, EXIT, NvrdError, SystemClock } from "../base/index.js";
import {
  adoptAnswer,
  doneAnswer,
  moveAnswer,
  type VolumeEntry,
  volumeList,
} from "../service/control/index.js";
import { archiveVolumes } from "../service/shared/index.js";
import { loadSettings, type Settings } from "../settings/index.js";
import type { VolumeLine } from "./command-line.js";
import { ProgressLine } from "./progress-line.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

/**
 * `nvrd volume list`, `adopt`, `retire`, `move` and `forget`: through the running service, or from the stored state if none is running.
 */

/** Runs the command; returns the exit status. Rejects with an NvrdError. */
export async function runVolumeCommand(line: VolumeLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (!existsSync(settings.dataDir))
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no directory ${settings.dataDir}`);
  process.stdout.write(`${await textOf(settings, line)}\n`);
  return EXIT.done;
}

async function textOf(settings: Settings, line: VolumeLine): Promise<string> {
  if (line.action === "list") return await list(settings, line.json);
  const directory = path.resolve(line.path);
  if (line.action === "adopt") return await adopt(settings, directory);
  if (line.action === "retire") return await retire(settings, directory, !line.back);
  if (line.action === "move") return await move(settings, directory, line.stop);
  return await forget(settings, directory, line.confirm);
}

async function list(settings: Settings, json: boolean): Promise<string> {
  const entries = await throughServiceOrOffline({
    dataDir: settings.dataDir,
    command: "volumes",
    arguments: {},
    readResult: (result) => checked(volumeList, result),
    offline: async () => knownEntries(settings),
  });
  return json ? JSON.stringify(entries) : entries.map(entryText).join("\n");
}

async function adopt(settings: Settings, directory: string): Promise<string> {
  const { dataDir } = settings;
  return await throughServiceOrOffline({
    dataDir,
    command: "adopt-volume",
    arguments: { path: directory },
    readResult: (result) => `${directory}: volume ${checked(adoptAnswer, result).volumeId} is in use`,
    offline: async () => {
      if (!pathsOf(settings).includes(directory))
        throw new NvrdError("NOT_FOUND", `${directory} is not among the volumes of the settings`);
      await knownVolumes(settings).adopt(directory);
      return `${directory}: the volume found there is accepted at the next start`;
    },
  });
}

async function retire(settings: Settings, directory: string, retired: boolean): Promise<string> {
  await throughServiceOrOffline({
    dataDir: settings.dataDir,
    command: "retire-volume",
    arguments: { path: directory, retired },
    readResult: (result) => checked(doneAnswer, result),
    offline: async () => {
      const known = knownVolumes(settings);
      if (known.at(directory) === undefined) throw notKnown(directory);
      await known.retire(directory, retired ? new SystemClock().nowUs() : undefined);
      return { done: true as const };
    },
  });
  return retired
    ? `${directory}: retired; nothing more is recorded onto it`
    : `${directory}: in use for recording again`;
}

/** Forgetting removes its recordings from the index, which only the service can change. */
async function forget(settings: Settings, directory: string, confirm: string): Promise<string> {
  await throughServiceOrOffline({
    dataDir: settings.dataDir,
    command: "forget-volume",
    arguments: { path: directory, confirm },
    readResult: (result) => checked(doneAnswer, result),
    offline: async () => {
      throw new NvrdError("NOT_AVAILABLE", "only the running service can forget a volume: start it first");
    },
  });
  return `${directory}: forgotten; its recordings were removed from the archive, the files on the disk stay`;
}

/** It goes on when this command is ended, as it does over a restart of the service. */
async function move(settings: Settings, directory: string, stop: boolean): Promise<string> {
  const shown = new ProgressLine(process.stderr, () => performance.now());
  const { moved, left, unreadable, reason } = await throughServiceOrOffline({
    dataDir: settings.dataDir,
    command: "move-volume",
    arguments: { path: directory, stop },
    onProgress: (text) => shown.show(text),
    readResult: (result) => checked(moveAnswer, result),
    offline: async () => {
      throw new NvrdError("NOT_AVAILABLE", "only the running service can move recordings: start it first");
    },
  }).finally(() => shown.end());
  const rest = [...unreadable, ...(reason === null ? [] : [reason])];
  return [`${directory}: ${moved} segments moved, ${left} are still there`, ...rest].join("\n");
}

function notKnown(directory: string): NvrdError {
  return new NvrdError("NOT_FOUND", `${directory}: no volume is known there`, {
    hint: "nvrd volume list shows the volumes",
  });
}

function pathsOf(settings: Settings): readonly string[] {
  return archiveVolumes(settings, createLog({ level: "silent" })).map((volume) => path.resolve(volume.path));
}

function knownVolumes(settings: Settings): KnownVolumes {
  const { dataDir } = settings;
  const paths = pathsOf(settings);
  const known = new KnownVolumes({ dataDir, paths, log: createLog({ level: "silent" }) });
  known.load();
  return known;
}

function knownEntries(settings: Settings): VolumeEntry[] {
  const known = knownVolumes(settings);
  return pathsOf(settings).map((directory) => {
    const isAdopting = known.isAdopting(directory);
    const isRetired = known.at(directory)?.retired === true;
    const reason = isAdopting
      ? "the volume found there is accepted at the next start"
      : isRetired
        ? "retired"
        : "";
    const volumeId = known.at(directory)?.id ?? null;
    return { directory, volumeId, state: "not running", reason, freeBytes: null };
  });
}

function entryText({ directory, volumeId, state, reason, freeBytes }: VolumeEntry): string {
  const free = freeBytes === null ? [] : [`${(freeBytes / BYTES_PER_GB).toFixed(1)} GB free`];
  return [directory, volumeId ?? "no volume known", state, ...free, ...(reason === "" ? [] : [reason])].join(
    "  ",
  );
}

function checked<T>(schema: v.GenericSchema<unknown, T>, answer: unknown): T {
  const result = v.safeParse(schema, answer);
  if (!result.success) throw new NvrdError("INTERNAL", "the service's answer is invalid");
  return result.output;
}
