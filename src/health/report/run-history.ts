import { rmSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  readSmallFile,
  US_PER_MS,
  writePlainSync,
} from "../../base/index.js";
import { RUN_ENDS, type RunEnd } from "../../contract/answer/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";

/** The last uncaught error; written as the process ends. */
export const CRASH_FILE = "crash.json";
/** systemd's reason for the last end, written by the unit's ExecStopPost: `$SERVICE_RESULT $EXIT_CODE $EXIT_STATUS`. */
export const LAST_EXIT_FILE = "last-exit";
/** Runs remembered; older ones are dropped. */
export const RUNS_KEPT = 20;
/** How often the current run is saved: the precision of the time of a power loss. A few kilobytes each. */
export const ALIVE_INTERVAL_MS = 300_000;
const DETAIL_LENGTH_MAX = 500;
const CRASH_TEXT_LENGTH_MAX = 16_000;

const text = v.pipe(v.string(), v.maxLength(DETAIL_LENGTH_MAX));
const time = v.pipe(v.number(), v.safeInteger());
const runSchema = v.object({
  startMs: time,
  bootId: text,
  version: text,
  /** When it was last known to run. */
  aliveMs: time,
  /** The newest revision of the configuration that it has reported as an event, or found as it started. */
  toldRevision: v.optional(time),
  end: v.nullable(v.object({ kind: v.picklist(RUN_ENDS), detail: text })),
});
const fileSchema = v.object({ runs: v.array(runSchema) });
const crashSchema = v.object({
  timeMs: time,
  version: text,
  text: v.pipe(v.string(), v.maxLength(CRASH_TEXT_LENGTH_MAX)),
});

export const RUNS_KIND = keptKind({
  name: "restarts.json",
  says: "when the service ran, and how each run ended",
  policy: "forget",
  damaged: "damaged: how earlier runs ended is not known any more",
  severity: "warn",
  schema: fileSchema,
});

export const CRASH_KIND = keptKind({
  name: CRASH_FILE,
  says: "the last error that ended the process",
  policy: "forget",
  damaged: "damaged: the last error that ended the process is not known any more",
  severity: "warn",
  mayLackVersion: true,
  schema: crashSchema,
});

/** One run of the service. The current one has no end. */
export type Run = v.InferOutput<typeof runSchema>;
/** The last error that ended the process. */
export type Crash = v.InferOutput<typeof crashSchema>;

export interface RunHistoryOptions {
  readonly dataDir: string;
  readonly bootId: Guid;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** When the service was started, and how each run before ended: `restarts.json` in the data directory. */
export class RunHistory {
  readonly #options: RunHistoryOptions;
  #runs: readonly Run[] = [];
  #crash: Crash | undefined;
  readonly #file: KeptFile<typeof fileSchema>;
  #timer: ClockTimer | undefined;
  /** How this run will have ended when it ends in order. */
  #ending: NonNullable<Run["end"]> = { kind: "stopped", detail: "" };

