import { writeSync } from "node:fs";
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
  SystemClock,
} from "./base/index.js";
import { loadDemo, type ServiceLine } from "./command/index.js";
import { DataLock } from "./control/index.js";
import { guardStop, Service, startManaged, supervise } from "./service/index.js";
import { loadSettings, type Settings } from "./settings/index.js";
import { isJournal, JournalLog, NotifySocket, nativeSendDatagram } from "./systemd/index.js";

/** A demo must not fill the disk. */
const DEMO_QUOTA_BYTES = 4e9;
const DEMO_RESERVE_BYTES = 1e9;
const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** `nvrd run` and `nvrd demo`: the service until a signal, under the lock of the data directory. */
export async function runService(line: ServiceLine): Promise<number> {
  const send = nativeSendDatagram();
  const notify = NotifySocket.fromEnvironment(process.env, send);
  const settings = settingsOf(line);
  const logLines = new LogRing();
  const isJournalled = send !== undefined && isJournal(STANDARD_OUTPUT, process.env.JOURNAL_STREAM);
  let cameras: () => Service["site"]["current"]["cameras"] = () => [];
  const nameOf = (id: string) => cameras().find((camera) => camera.id.toLowerCase() === id)?.name;
  const terminal = isText(settings) ? { destination: new TerminalLog(nameOf) } : {};
  const destination = isJournalled ? { destination: new JournalLog({ send }) } : terminal;
  const copy = (text: string) => logLines.add(text);
  const log = createLog({ level: settings.logLevel, copy, ...destination });
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
          ? await (await loadDemo())(settings, log, logLines)
          : await startedService(settings, log, logLines);
      cameras = () => service.site.current.cameras;
      return service;
    };
    const start = () => startManaged({ start: startService, notify, clock, log });
    await supervise({ start, signals: process, exit: endProcess, guard: guardStop, say, clock, log });
    return EXIT.done;
  } finally {
    warnings.stop();
    libraries.stop();
    lock.release();
  }
}

async function startedService(settings: Settings, log: Log, logLines: LogRing): Promise<Service> {
  const service = new Service(settings, log, { announce, logLines });
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

function settingsOf(line: ServiceLine): Settings {
  const sources = { flags: line.flags, environment: process.env };
  if (line.command === "run") return loadSettings(sources);
  const quota = { bytes: DEMO_QUOTA_BYTES };
  const reserve = { bytes: DEMO_RESERVE_BYTES };
  const fallbackVolumes = (dataDir: string) => [{ path: path.join(dataDir, "volume"), quota, reserve }];
  return loadSettings({ ...sources, portFallback: true, fallbackLogLevel: "warn", fallbackVolumes });
}
