import { Worker } from "node:worker_threads";
import { builtScript, type Clock, hasSpareThreads } from "../../base/index.js";
import type { FromReplicas, ToReplicas } from "./replica-messages.js";
import { ReplicaWork } from "./replica-work.js";

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };
/** Threads that it takes of the system. */
const REPLICA_THREADS = 2;

/** Takes messages for a thread, and gives its own to `onMessage`. */
export interface ReplicaThread {
  post(message: ToReplicas): void;
  end(): void;
}

export type StartReplicaThread = (
  onMessage: (message: FromReplicas) => void,
  onEnd: (reason: string) => void,
) => ReplicaThread;

/** A thread of its own: a disk that hangs, digests and TLS take nothing from recording's. */
export const startReplicaThread: StartReplicaThread = (onMessage, onEnd) => {
  if (!hasSpareThreads(REPLICA_THREADS)) {
    queueMicrotask(() => onEnd("the system has no thread for it"));
    return { post: () => undefined, end: () => undefined };
  }
  const options = { execArgv: [], resourceLimits: RESOURCE_LIMITS, name: "replicas" };
  const worker = new Worker(builtScript(import.meta.url, "replica-worker"), options);
  worker.on("message", onMessage);
  worker.on("error", (error) => onEnd(error.message));
  worker.on("exit", () => onEnd("it ended"));
  worker.unref();
  return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
};

/** The same work in the caller's own thread. */
export function keepingHere(clock: Clock): StartReplicaThread {
  return (onMessage) => {
    let isOver = false;
    const work = new ReplicaWork({ clock, post: (message) => (isOver ? undefined : onMessage(message)) });
    return {
      post: (message) => work.take(structuredClone(message)),
      end: () => {
        isOver = true;
        work.close();
      },
    };
  };
}
