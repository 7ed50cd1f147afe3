import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

/** A thread of its own: says a line after a while, whatever the main thread waits for, unless it has said one. */

const STANDARD_ERROR = 2;

interface Task {
  readonly afterMs: number;
  readonly line: string;
  /** One cell in shared memory: 1 when the main thread has said how the stop went. */
  readonly isEnded: Int32Array<SharedArrayBuffer>;
}

const { afterMs, line, isEnded }: Task = workerData;
if (Atomics.wait(isEnded, 0, 0, afterMs) === "timed-out") writeSync(STANDARD_ERROR, line);
