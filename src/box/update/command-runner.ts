import { NvrdError, startProgram } from "../../base/index.js";

/** A program to run. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Called with each line of standard output. */
  readonly onLine?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Added to a small environment, which has nothing from the service's own, so no secrets. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface CommandEnd {
  /** Exit status; null if a signal ended it. */
  readonly status: number | null;
  /** The ends of both outputs. */
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end. Rejects with NvrdError NOT_AVAILABLE if it does not start or takes too long. */
export type RunCommand = (command: Command) => Promise<CommandEnd>;

/** Most characters kept of each output: its end. */
const OUTPUT_LENGTH_MAX = 64 * 1024;
const LINE_LENGTH_MAX = 1000;
const PATH_DEFAULT = "/usr/sbin:/usr/bin:/sbin:/bin";

export const runCommand: RunCommand = (command) =>
  new Promise((resolve, reject) => {
    const { program, args, timeoutMs, signal } = command;
    const { PATH = PATH_DEFAULT, DBUS_SYSTEM_BUS_ADDRESS } = process.env;
    const bus = DBUS_SYSTEM_BUS_ADDRESS === undefined ? {} : { DBUS_SYSTEM_BUS_ADDRESS };
    const env = { PATH, LC_ALL: "C", ...bus, ...command.env };
    const stop = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
    const child = startProgram(program, [...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env,
      signal: stop,
      killSignal: "SIGKILL",
    });
    const output = new OutputEnd(command.onLine);
    const errors = new OutputEnd();
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    child.once("error", (cause) => {
      const reason = stop.aborted ? `stopped after at most ${timeoutMs} ms` : cause.message;
      reject(new NvrdError("NOT_AVAILABLE", `${program}: ${reason}`, { cause }));
    });
    child.once("close", (status) => resolve({ status, output: output.end(), errors: errors.end() }));
  });

/** Keeps the end of an output, and passes on its lines. */
class OutputEnd {
  readonly #onLine: ((line: string) => void) | undefined;
  #kept = "";
  #line = "";

  constructor(onLine?: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const text = chunk.toString("utf8");
    this.#kept = (this.#kept + text).slice(-OUTPUT_LENGTH_MAX);
    if (this.#onLine === undefined) return;
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.pop() ?? "").slice(-LINE_LENGTH_MAX);
    for (const line of lines) this.#onLine(line.slice(0, LINE_LENGTH_MAX));
  }

  end(): string {
    if (this.#line !== "") this.#onLine?.(this.#line);
    return this.#kept;
  }
}
