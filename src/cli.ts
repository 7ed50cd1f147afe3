import { existsSync } from "node:fs";
import path from "node:path";
import { holdsArchive } from "./command/archive-presence.js";
import { createLog, LogRing, NvrdError, SystemClock } from "./base/index.js";
import { type CheckOptions, type CheckOutcome, readOutcome } from "./service/control/check-outcome.js";
import { type CommandLine, EXIT, parseCommandLine, USAGE, UsageError } from "./command/command-line.js";
import { DataLock, LOCK_FILE } from "./control/index.js";
import { startManaged } from "./service/process/managed-service.js";
import { NodeWarnings } from "./base/node-warnings.js";
import { endProcess } from "./service/process/process-end.js";
import { ProgressLine } from "./command/progress-line.js";
import { throughServiceOrOffline } from "./command/service-or-offline.js";
import { loadSettings, type Settings } from "./settings/settings.js";
import { supervise } from "./service/process/supervise.js";
import { isJournal, JournalLog, NotifySocket, nativeSendDatagram } from "./systemd/index.js";
import { readVersion } from "./service/part/version.js";

export { endProcess };

type ServiceLine = Extract<CommandLine, { command: "run" | "demo" }>;
type CheckLine = Extract<CommandLine, { command: "check" }>;

/** A demo on somebody's desk does not fill the disk. */
const DEMO_QUOTA_BYTES = 4e9;
const DEMO_RESERVE_BYTES = 1e9;
const ALIVE_INTERVAL_MS = 3_600_000;
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** How a line on standard error gets the priority "error" in the journal (sd-daemon(3)). */
const JOURNAL_ERROR_MARK = "<3>";

/** Does what the arguments after the program's name say. Resolves with the exit status; never rejects. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  // The clock's timers keep no process alive: one that only waits, as a stop may, would end in the middle.
  const alive = setInterval(() => undefined, ALIVE_INTERVAL_MS);
  try {
    return await dispatch(parseCommandLine(args));
  } catch (error) {
    return complain(error);
  } finally {
    clearInterval(alive);
  }
}

async function dispatch(line: CommandLine): Promise<number> {
  switch (line.command) {
    case "help":
      process.stdout.write(USAGE);
      return EXIT.done;
    case "version":
      process.stdout.write(`nvrd ${readVersion()}\n`);
      return EXIT.done;
    case "run":
    case "demo":
      return await runService(line);
    case "check":
      return await check(line);
    case "config":
      return await (await import("./command/config.js")).configCommand(line);
    case "volume":
      return await (await import("./command/volume.js")).runVolumeCommand(line);
    case "settings":
      return showSettings(line);
    case "discover":
      return await (await import("./command/discover.js")).runDiscoverCommand(line);
    case "disk-keeper":
      return await (await import("./command/disk-keeper.js")).runDiskKeeperCommand();
    case "disk-report":
      return await (await import("./command/disk-report.js")).runDiskReportCommand(line);
    case "support":
      return await (await import("./command/support.js")).runSupportCommand(line);
    case "update":
    case "health-gate":
      return await (await import("./command/update.js")).runUpdateCommand(line);
  }
}

/** Checks the settings and prints them; no setting holds a secret, only names of files that do. */
function showSettings(line: Extract<CommandLine, { command: "settings" }>): number {
  const { portFallback: _, ...settings } = loadSettings({ flags: line.flags, environment: process.env });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value ?? null)}\n`);
  process.stdout.write(line.json ? `${JSON.stringify(settings)}\n` : lines.join(""));
  return EXIT.done;
}

/**
 * Runs the service until a signal, under the lock of the data directory. The service is loaded
 * late: `--help` and a check through the socket need none of it, and its native parts cost time.
 */
async function runService(line: ServiceLine): Promise<number> {
  const send = nativeSendDatagram();
  const notify = NotifySocket.fromEnvironment(process.env, send);
  const settings = settingsOf(line);
  const logLines = new LogRing();
  const isJournalled = send !== undefined && isJournal(STANDARD_OUTPUT, process.env.JOURNAL_STREAM);
  const destination = isJournalled ? { destination: new JournalLog({ send }) } : {};
  const copy = (text: string) => logLines.add(text);
  const log = createLog({ level: settings.logLevel, copy, ...destination });
  const lock = DataLock.acquire(settings.dataDir);
  const clock = new SystemClock();
  const warnings = new NodeWarnings(process, log);
  warnings.start();
  try {
    const startService = async () => {
      if (line.command === "demo") return await (await import("./command/demo.js")).runDemo(settings, log, logLines);
      const { Service } = await import("./service/service.js");
      const service = new Service(settings, log, { announce, logLines });
      await service.start();
      return service;
    };
    const start = () => startManaged({ start: startService, notify, clock, log });
    await supervise({ start, signals: process, exit: endProcess, clock, log });
    return EXIT.done;
  } finally {
    warnings.stop();
    lock.release();
  }
}

/** To standard error: standard output is the log, where no password belongs. Nor does it into the journal. */
function announce(text: string): void {
  if (!isJournal(STANDARD_ERROR, process.env.JOURNAL_STREAM)) process.stderr.write(`${text}\n`);
}

function settingsOf(line: ServiceLine): Settings {
  const sources = { flags: line.flags, environment: process.env };
  if (line.command === "run") return loadSettings(sources);
  const quota = { bytes: DEMO_QUOTA_BYTES };
  const reserve = { bytes: DEMO_RESERVE_BYTES };
  const fallbackVolumes = (dataDir: string) => [{ path: path.join(dataDir, "volume"), quota, reserve }];
  return loadSettings({ ...sources, portFallback: true, fallbackLogLevel: "warn", fallbackVolumes });
}

/** Checks through the service when it runs, else under the lock. */
async function check(line: CheckLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (!existsSync(settings.dataDir)) {
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no directory ${settings.dataDir}`);
  }
  // Taking the lock makes its file: not in a directory that has nothing of ours.
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
      return await (await import("./service/control/check.js")).checkOffline(settings, options);
    },
  });
}

/** Throws NvrdError SETTINGS_INVALID when no service ever kept an archive here. */
function refuseEmpty(settings: Settings): void {
  if (holdsArchive(settings)) return;
  throw new NvrdError("SETTINGS_INVALID", `dataDir: nothing was ever recorded in ${settings.dataDir}`);
}

/** Says on standard error what went wrong and what to do; answers the exit status for it. */
function complain(error: unknown): number {
  if (error instanceof UsageError) {
    say(`nvrd: ${error.message}\n      nvrd --help shows the commands and flags\n`);
    return EXIT.usage;
  }
  if (!(error instanceof NvrdError)) {
    // Not foreseen, so where it happened is worth more than a short message.
    say(`nvrd: ${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.failed;
  }
  const message = error.message.replaceAll("\n", "\n      ");
  // What is not available now was said together with its remedy; "try again later" would add nothing.
  const hint = error.code === "NOT_AVAILABLE" ? "" : `      ${error.hint}\n`;
  say(`nvrd: ${message}\n${hint}`);
  if (error.code === "SETTINGS_INVALID") return EXIT.usage;
  return error.code === "ARCHIVE_LOCKED" ? EXIT.locked : EXIT.failed;
}

/** In the journal each line is an entry of its own: all of them errors. */
function say(text: string): void {
  const isRead = isJournal(STANDARD_ERROR, process.env.JOURNAL_STREAM);
  process.stderr.write(isRead ? text.replaceAll(/^(?=.)/gm, JOURNAL_ERROR_MARK) : text);
}
