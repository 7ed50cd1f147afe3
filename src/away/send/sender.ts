import { Worker } from "node:worker_threads";
import { builtScript, type Clock, hasSpareThreads } from "../../base/index.js";
import type { S3Fault } from "../s3/s3-error.js";
import type { S3Target } from "../s3/s3-target.js";
import type { BlockCacheOptions } from "./block-cache.js";
import type {
  FromSender,
  Sealing,
  SendResults,
  SendWork,
  ToSender,
  UploadProgress,
} from "./send-messages.js";
import { SenderWork } from "./sender-work.js";

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };

/** Work that a target's thread could not do. */
export class SendError extends Error {
  readonly fault: S3Fault | "gone" | "file" | "thread";
  readonly isLasting: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { fault, isLasting, retryAfterMs }: Pick<SendError, "fault" | "isLasting" | "retryAfterMs">,
  ) {
    super(message);
    this.name = "SendError";
    this.fault = fault;
    this.isLasting = isLasting;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Takes messages for a thread, and gives its own to `onMessage`. */
export interface SendingThread {
  post(message: ToSender): void;
  end(): void;
}

export type StartSendingThread = (
  onMessage: (message: FromSender) => void,
  onEnd: (reason: string) => void,
) => SendingThread;

/** Threads that it takes of the system. */
const SENDER_THREADS = 2;

/** A thread of its own: reads that hang, digests and TLS take nothing from recording's. */
export const startSendingThread: StartSendingThread = (onMessage, onEnd) => {
  if (!hasSpareThreads(SENDER_THREADS)) {
    queueMicrotask(() => onEnd("the system has no thread for it"));
    return { post: () => undefined, end: () => undefined };
  }
  const options = { execArgv: [], resourceLimits: RESOURCE_LIMITS, name: "away" };
  const worker = new Worker(builtScript(import.meta.url, "sender-worker"), options);
  worker.on("message", onMessage);
  worker.on("error", (error) => onEnd(error.message));
  worker.on("exit", () => onEnd("it ended"));
  worker.unref();
  return { post: (message) => worker.postMessage(message), end: () => void worker.terminate() };
};

/** The same work in the caller's own thread: for simulated time. */
export function sendingHere(clock: Clock): StartSendingThread {
  return (onMessage) => {
    let isOver = false;
    const work = new SenderWork({ clock, post: (message) => (isOver ? undefined : onMessage(message)) });
    return {
      post: (message) => void work.take(structuredClone(message)),
      end: () => {
        isOver = true;
        work.close();
      },
    };
  };
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SendError) => void;
  readonly onUpload: ((upload: UploadProgress) => void) | undefined;
}

export interface SenderOptions {
  readonly target: S3Target;
  readonly start: StartSendingThread;
  readonly onBytes: (bytes: number) => void;
  /** Connections at once; default 4. */
  readonly socketsMax?: number;
  /** Default: nothing is encrypted. */
  readonly sealing?: Sealing;
  /** Where its thread keeps blocks that it fetched; default: nowhere. */
  readonly cache?: BlockCacheOptions;
}

/** A target's sending thread, from the service's side. A thread that ends is started again with the next work. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #waiting = new Map<number, Waiting>();
  #thread: SendingThread | undefined;
  #bytesPerSecond: number | undefined;
  #next = 1;
  #isStopped = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  limit(bytesPerSecond: number | undefined): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = bytesPerSecond;
    this.#thread?.post({ kind: "limit", bytesPerSecond });
  }

  /** Rejects with SendError. A `block` and a `get` end early with `signal`. */
  async run<W extends SendWork>(
    work: W,
    onUpload?: (upload: UploadProgress) => void,
    signal?: AbortSignal,
  ): Promise<SendResults[W["op"]]> {
    if (this.#isStopped) return Promise.reject(failureOf("it was stopped"));
    const id = this.#next++;
    const cancel = (): void => this.#cancel(id);
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, onUpload });
        this.#running().post({ kind: "work", id, work });
      });
    } finally {
      // What joins signals of long life is kept as long as somebody listens.
      signal?.removeEventListener("abort", cancel);
    }
  }

  #cancel(id: number): void {
    if (this.#waiting.has(id)) this.#thread?.post({ kind: "cancel", id });
  }

  /** What is under way is given up at once, for good; it is sent anew after the next start. */
  stop(): void {
    this.#isStopped = true;
    this.#thread?.end();
    this.#thread = undefined;
    this.#failAll("it was stopped");
  }

  #running(): SendingThread {
    if (this.#thread !== undefined) return this.#thread;
    const thread = this.#options.start(
      (message) => this.#take(message),
      (reason) => {
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#failAll(reason);
      },
    );
    this.#thread = thread;
    const { target, socketsMax, cache, sealing } = this.#options;
    thread.post({
      ...{ kind: "start", target },
      ...(socketsMax === undefined ? {} : { socketsMax }),
      ...(cache === undefined ? {} : { cache }),
      ...(sealing === undefined ? {} : { sealing }),
    });
    thread.post({ kind: "limit", bytesPerSecond: this.#bytesPerSecond });
    return thread;
  }

  #take(message: FromSender): void {
    if (message.kind !== "upload" && message.sentBytes > 0) this.#options.onBytes(message.sentBytes);
    if (message.kind === "bytes") return;
    const waiting = this.#waiting.get(message.id);
    if (message.kind === "upload") {
      waiting?.onUpload?.(message.upload);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.kind === "done") waiting?.resolve(message.value);
    else waiting?.reject(new SendError(message.message, message));
  }

  #failAll(reason: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(failureOf(reason));
  }
}

function failureOf(reason: string): SendError {
  const how = { fault: "thread", isLasting: false, retryAfterMs: undefined } as const;
  return new SendError(`the sending thread: ${reason}`, how);
}
