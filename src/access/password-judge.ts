import { Worker } from "node:worker_threads";
import {
  builtScript,
  type Clock,
  type ClockTimer,
  hasSpareThreads,
  NvrdError,
  Semaphore,
} from "../base/index.js";

/** Longest that a judgement may take, the loading of the dictionaries included. */
const JUDGE_MS_MAX = 15_000;
/** The thread ends when it had nothing to judge for so long: its dictionaries take some 25 MB. */
const IDLE_MS_MAX = 30_000;
const WAITING_MAX = 8;
const RETRY_MS = 1000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 };

export interface JudgeOrder {
  readonly password: string;
  readonly words: readonly string[];
}

export interface JudgeReply {
  readonly score: number;
  readonly warning: string | null;
  readonly advice: readonly string[];
}

/** Judges passwords on a thread of its own, which exists while somebody chooses one. */
export class PasswordJudge {
  readonly #clock: Clock;
  readonly #turns = new Semaphore({ atOnce: 1, waitingMax: WAITING_MAX });
  #thread: JudgingThread | undefined;
  #idle: ClockTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects with NvrdError NOT_AVAILABLE where the judgement takes too long, TOO_MANY_REQUESTS where too many wait. */
  judge(order: JudgeOrder): Promise<JudgeReply> {
    return this.#turns.run(() => this.#ask(order));
  }

  stop(): void {
    this.#end();
  }

  #ask(order: JudgeOrder): Promise<JudgeReply> {
    this.#idle?.clear();
    const thread = this.#thread ?? new JudgingThread();
    this.#thread = thread;
    return new Promise((resolve, reject) => {
      const settle = (reply: JudgeReply | undefined): void => {
        timer.clear();
        if (reply === undefined) {
          this.#end();
          const refusal = { retryAfterMs: RETRY_MS };
          reject(new NvrdError("NOT_AVAILABLE", "the password could not be judged in time", refusal));
        } else {
          this.#idle = this.#clock.setTimeout(() => this.#end(), IDLE_MS_MAX);
          resolve(reply);
        }
      };
      const timer = this.#clock.setTimeout(() => settle(undefined), JUDGE_MS_MAX);
      thread.ask(order, settle);
    });
  }

  #end(): void {
    this.#idle?.clear();
    this.#thread?.end();
    this.#thread = undefined;
  }
}

/** Threads that it takes of the system. */
const JUDGE_THREADS = 2;

/** The thread; it answers one order at a time. */
class JudgingThread {
  readonly #worker: Worker;
  #listener: ((reply: JudgeReply | undefined) => void) | undefined;

  /** Throws NvrdError NOT_AVAILABLE where the system has no thread for it. */
  constructor() {
    if (!hasSpareThreads(JUDGE_THREADS))
      throw new NvrdError("NOT_AVAILABLE", "the system has no thread that could judge the password");
    const options = { execArgv: [], resourceLimits: RESOURCE_LIMITS, name: "password" };
    this.#worker = new Worker(builtScript(import.meta.url, "password-judge-worker"), options);
    this.#worker.on("message", (reply: JudgeReply) => this.#answer(reply));
    // Out of memory, or a fault of ours: it ends, and another one is started.
    this.#worker.on("error", () => this.#answer(undefined));
    this.#worker.on("exit", () => this.#answer(undefined));
  }

  /** `onReply` gets undefined when the thread has ended by itself. */
  ask(order: JudgeOrder, onReply: (reply: JudgeReply | undefined) => void): void {
    this.#listener = onReply;
    this.#worker.ref();
    this.#worker.postMessage(order);
  }

  end(): void {
    this.#listener = undefined;
    void this.#worker.terminate();
  }

  #answer(reply: JudgeReply | undefined): void {
    this.#worker.unref();
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.(reply);
  }
}
