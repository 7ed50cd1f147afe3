import { Worker } from "node:worker_threads";
import { builtScript, type Clock, hasSpareThreads } from "../../base/index.js";
import type { FromLink, ToLink } from "./link-messages.js";
import { LinkWork } from "./link-work.js";

/** Its code and heap, and what waits for a slow hub. Beyond it the thread ends, and the recorder goes on. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8, stackSizeMb: 1 };
/** Threads that it takes of the system. */
const LINK_THREADS = 2;

/** Takes messages for the link's thread, and gives its own to `onMessage`. */
export interface LinkThread {
  post(message: ToLink): void;
  end(): void;
}

export type StartLinkThread = (
  onMessage: (message: FromLink) => void,
  onEnd: (reason: string) => void,
) => LinkThread;

/** A thread of its own: TLS, signatures and what a slow link makes wait take nothing from recording's. */
export const startLinkThread: StartLinkThread = (onMessage, onEnd) => {
  if (!hasSpareThreads(LINK_THREADS)) {
    queueMicrotask(() => onEnd("the system has no thread for it"));
    return { post: () => undefined, end: () => undefined };
  }
  const options = { execArgv: [], resourceLimits: RESOURCE_LIMITS, name: "fleet" };
  const worker = new Worker(builtScript(import.meta.url, "link-worker"), options);
  worker.on("message", onMessage);
  worker.on("error", (error) => onEnd(error.message));
  worker.on("exit", () => onEnd("it ended"));
  worker.unref();
  return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
};

/** The same work in the caller's own thread. */
export function linkingHere(clock: Clock, random?: () => number): StartLinkThread {
  return (onMessage) => {
    let isOver = false;
    const work = new LinkWork({
      ...{ clock, ...(random === undefined ? {} : { random }) },
      post: (message) => (isOver ? undefined : onMessage(message)),
    });
    return {
      post: (message) => work.take(structuredClone(message)),
      end: () => {
        isOver = true;
        work.take({ kind: "stop" });
      },
    };
  };
}
