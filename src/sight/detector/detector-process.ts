import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { builtScript, errorText, startServant } from "../../base/index.js";

/** JavaScript's own share; the network's memory is the library's. */
const HEAP_MB_MAX = 64;
const NICENESS = 19;
/** Under pressure the kernel ends this process before all others. */
const OUT_OF_MEMORY_SCORE = "1000";
const KIB_PER_MIB = 1024;
const RESIDENT_LINE = /^VmRSS:\s+(\d+) kB$/m;

/** The detector's process, as the recorder knows it: bytes in, bytes out, and its end. */
export interface DetectorProcess {
  readonly pid: number;
  /** Never waits; what was written is bounded by whoever writes. */
  write(bytes: Uint8Array): void;
  /** Resident memory in MiB; undefined where the system does not say. Rejects when it has ended. */
  residentMib(): Promise<number | undefined>;
  /** Ends it at once. No call follows of what listens to it. */
  kill(): void;
}

export interface DetectorEars {
  onBytes(bytes: Buffer): void;
  /** What it prints on standard error: a reason, or noise. */
  onWords(text: string): void;
  onEnd(reason: string): void;
  /** What the system does not allow, and it works without. */
  onNote(text: string): void;
}

/** Starts the process. Throws where it cannot be started. */
export type StartDetector = (ears: DetectorEars) => DetectorProcess;

/** The process of `detector-child.ts` with these weights: without the recorder's environment, which may have secrets. */
export function detectorProcess(
  modelFile: string,
  script = builtScript(import.meta.url, "detector-child"),
): StartDetector {
  return (ears) => {
    const args = [`--max-old-space-size=${HEAP_MB_MAX}`, script, modelFile];
    const child = startServant(process.execPath, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH ?? "" },
    });
    if (child.pid !== undefined) giveWay(child.pid, ears);
    let isOver = false;
    const end = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      ears.onEnd(reason);
    };
    child.stdout.on("data", (bytes: Buffer) => {
      if (!isOver) ears.onBytes(bytes);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (!isOver) ears.onWords(text);
    });
    // It ended while it was written to: its end says why.
    child.stdin.on("error", () => undefined);
    child.once("error", ({ message }) => end(message));
    child.once("close", (status, signal) => end(signal ?? `status ${status}`));
    return {
      pid: child.pid ?? 0,
      write: (bytes) => {
        if (!isOver) child.stdin.write(bytes);
      },
      residentMib: () => residentMib(child.pid),
      kill: () => {
        isOver = true;
        child.kill("SIGKILL");
        for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      },
    };
  };
}

/** It gives way to everything else. Where the system forbids it, it runs as others do. */
function giveWay(pid: number, ears: Pick<DetectorEars, "onNote">): void {
  try {
    setPriority(pid, NICENESS);
  } catch (error) {
    ears.onNote(`a low priority: ${errorText(error)}`);
  }
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OUT_OF_MEMORY_SCORE);
  } catch (error) {
    ears.onNote(`being ended first when memory is short: ${errorText(error)}`);
  }
}

async function residentMib(pid: number | undefined): Promise<number | undefined> {
  const [, kib] = RESIDENT_LINE.exec(await readFile(`/proc/${pid}/status`, "latin1")) ?? [];
  return kib === undefined ? undefined : Number(kib) / KIB_PER_MIB;
}
