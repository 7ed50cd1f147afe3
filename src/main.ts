import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import {
  type CameraName,
  createLog,
  EXIT,
  endProcess,
  LibraryConsole,
  type Log,
  LogRing,
  logText,
  NodeWarnings,
  readRelease,
  SystemClock,
} from "./base/index.js";
import { loadDemo, loadFleetDemo, type ServiceLine } from "./command/index.js";
import { DataLock } from "./host/control/index.js";
import { isJournal, JournalLog, NotifySocket, nativeSendDatagram } from "./host/systemd/index.js";
import {
  guardStop,
  Service,
  type ServiceHooks,
  type StopReason,
  startManaged,
  supervise,
} from "./service/index.js";
import { loadSettings, type Settings } from "./settings/index.js";

/** A demo must not fill the disk. */
const DEMO_QUOTA_BYTES = 4e9;
const DEMO_RESERVE_BYTES = 1e9;
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** `nvrd run` and `nvrd demo`: the service until a signal, under the lock of the data directory. */
export async function runService(line: ServiceLine): Promise<number> {
  const send = nativeSendDatagram();
  const notify = NotifySocket.fromEnvironment(process.env, send);
  const fresh = line.command === "demo" && line.fresh ? new FreshDirectory() : undefined;
  const settings = settingsOf(line, fresh);
  const logLines = new LogRing();
  const isJournalled = send !== undefined && isJournal(STANDARD_OUTPUT, process.env.JOURNAL_STREAM);
  let cameras: () => Service["site"]["current"]["cameras"] = () => [];
  const nameOf = (id: string) => cameras().find((camera) => camera.id.toLowerCase() === id)?.name;
  const terminal = isText(settings) ? { destination: new TerminalLog(nameOf) } : {};
  const destination = isJournalled ? { destination: new JournalLog({ send }) } : terminal;
  const copy = (text: string) => logLines.add(text);
  const log = createLog({ level: settings.logLevel, copy, ...destination });
  log.info({ ...readRelease(), node: process.version }, "nvrd starts");
  const lock = DataLock.acquire(settings.dataDir);
  const clock = new SystemClock();
  const warnings = new NodeWarnings(process, log);
  warnings.start();
  const libraries = new LibraryConsole(console, log);
  libraries.start();
  try {
    const startService = async () => {
      const service =
        line.command === "demo"
          ? await startedDemo(line, settings, { log, logLines })
          : await startedService(settings, log, { logLines, isJournalled });
      cameras = () => service.site.current.cameras;
      return service;
    };
    const start = () => startManaged({ start: startService, notify, clock, log });
    // Without a service manager nobody else would start it again.
    const restartsHere = !notify.isThere;
    const run = {
      start,
      signals: process,
      exit: endProcess,
      guard: guardStop,
      restartsHere,
      say,
      clock,
      log,
    };
    let reason: StopReason;
    do reason = await supervise(run);
    while (reason === "restart" && restartsHere);
    return EXIT.done;
  } finally {
    warnings.stop();
    libraries.stop();
    lock.release();
    fresh?.remove();
  }
}

/** The data directory of a demo that shows the first run. */
class FreshDirectory {
  readonly path = mkdtempSync(path.join(tmpdir(), "nvrd-demo-"));

  /** Two, as of a box with two disks. */
  get volumes(): readonly string[] {
    return ["disk1", "disk2"].map((name) => path.join(this.path, name));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

async function startedDemo(
  { fresh, fleet }: Extract<ServiceLine, { command: "demo" }>,
  settings: Settings,
  logs: { readonly log: Log; readonly logLines: LogRing },
) {
  if (fleet) return await (await loadFleetDemo())(settings, logs);
  return await (await loadDemo())(settings, { ...logs, isFresh: fresh });
}

async function startedService(
  settings: Settings,
  log: Log,
  hooks: Pick<ServiceHooks, "logLines" | "isJournalled">,
): Promise<Service> {
  const service = new Service(settings, log, { announce, ...hooks });
  await service.start();
  return service;
}

function isText({ logFormat }: Settings): boolean {
  return logFormat === "text" || (logFormat === "auto" && isatty(STANDARD_OUTPUT));
}

/** The log as lines to read. */
class TerminalLog {
  readonly #nameOf: CameraName;

  constructor(nameOf: CameraName) {
    this.#nameOf = nameOf;
  }

  /** Takes one line of pino. */
  write(line: string): void {
    try {
      writeSync(STANDARD_OUTPUT, logText(line, this.#nameOf));
    } catch {
      // The terminal is gone or does not keep up: recording goes on, and the support bundle has the line.
    }
  }
}

/** At once: the process may end with the next line. */
function say(text: string): void {
  try {
    writeSync(STANDARD_ERROR, text);
  } catch {
    // Nobody reads it; the log has the same.
  }
}

/** To standard error: standard output is the log, which must not contain passwords. Neither must the journal. */
function announce(text: string): void {
  if (!isJournal(STANDARD_ERROR, process.env.JOURNAL_STREAM)) process.stderr.write(`${text}\n`);
}

function settingsOf(line: ServiceLine, fresh?: FreshDirectory): Settings {
  const flags = fresh === undefined ? line.flags : { ...line.flags, data: path.join(fresh.path, "data") };
  // Its time zone is chosen, as on a box.
  const chosen = fresh === undefined ? {} : { NVRD_TIME_ZONE_CHOICE: "owner" };
  const sources = { flags, environment: { ...chosen, ...process.env } };
  if (line.command === "run") return loadSettings(sources);
  const quota = { bytes: DEMO_QUOTA_BYTES };
  const reserve = { bytes: DEMO_RESERVE_BYTES };
  const fallbackVolumes = (dataDir: string) =>
    (fresh?.volumes ?? [path.join(dataDir, "volume")]).map((volume) => ({ path: volume, quota, reserve }));
  return loadSettings({ ...sources, portFallback: true, fallbackLogLevel: "warn", fallbackVolumes });
}
