import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { PATIENCE_MS } from "../base/patience.js";

/** Most of a process's output that is kept, in characters: its newest part. */
const OUTPUT_CHARACTERS_MAX = 4 * 1024 * 1024;

export interface BackgroundOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Of a process's output, so much is shown when it has not done what a test wants. */
const SHOWN_CHARACTERS_MAX = 8000;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** "status 3" or "signal SIGSEGV". */
export function exitText({
  code,
  signal,
}: {
  readonly code: number | null;
  readonly signal: string | null;
}): string {
  return signal === null ? `status ${code}` : `signal ${signal}`;
}

/**
 * The kernel ends the child when its parent ends, however that does: a test's process is ended by a signal when it is
 * done, and no handler of its own runs then.
 */
const WITH_PARENT = ["setpriv", ["--pdeathsig", "KILL", "--"]] as const;

/** A child process of a test or bench: its output is kept, and it never outlives the process that started it. */
export class BackgroundProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #waiting = new Set<() => void>();
  #output = "";
  #stdout = "";
  #exit: Exit | undefined;
  readonly exited: Promise<Exit>;

  constructor(command: string, args: readonly string[], options: BackgroundOptions = {}) {
    this.#name = `${command} ${args.join(" ")}`;
    const [program, flags] = WITH_PARENT;
    this.#child = spawn(program, [...flags, command, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    this.exited = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        this.#exit = { code, signal };
        this.#wake();
        resolve(this.#exit);
      });
    });
    // A caller that never awaits `exited` learns of a failed start through waitFor.
    this.exited.catch((error: Error) => this.#append(`cannot start: ${error.message}\n`));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#append(text));
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-OUTPUT_CHARACTERS_MAX);
      this.#append(text);
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.#name}: not started`);
    return this.#child.pid;
  }

  /** Standard output and standard error as they came. */
  get output(): string {
    return this.#output;
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** How it ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /**
   * Resolves with the match once the output, from character `from` on, has it; rejects when the process ends or the
   * time is up first.
   */
  async waitFor(pattern: RegExp, timeoutMs = PATIENCE_MS, from = 0): Promise<RegExpExecArray> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(this.#output.slice(from));
      if (match !== null) return match;
      const leftMs = deadline - performance.now();
      if (this.#exit !== undefined || leftMs <= 0) {
        throw this.failure(`did not print ${pattern} in ${timeoutMs} ms`);
      }
      await this.#change(leftMs);
    }
  }

  /** An error for what it did not do: how it ended, where it has, and the end of its output. */
  failure(what: string): Error {
    const end = this.#exit === undefined ? "" : `, it ended: ${exitText(this.#exit)}`;
    return new Error(
      `${this.#name}: ${what}${end}; its output:\n${this.#output.slice(-SHOWN_CHARACTERS_MAX)}`,
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks it to end, and ends it by force after `graceMs`. Resolves when it is gone. */
  async stop(signal: NodeJS.Signals = "SIGTERM", graceMs = PATIENCE_MS): Promise<Exit> {
    if (this.#exit !== undefined) return this.#exit;
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), graceMs);
    this.#child.kill(signal);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  #append(text: string): void {
    this.#output = (this.#output + text).slice(-OUTPUT_CHARACTERS_MAX);
    this.#wake();
  }

  #wake(): void {
    for (const run of this.#waiting) run();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }
}

/** Runs a command to its end and answers what it printed on standard output; rejects when it fails. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  timeoutMs = PATIENCE_MS,
): Promise<string> {
  const child = new BackgroundProcess(command, args);
  const timer = setTimeout(() => child.signal("SIGKILL"), timeoutMs);
  const exit = await child.exited;
  clearTimeout(timer);
  if (exit.code === 0) return child.stdout;
  throw child.failure("failed");
}

/** Ports below those the kernel gives out, so that nobody gets one between the look and its use. */
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;

/** Ports of loopback that nobody listens on, all different; a process running beside gets others. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = createServer();
    const taken = await listening(server, randomInt(PORT_MIN, PORT_MAX));
    if (taken) servers.push(server);
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) {
    server.close();
    await once(server, "close");
  }
  return ports;
}

/** Listens on the port; false when somebody has it. */
async function listening(server: Server, port: number): Promise<boolean> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return false;
  }
}
