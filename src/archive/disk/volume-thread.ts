import { attentiveUs, type Clock, type ClockTimer, NvrdError, setTimeLimit } from "../../base/index.js";
import type { ReaderRequest, ReaderResults, ThreadReply, WorkerStart } from "./volume-messages.js";

/** A thread of a volume as its main side sees it; tests replace it by one that answers late, wrongly or never. */
export interface VolumeThread {
  postMessage(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, when the thread has ended by itself. */
  onFailure(listener: (reason: string) => void): void;
  /** Ends the thread. Resolves when it is gone; a thread stuck in a system call may take forever. */
  terminate(): Promise<void>;
}

export type StartVolumeThread = (start: WorkerStart) => VolumeThread;

/** Most requests of a volume that wait for an answer; beyond it a request is refused at once. */
const REQUESTS_MAX = 1024;

/**
 * A thread that has not answered for longer gets no more requests until it answers: callers are refused at once, and nothing
 * piles up.
 */
const STALL_MS_MAX = 30_000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ClockTimer;
}

/** An error that a volume's thread answered with: an errno name, DAMAGED, or a code of the catalogue. */
export class VolumeError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "VolumeError";
    this.code = code;
  }
}

/** Requests to a thread and their answers, each with a time limit: a disk that hangs does not hang the caller. */
export class ThreadRequests {
  readonly #thread: VolumeThread;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  /** Asked and not answered, those given up by who asked included. */
  #unanswered = 0;
  /** Since when the thread's next answer is due, by `attentiveUs`. */
  #owedSinceUs = 0;

  constructor(options: { thread: VolumeThread; clock: Clock; name: string }) {
    this.#thread = options.thread;
    this.#clock = options.clock;
    this.#name = options.name;
  }

  /** How long the oldest request has been unanswered, in ms. */
  get stallMs(): number {
    return this.#unanswered === 0 ? 0 : (attentiveUs(this.#clock) - this.#owedSinceUs) / 1000;
  }

  /** Asks the reader thread. Rejects with VolumeError, or NvrdError NOT_AVAILABLE after `timeoutMs`. */
  read<R extends ReaderRequest>(request: R, timeoutMs: number): Promise<ReaderResults[R["op"]]> {
    return this.call((id) => ({ id, request }), timeoutMs) as Promise<ReaderResults[R["op"]]>;
  }

  call(message: (id: number) => unknown, timeoutMs: number): Promise<unknown> {
    if (this.#waiting.size >= REQUESTS_MAX) {
      return Promise.reject(
        new NvrdError("NOT_AVAILABLE", `${this.#name}: too many requests wait for the disk`),
      );
    }
    if (this.stallMs > STALL_MS_MAX) {
      return Promise.reject(new NvrdError("NOT_AVAILABLE", `${this.#name} does not answer`));
    }
    const id = this.#nextId++;
    if (this.#unanswered === 0) this.#owedSinceUs = attentiveUs(this.#clock);
    this.#unanswered += 1;
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        this.#waiting.delete(id);
        reject(new NvrdError("NOT_AVAILABLE", `${this.#name} does not answer for ${timeoutMs} ms`));
      };
      const timer = setTimeLimit(this.#clock, expire, timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#thread.postMessage(message(id));
    });
  }

  /** Takes a reply of the thread; one that comes too late is dropped. */
  answer(reply: ThreadReply): void {
    this.#unanswered -= 1;
    this.#owedSinceUs = attentiveUs(this.#clock);
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    waiting.timer.clear();
    if (reply.error === undefined) waiting.resolve(reply.value);
    else waiting.reject(new VolumeError(reply.error.code, reply.error.message));
  }

  /** Rejects all waiting calls. */
  fail(reason: string): void {
    for (const waiting of this.#waiting.values()) {
      waiting.timer.clear();
      waiting.reject(new NvrdError("NOT_AVAILABLE", `${this.#name}: ${reason}`));
    }
    this.#waiting.clear();
  }
}