  constructor(options: RunHistoryOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(RUNS_KIND, { directory, log, content: () => ({ runs: this.#runs }) });
  }

  /** The runs that are known, the newest first: this one, then those before. */
  get runs(): readonly Run[] {
    return this.#runs;
  }

  start(): void {
    const { clock, bootId, version, dataDir, log } = this.#options;
    this.#crash = readCrash(dataDir, log);
    const [last, ...earlier] = (this.#file.read()?.runs ?? []).slice(0, RUNS_KEPT);
    const ended = last === undefined || last.end !== null ? last : { ...last, end: this.#endOf(last) };
    if (ended !== undefined && ended.end !== null && isUnclean(ended.end.kind) && last?.end === null)
      log.warn(
        { end: ended.end.kind, detail: ended.end.detail },
        "the service did not end in order the last time",
      );
    rmSync(this.#pathOf(LAST_EXIT_FILE), { recursive: true, force: true });
    const startMs = nowMs(clock);
    const run: Run = { startMs, bootId, version, aliveMs: startMs, end: null };
    this.#runs = [run, ...(ended === undefined ? [] : [ended]), ...earlier].slice(0, RUNS_KEPT);
    this.#file.changed();
    this.#timer = clock.setInterval(() => this.#noteAlive(), ALIVE_INTERVAL_MS);
  }

  /** The newest revision of the configuration that a run has reported; undefined: none is known to have reported any. */
  get reportedRevision(): number | undefined {
    return this.#runs.find(({ toldRevision }) => toldRevision !== undefined)?.toldRevision;
  }

  /** Notes that the configuration is reported up to this revision: the next run reports only what came after it. */
  noteReported(revision: number): void {
    if (this.#runs[0]?.toldRevision !== revision) this.#change({ toldRevision: revision });
  }

  /** The reason that is stored if this run ends normally. */
  expectEnd(kind: Extract<RunEnd, "stopped" | "updated" | "failed">, detail: string): void {
    this.#ending = { kind, detail: detail.slice(0, DETAIL_LENGTH_MAX) };
  }

  /** Notes that this run ends in order. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#timer.clear();
    this.#change({ end: this.#ending });
    await this.saved();
  }

  /** Resolves when what was noted so far is durable, or the disk has refused it. */
  async saved(): Promise<void> {
    await this.#file.flush();
  }

  /** Stores the error that ends the process, for the next start; synchronous, since nothing runs after it. */
  noteCrash(error: unknown): void {
    const { clock, version, log } = this.#options;
    const whole = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const crash: Crash = { timeMs: nowMs(clock), version, text: whole.slice(0, CRASH_TEXT_LENGTH_MAX) };
    try {
      writePlainSync(this.#pathOf(CRASH_FILE), CRASH_KIND.text(crash));
    } catch (failure) {
      log.error({ path: this.#pathOf(CRASH_FILE) }, `cannot be saved: ${errorText(failure)}`);
    }
  }

  /** The last crash that was known at the start; undefined when there was none. */
  get crash(): Crash | undefined {
    return this.#crash;
  }

  #noteAlive(): void {
    this.#change({ aliveMs: nowMs(this.#options.clock) });
  }

  #change(change: Partial<Run>): void {
    const [run, ...earlier] = this.#runs;
    if (run === undefined) return;
    this.#runs = [{ ...run, aliveMs: nowMs(this.#options.clock), ...change }, ...earlier];
    this.#file.changed();
  }

  /** Determines how a run ended that did not store it. */
  #endOf(run: Run): NonNullable<Run["end"]> {
    if (run.bootId !== this.#options.bootId) return { kind: "power-lost", detail: "" };
    const crash = this.#crash;
    if (crash !== undefined && crash.timeMs >= run.startMs)
      return { kind: "crashed", detail: (crash.text.split("\n")[0] ?? "").slice(0, DETAIL_LENGTH_MAX) };
    return endBySystemd(this.#lastExit()) ?? { kind: "killed", detail: "" };
  }

  #lastExit(): string | undefined {
    try {
      return readSmallFile(this.#pathOf(LAST_EXIT_FILE))?.slice(0, DETAIL_LENGTH_MAX);
    } catch (error) {
      this.#options.log.warn({ path: this.#pathOf(LAST_EXIT_FILE) }, `cannot be read: ${errorText(error)}`);
      return undefined;
    }
  }

  #pathOf(name: string): string {
    return path.join(this.#options.dataDir, name);
  }
}

/** Whether a run ended abnormally. */
export function isUnclean(end: RunEnd): boolean {
  return end !== "stopped" && end !== "updated";
}

/** The runs stored in a data directory, the newest first. Never throws. */
export function readRuns(directory: string, log: Log): readonly Run[] {
  return new KeptFile(RUNS_KIND, { directory, log }).read()?.runs.slice(0, RUNS_KEPT) ?? [];
}

/** The last crash stored in a data directory. Never throws. */
export function readCrash(directory: string, log: Log): Crash | undefined {
  return new KeptFile(CRASH_KIND, { directory, log }).read();
}

/** Signals that a process raises by its own fault. */
const CRASH_SIGNALS = new Set(["SEGV", "ABRT", "BUS", "ILL", "FPE", "TRAP", "SYS"]);
const WORDS: Readonly<Record<string, string>> = {
  watchdog: "the watchdog: it made no progress",
  "oom-kill": "no memory was left",
  timeout: "it did not stop or start in time",
};

/** What systemd.exec(5) says of $SERVICE_RESULT, $EXIT_CODE and $EXIT_STATUS; undefined if it is of no use. */
function endBySystemd(said: string | undefined): NonNullable<Run["end"]> | undefined {
  const [, result = "", code = "", status = ""] =
    /^([a-z-]{1,40}) ([a-z]{1,20}) ([A-Z0-9+-]{1,20})\s*$/.exec(said ?? "") ?? [];
  if (result === "" || result === "success") return undefined;
  const detail = WORDS[result] ?? (code === "exited" ? `exit status ${status}` : `signal ${status}`);
  const isCrash = result === "core-dump" || code === "exited" || CRASH_SIGNALS.has(status);
  return { kind: isCrash && result !== "watchdog" ? "crashed" : "killed", detail };
}

function nowMs(clock: Clock): number {
  return Math.floor(clock.nowUs() / US_PER_MS);
}
