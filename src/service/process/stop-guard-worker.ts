import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

/** A thread of its own: says a line after a while, whatever the main thread waits for. */

const STANDARD_ERROR = 2;

interface Task {
  readonly afterMs: number;
  readonly line: string;
}

const { afterMs, line }: Task = workerData;
Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, afterMs);
writeSync(STANDARD_ERROR, line);
