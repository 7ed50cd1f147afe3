import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { formatIsoTime, readPlain } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { Crash, Run, SupportEntry } from "../../health/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site } from "../../site/index.js";
import { configurationWithoutSecrets, settingsWithoutSecrets } from "./support-secrets.js";

/** The entries of a support bundle that are available to both service and command line. */

/** Number of newest events in the bundle. */
export const EVENTS_MAX = 1000;
const JOURNAL_LINES_MAX = 5000;
const KERNEL_LINES_MAX = 1000;
const JOURNAL_WAIT_MS = 5000;
const JOURNAL_BYTES_MAX = 8 * 1024 * 1024;
/** Maximum number of files listed per directory. */
const LISTED_MAX = 200;
/** Of a file of the kernel or the machine. */
const TEXT_BYTES_MAX = 8 * 1024 * 1024;

export function jsonEntry(name: string, about: string, read: () => unknown): SupportEntry {
  return { name, about, read: async () => `${JSON.stringify(await read(), undefined, 2)}\n` };
}

export function settingsEntry(settings: Settings): SupportEntry {
  return jsonEntry("settings.json", "the settings in effect", () => settingsWithoutSecrets(settings));
}

export function configurationEntry(site: () => Site | Promise<Site>): SupportEntry {
  return jsonEntry(
    "configuration.json",
    "cameras, users, groups, as written by nvrd config export",
    async () => configurationWithoutSecrets(await site()),
  );
}

export function restartsEntry(runs: () => readonly Run[]): SupportEntry {
  return jsonEntry("restarts.json", "when the service was started, and how it ended", runs);
}

export function crashEntry(read: () => Crash | undefined): SupportEntry {
  return {
    name: "crash.txt",
    about: "the last error that ended the service",
    read: () => {
      const crash = read();
      if (crash === undefined) return "none\n";
      return `${formatIsoTime(crash.timeMs * 1000)} nvrd ${crash.version}\n${crash.text}\n`;
    },
  };
}

export function eventsEntry(
  events: () => Pick<EventLog, "search"> | Promise<Pick<EventLog, "search">>,
): SupportEntry {
  return {
    name: "events.jsonl",
    about: `the newest ${EVENTS_MAX} events, one per line`,
    read: async () => {
      const query = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER, limit: EVENTS_MAX, fromBegin: false };
      let text = "";
      for await (const batch of (await events()).search(query))
        for (const { timeUs, ...event } of batch)
          text += `${JSON.stringify({ time: formatIsoTime(timeUs), ...event })}\n`;
      return text;
    },
    keepEnd: true,
  };
}

/** The machine: disks, mounts and messages from the kernel, and the journal if readable. */
export function machineEntries(dataDir: string): readonly SupportEntry[] {
  return [
    {
      name: "machine.txt",
      about: "the system, its memory, disks and mounts, from the kernel",
      read: async () => {
        const files = [
          "/etc/os-release",
          "/proc/version",
          "/proc/meminfo",
          "/proc/partitions",
          "/proc/mounts",
        ];
        const texts = await Promise.all(files.map(async (file) => `== ${file}\n${await textOrWhy(file)}\n`));
        return texts.join("");
      },
    },
    {
      name: "data-directory.txt",
      about: "names, sizes and times of its files",
      read: () => listing(dataDir),
    },
    {
      name: "journal.txt",
      about: "the system's journal of the service",
      read: () => journal(["--unit=nvrd", `--lines=${JOURNAL_LINES_MAX}`]),
      keepEnd: true,
    },
    {
      name: "kernel.txt",
      about: "the kernel's newest messages",
      read: () => journal(["--dmesg", `--lines=${KERNEL_LINES_MAX}`]),
      keepEnd: true,
    },
  ];
}

async function textOrWhy(file: string): Promise<string> {
  try {
    return (await readPlain(file, TEXT_BYTES_MAX)).toString("utf8");
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function listing(directory: string): Promise<string> {
  const names = (await readdir(directory)).toSorted().slice(0, LISTED_MAX);
  const lines = await Promise.all(
    names.map(async (name) => {
      const { size, mtime, mode } = await stat(path.join(directory, name));
      return `${mode.toString(8)} ${String(size).padStart(12)} ${mtime.toISOString()} ${name}\n`;
    }),
  );
  return lines.join("");
}

/** The command line is fixed. Rejects if there is no journal, or it is not readable. */
function journal(flags: readonly string[]): Promise<string> {
  const args = ["--no-pager", "--output=short-iso", "--quiet", ...flags];
  const limits = { timeout: JOURNAL_WAIT_MS, killSignal: "SIGKILL", maxBuffer: JOURNAL_BYTES_MAX } as const;
  return new Promise((resolve, reject) => {
    execFile("journalctl", args, { ...limits, encoding: "utf8" }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`journalctl: ${stderr.trim() === "" ? error.message : stderr.trim()}`));
    });
  });
}
