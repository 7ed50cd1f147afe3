import { Worker } from "node:worker_threads";
import { builtScript, type Clock, type ClockTimer, Semaphore } from "../../base/index.js";
import { XmlError, type XmlTokens } from "./xml-tokens.js";

/** Longest that a document may take, in milliseconds: the worst megabyte takes a hundredth of it. Then the thread is ended. */
export const READ_MS_MAX = 2000;
/** The thread ends when it had nothing to read for so long, in milliseconds. */
export const IDLE_MS_MAX = 30_000;
/** Documents that wait for their turn, a megabyte each at the most. */
const WAITING_MAX = 32;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 1 };

export interface XmlOrder {
  readonly bytes: Uint8Array;
  readonly charset: string | undefined;
}

export type XmlReply = { readonly tokens: XmlTokens } | { readonly refusal: string };

/** A thread that answers each order with a reply; a test gives one that never does. */
export interface ReadingThread {
  post(order: XmlOrder): void;
  /** Called with each reply, and with undefined when the thread has ended by itself. */
  onReply(listener: (reply: XmlReply | undefined) => void): void;
  end(): void;
}

/**
 * Reads documents on a thread of its own, one after the other, so that the main thread does not wait for them. It is
 * started when there is something to read, ended when that takes too long, and when there is nothing more.
 */
export class XmlThread {
  readonly #clock: Clock;
  readonly #start: () => ReadingThread;
  readonly #turns = new Semaphore({ atOnce: 1, waitingMax: WAITING_MAX });
  #thread: ReadingThread | undefined;
  #idle: ClockTimer | undefined;

  constructor(clock: Clock, start: () => ReadingThread = startThread) {
    this.#clock = clock;
    this.#start = start;
  }

  /** Rejects with XmlError. */
  async read(bytes: Uint8Array, charset: string | undefined): Promise<XmlTokens> {
    if (this.#turns.waiting >= WAITING_MAX) throw new XmlError("too much else is being read just now");
    const reply = await this.#turns.run(() => this.#ask(bytes, charset));
    if (reply === undefined) throw new XmlError("reading it took too long or too much memory");
    if ("refusal" in reply) throw new XmlError(reply.refusal);
    return reply.tokens;
  }

  #ask(bytes: Uint8Array, charset: string | undefined): Promise<XmlReply | undefined> {
    this.#idle?.clear();
    const thread = this.#thread ?? this.#start();
    this.#thread = thread;
    return new Promise((resolve) => {
      const settle = (reply: XmlReply | undefined): void => {
        timer.clear();
        if (reply === undefined) this.#end(thread);
        else this.#idle = this.#clock.setTimeout(() => this.#end(thread), IDLE_MS_MAX);
        resolve(reply);
      };
      const timer = this.#clock.setTimeout(() => settle(undefined), READ_MS_MAX);
      thread.onReply(settle);
      thread.post({ bytes, charset });
    });
  }

  #end(thread: ReadingThread): void {
    if (this.#thread === thread) this.#thread = undefined;
    thread.end();
  }
}

function startThread(): ReadingThread {
  const worker = new Worker(builtScript(import.meta.url, "xml-worker"), {
    execArgv: [],
    resourceLimits: RESOURCE_LIMITS,
    name: "xml",
  });
  let listener: ((reply: XmlReply | undefined) => void) | undefined;
  const tell = (reply: XmlReply | undefined): void => {
    worker.unref();
    const told = listener;
    listener = undefined;
    told?.(reply);
  };
  worker.on("message", (reply: XmlReply) => tell(reply));
  // Out of memory, or a fault of ours: it ends, and another one is started.
  worker.on("error", () => tell(undefined));
  worker.on("exit", () => tell(undefined));
  return {
    post: ({ bytes, charset }) => {
      worker.ref();
      // A copy of its own: these bytes may be part of a larger buffer, which would go along.
      const copy = new Uint8Array(bytes);
      worker.postMessage({ bytes: copy, charset }, [copy.buffer]);
    },
    onReply: (added) => {
      listener = added;
    },
    end: () => void worker.terminate(),
  };
}
