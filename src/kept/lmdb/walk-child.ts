import { setPriority } from "node:os";
import { type Clock, errorText, setTimeLimit, startProgram } from "../../base/index.js";

const WALK_TEXT_BYTES_MAX = 4096;
const WALK_NICENESS = 10;
const REASON_CHARACTERS_MAX = 200;

interface WalkEnd {
  /** Undefined when a signal ended it or it could not be started. */
  readonly status: number | undefined;
  readonly isStarted: boolean;
  /** Why it ended: a signal, or the first line it printed. */
  readonly reason: string;
}

/** Runs a script of `walk.ts` on an environment. Never rejects. */
export async function walkInChild(options: {
  readonly walkScript: string;
  readonly directory: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}): Promise<WalkEnd> {
  let child: ReturnType<typeof startWalk>;
  try {
    child = startWalk(options);
  } catch (error) {
    return notStarted(error);
  }
  let text = "";
  const collect = (chunk: Buffer): void => {
    if (text.length < WALK_TEXT_BYTES_MAX) text += chunk.toString("latin1");
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  let timedOut = false;
  const timer = setTimeLimit(
    options.clock,
    () => {
      timedOut = true;
      child.kill("SIGKILL");
    },
    options.timeoutMs,
  );
  const stop = (): boolean => child.kill("SIGKILL");
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    const exit = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal }));
      lowerPriority(child.pid);
    });
    const [line = ""] = text.split("\n");
    const ending = exit.signal ?? (line.slice(0, REASON_CHARACTERS_MAX) || `status ${exit.code}`);
    const reason = timedOut ? "reading it took too long" : ending;
    return { status: exit.code ?? undefined, isStarted: true, reason };
  } catch (error) {
    return notStarted(error);
  } finally {
    timer.clear();
    options.signal?.removeEventListener("abort", stop);
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, WALK_NICENESS);
  } catch {
    // The child has ended already, or we may not change its priority: it keeps the normal one.
  }
}

function startWalk({ walkScript, directory }: { readonly walkScript: string; readonly directory: string }) {
  return startProgram(process.execPath, [walkScript, directory], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "" },
  });
}

function notStarted(error: unknown): WalkEnd {
  return { status: undefined, isStarted: false, reason: `it could not be checked: ${errorText(error)}` };
}
