import { existsSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { type Archive, KnownVolumes } from "./archive/index.js";
import { createLog, NvrdError } from "./base/index.js";
import { EXIT, type VolumeLine } from "./cli-usage.js";
import type { ControlCall, ControlServer } from "./control/index.js";
import { throughServiceOrOffline } from "./service-or-offline.js";
import { loadSettings, type Settings } from "./settings.js";

/** `nvrd volume list` and `nvrd volume adopt`: through the running service, or on what is known when none runs. */

const volumeEntry = v.object({
  directory: v.string(),
  volumeId: v.nullable(v.string()),
  state: v.picklist(["in use", "left out", "not running"]),
  reason: v.string(),
  freeBytes: v.nullable(v.number()),
});
const volumeList = v.array(volumeEntry);
type VolumeEntry = v.InferOutput<typeof volumeEntry>;

const adoptArguments = v.object({ path: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096)) });
const adoptAnswer = v.object({ volumeId: v.string() });

const BYTES_PER_GB = 1e9;

/** Does the command; answers the exit status. Rejects with an NvrdError. */
export async function runVolumeCommand(line: VolumeLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (!existsSync(settings.dataDir))
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no directory ${settings.dataDir}`);
  const text =
    line.action === "list" ? await list(settings, line.json) : await adopt(settings, path.resolve(line.path));
  process.stdout.write(`${text}\n`);
  return EXIT.done;
}

/** The service's side: both commands on its control socket. */
export function registerVolumeCommands(control: ControlServer, archive: Archive): void {
  control.register("volumes", async () => entriesOf(archive));
  control.register("adopt-volume", async (call: ControlCall) => {
    const given = v.safeParse(adoptArguments, call.arguments);
    if (!given.success) throw new NvrdError("BAD_REQUEST", "adopt-volume wants a path");
    return { volumeId: await archive.adoptVolume(given.output.path) };
  });
}

function entriesOf(archive: Archive): VolumeEntry[] {
  const absent = new Map(archive.absentVolumes().map(({ directory, reason }) => [directory, reason]));
  return archive.overload().volumes.map(({ directory, volumeId, freeBytes }) => ({
    directory,
    volumeId: volumeId ?? null,
    state: absent.has(directory) ? "left out" : "in use",
    reason: absent.get(directory) ?? "",
    freeBytes: volumeId === undefined ? null : freeBytes,
  }));
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
      if (!settings.volumes.some((volume) => path.resolve(volume.path) === directory))
        throw new NvrdError("NOT_FOUND", `${directory} is not among the volumes of the settings`);
      await knownVolumes(settings).adopt(directory);
      return `${directory}: what lies there is taken at the next start`;
    },
  });
}

function knownVolumes({ dataDir, volumes }: Settings): KnownVolumes {
  const paths = volumes.map((volume) => path.resolve(volume.path));
  const known = new KnownVolumes({ dataDir, paths, log: createLog({ level: "silent" }) });
  known.load();
  return known;
}

function knownEntries(settings: Settings): VolumeEntry[] {
  const known = knownVolumes(settings);
  return settings.volumes.map((volume) => {
    const directory = path.resolve(volume.path);
    const reason = known.isAdopting(directory) ? "what lies there is taken at the next start" : "";
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
  if (!result.success) throw new NvrdError("INTERNAL", "the service's answer is not understood");
  return result.output;
}
