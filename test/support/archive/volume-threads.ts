import { MessageChannel } from "node:worker_threads";
import { type Disk, realDisk } from "../../../src/archive/disk/disk.js";
import { loadNativeDisk } from "../../../src/archive/disk/native-disk.js";
import { startVolumeThread } from "../../../src/archive/disk/start-thread.js";
import type { StartVolumeThread } from "../../../src/archive/disk/volume-thread.js";
import { runVolumeThread } from "./model/model-threads.js";

export const REAL_DISK = realDisk(loadNativeDisk().disk);

/** Runs a volume's threads in this one, on a disk of the test's making. */
export function threadsOnDisk(disk: Disk): StartVolumeThread {
  return (start) => {
    const { port1, port2 } = new MessageChannel();
    runVolumeThread(start, port2, disk);
    return {
      postMessage: (message) => port1.postMessage(message),
      onMessage: (listener) => void port1.on("message", listener),
      onFailure: () => undefined, // a port does not fail
      terminate: async () => port1.close(),
    };
  };
}

/** Real threads of a volume: a test waits for what they have done, not for a time. */
export class WatchedThreads {
  #syncs: (() => void)[] = [];

  /** Resolves when a sync thread has told of files that it made durable since this call. */
  nextSync(): Promise<void> {
    return new Promise((resolve) => this.#syncs.push(resolve));
  }

  readonly start: StartVolumeThread = (start) => {
    const thread = startVolumeThread(start);
    return {
      ...thread,
      onMessage: (listener) => {
        thread.onMessage((message) => {
          listener(message);
          const { op, slots = [] } = message as { op: string; slots?: readonly number[] };
          if (op === "synced" && slots.length > 0) for (const done of this.#syncs.splice(0)) done();
        });
      },
    };
  };
}

/** Threads, real ones unless told otherwise, whose answers can be held back, as those of a disk that hangs. */
export class HangingThreads {
  readonly #hung = new Set<string>();
  readonly #held: (() => void)[] = [];
  readonly #start: StartVolumeThread;
  #failures: ((reason: string) => void)[] = [];

  constructor(start: StartVolumeThread = startVolumeThread) {
    this.#start = start;
  }

  /** The answers of one of this directory's threads stay away from now on. */
  hang(directory: string, role: "writer" | "syncer" | "reader" = "writer"): void {
    this.#hung.add(`${role} ${directory}`);
  }

  /** All that was held back arrives. */
  release(): void {
    this.#hung.clear();
    for (const deliver of this.#held.splice(0)) deliver();
  }

  /** Tells every volume that its writer thread has died. */
  failAll(reason: string): void {
    for (const failure of this.#failures.splice(0)) failure(reason);
  }

  readonly start: StartVolumeThread = (start) => {
    const thread = this.#start(start);
    return {
      ...thread,
      onMessage: (listener) => {
        thread.onMessage((message) => {
          const deliver = () => listener(message);
          // A thread loads without its disk.
          const started = (message as { op: string }).op === "started";
          if (!started && this.#hung.has(`${start.role} ${start.directory}`)) this.#held.push(deliver);
          else deliver();
        });
      },
      onFailure: (listener) => {
        thread.onFailure(listener);
        if (start.role === "writer") this.#failures.push(listener);
      },
    };
  };
}

/** Threads that are still loading until the test says otherwise: they take messages, and say nothing. */
export class LoadingThreads {
  readonly #start: StartVolumeThread;
  readonly #loads: (() => void)[] = [];

  constructor(start: StartVolumeThread) {
    this.#start = start;
  }

  /** All threads have loaded. */
  finish(): void {
    for (const load of this.#loads.splice(0)) load();
  }

  readonly start: StartVolumeThread = (start) => {
    const thread = this.#start(start);
    return { ...thread, onMessage: (listener) => void this.#loads.push(() => thread.onMessage(listener)) };
  };
}
