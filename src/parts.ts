import { type Log, NvrdError } from "./base/index.js";
import type { Settings } from "./settings.js";
import type { Stoppable } from "./supervise.js";

/** What a check found, from the running service or offline. */
export interface CheckOutcome {
  /** Whether nothing is wrong, or everything was repaired. */
  readonly clean: boolean;
  /** The report for people. */
  readonly text: string;
  /** The report for programs. */
  readonly report: unknown;
}

export interface CheckOptions {
  /** Repair the index from the recordings. */
  readonly rebuild: boolean;
  /** Read every byte. */
  readonly deep: boolean;
  readonly progress?: (line: string) => void;
}

/** `main.js` as the command line uses it. */
export interface MainModule {
  readonly Service: new (
    settings: Settings,
    log: Log,
    announce: (text: string) => void,
  ) => Stoppable & { start(): Promise<void> };
  /** Checks an archive that nobody uses; the caller holds the lock. */
  checkOffline(settings: Settings, options: CheckOptions): Promise<CheckOutcome>;
}

/** `demo.js` as the command line uses it. */
export interface DemoModule {
  /** Starts the service with demo cameras. */
  runDemo(settings: Settings, log: Log): Promise<Stoppable>;
}

/**
 * Loads the service, late: `--help` and the check through the socket need none of it, and its native parts cost time.
 * Rejects with NvrdError INTERNAL when the build is incomplete.
 */
export function loadMain(): Promise<MainModule> {
  return load("./main.js", isMain);
}

export function loadDemo(): Promise<DemoModule> {
  return load("./demo.js", isDemo);
}

async function load<T>(file: string, fits: (module: object) => module is T & object): Promise<T> {
  const module: unknown = await import(new URL(file, import.meta.url).href);
  if (typeof module === "object" && module !== null && fits(module)) return module;
  throw new NvrdError("INTERNAL", `${file} is not of this version: build again`);
}

function isMain(module: object): module is MainModule {
  return "Service" in module && "checkOffline" in module;
}

function isDemo(module: object): module is DemoModule {
  return "runDemo" in module;
}

/** Reads a check's outcome that came over the control socket. Throws NvrdError INTERNAL. */
export function readOutcome(data: unknown): CheckOutcome {
  if (typeof data === "object" && data !== null && "clean" in data && "text" in data && "report" in data) {
    return { clean: data.clean === true, text: String(data.text), report: data.report };
  }
  throw new NvrdError("INTERNAL", "the service's report is not understood");
}
