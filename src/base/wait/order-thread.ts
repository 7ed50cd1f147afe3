import type { Worker, WorkerOptions } from "node:worker_threads";
import { hasSpareThreads } from "../process/spare-threads.js";
import type { Clock, ClockTimer } from "../time/clock.js";
import { NvrdError } from "../value/errors.js";
import { Semaphore } from "./semaphore.js";

/** Node ends the process where a worker gets no thread. */
const WORKER_THREADS = 2;

/** For the worker of `orderThreadOf`. */
export const ORDER_WORKER: WorkerOptions = {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 1 },
};

/** A thread that answers each order with a reply; a test gives one that never does. */
export interface AnsweringThread<Order, Reply> {
  post(order: Order): void;
  /** Called with each reply, and with undefined when the thread has ended by itself. */
  onReply(listener: (reply: Reply | undefined) => void): void;
  end(): void;
}

export interface OrderThreadOptions<Order, Reply> {
  readonly clock: Clock;
  readonly start: () => AnsweringThread<Order, Reply>;
  /** Longest that an order may take, in milliseconds. Then the thread is ended. */
  readonly orderMsMax: number;
  /** The thread ends when it had nothing to do for so long, in milliseconds. */
  readonly idleMsMax: number;
  /** Most orders that wait for their turn. */
  readonly waitingMax: number;
}

/**
 * Has orders carried out on a thread of its own, one after the other, so that the main thread does not wait for them. It is
 * started when there is something to do, ended when that takes too long, and when there is nothing more.
 */
export class OrderThread<Order, Reply> {
  readonly #options: OrderThreadOptions<Order, Reply>;
  readonly #turns: Semaphore;
  #thread: AnsweringThread<Order, Reply> | undefined;
  #idle: ClockTimer | undefined;

  constructor(options: OrderThreadOptions<Order, Reply>) {
    this.#options = options;
    this.#turns = new Semaphore({ atOnce: 1, waitingMax: options.waitingMax });
  }

  /** Whether another order would be refused with TOO_MANY_REQUESTS. */
  get isFull(): boolean {
    return this.#turns.waiting >= this.#options.waitingMax;
  }

  /** The reply; undefined when the order took too long or too much memory. Rejects with TOO_MANY_REQUESTS or NOT_AVAILABLE. */
  ask(order: Order): Promise<Reply | undefined> {
    return this.#turns.run(() => this.#ask(order));
  }

  #ask(order: Order): Promise<Reply | undefined> {
    const { clock, start, orderMsMax, idleMsMax } = this.#options;
    this.#idle?.clear();
    if (this.#thread === undefined && !hasSpareThreads(WORKER_THREADS))
      return Promise.reject(new NvrdError("NOT_AVAILABLE", "the system has no thread for it"));
    const thread = this.#thread ?? start();
    this.#thread = thread;
    return new Promise((resolve) => {
      const settle = (reply: Reply | undefined): void => {
        timer.clear();
        if (reply === undefined) this.#end(thread);
        else this.#idle = clock.setTimeout(() => this.#end(thread), idleMsMax);
        resolve(reply);
      };
      const timer = clock.setTimeout(() => settle(undefined), orderMsMax);
      thread.onReply(settle);
      thread.post(order);
    });
  }

  #end(thread: AnsweringThread<Order, Reply>): void {
    if (this.#thread === thread) this.#thread = undefined;
    thread.end();
  }
}

/** A worker that answers each message with one. The bytes of an order go to it as a copy. */
export function orderThreadOf<Order extends { readonly bytes: Uint8Array }, Reply>(
  worker: Worker,
): AnsweringThread<Order, Reply> {
  let listener: ((reply: Reply | undefined) => void) | undefined;
  const answer = (reply: Reply | undefined): void => {
    worker.unref();
    const waiting = listener;
    listener = undefined;
    waiting?.(reply);
  };
  worker.on("message", (reply: Reply) => answer(reply));
  // Out of memory, or a fault of ours: it ends, and another one is started.
  worker.on("error", () => answer(undefined));
  worker.on("exit", () => answer(undefined));
  return {
    post: (order) => {
      worker.ref();
      // A copy of its own: these bytes may be part of a larger buffer, which would go along.
      const copy = new Uint8Array(order.bytes);
      worker.postMessage({ ...order, bytes: copy }, [copy.buffer]);
    },
    onReply: (added) => {
      listener = added;
    },
    end: () => void worker.terminate(),
  };
}
