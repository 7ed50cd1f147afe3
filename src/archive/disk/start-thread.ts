import { Worker } from "node:worker_threads";
import { builtScript } from "../../base/index.js";
import { startAddonThread } from "./addon-thread.js";
import type { WorkerStart } from "./volume-messages.js";
import type { VolumeThread } from "./volume-thread.js";

/** The threads hold a few buffers and numbers: a small heap keeps the service's memory small. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2, stackSizeMb: 2 };

/** Starts a real thread: the reader is one of Node, the writer and the syncer are the addon's. One that cannot start fails at once. */
export function startVolumeThread(start: WorkerStart): VolumeThread {
  return start.role === "reader" ? startReader(start) : startAddonThread(start.role, start.directory);
}

/** Under a test runner that loads the sources, the worker comes from the build. */
function startReader(start: WorkerStart): VolumeThread {
  const worker = new Worker(builtScript(import.meta.url, "volume-worker"), {
    workerData: start,
    execArgv: [],
    resourceLimits: RESOURCE_LIMITS,
    name: `volume-${start.role}`,
  });
  let failure: ((reason: string) => void) | undefined;
  let stopping = false;
  const fail = (reason: string) => {
    if (!stopping) failure?.(reason);
    failure = undefined;
  };
  worker.on("error", (error) => fail(error.message));
  worker.on("exit", (code) => fail(`thread ended with status ${code}`));
  return {
    postMessage: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onFailure: (listener) => {
      failure = listener;
    },
    terminate: async () => {
      stopping = true;
      await worker.terminate();
    },
  };
}
