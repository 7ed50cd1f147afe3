import { NvrdError } from "../base/index.js";

/**
 * Whose checks go first: those of addresses that have logged in before, then those of new ones, then those of addresses
 * that have failed.
 */
export type Lane = "known" | "new" | "failed";

const LANES: readonly Lane[] = ["known", "new", "failed"];
/** Checks that wait, by lane. What waits longer than a client does is work for nothing. */
const WAITING_MAX: Readonly<Record<Lane, number>> = { known: 256, new: 128, failed: 64 };
/** Of one queue. */
const WAITING_PER_QUEUE_MAX = 64;
/** How long a login that was turned away should wait: the checks in the queue are done by then. */
const FULL_RETRY_MS = 5000;

interface Queue {
  readonly ended: Promise<void>;
  readonly waiting: number;
}

/** One check to do. */
export interface Turn {
  readonly lane: Lane;
  /** Checks of one queue are done one after the other. */
  readonly queue: string;
}

/**
 * Gives checks their turn: a few at a time, of one queue one at a time. One place is kept for addresses that have logged
 * in before, so that guessing from any number of addresses holds up none of them.
 */
export class Turns {
  readonly #atOnceMax: number;
  readonly #queues = new Map<string, Queue>();
  readonly #waiting: Record<Lane, number> = { known: 0, new: 0, failed: 0 };
  /** Those at the head of their queue that wait for a place. */
  readonly #ready: Record<Lane, (() => void)[]> = { known: [], new: [], failed: [] };
  #running = 0;
  #strangersRunning = 0;

  constructor(options: { readonly atOnceMax: number }) {
    this.#atOnceMax = options.atOnceMax;
  }

  /** Runs `work` in its turn. Rejects with TOO_MANY_REQUESTS when too much is waiting already. */
  async take<T>({ lane, queue }: Turn, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(queue);
    const waiting = (before?.waiting ?? 0) + 1;
    if (this.#waiting[lane] >= WAITING_MAX[lane] || waiting > WAITING_PER_QUEUE_MAX) {
      throw new NvrdError("TOO_MANY_REQUESTS", "too many logins are being checked", {
        retryAfterMs: FULL_RETRY_MS,
      });
    }
    this.#waiting[lane] += 1;
    const result = (before?.ended ?? Promise.resolve()).then(() => this.#run(lane, work));
    const end = (): void => this.#leave(lane, queue);
    this.#queues.set(queue, { ended: result.then(end, end), waiting });
    return await result;
  }

  async #run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#ready[lane].push(resolve);
      this.#fill();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (lane !== "known") this.#strangersRunning -= 1;
      this.#fill();
    }
  }

  /** Begins what may begin, in the order of the lanes. */
  #fill(): void {
    for (const lane of LANES) {
      const ready = this.#ready[lane];
      while (this.#hasPlace(lane)) {
        const begin = ready.shift();
        if (begin === undefined) break;
        this.#running += 1;
        if (lane !== "known") this.#strangersRunning += 1;
        begin();
      }
    }
  }

  #hasPlace(lane: Lane): boolean {
    if (this.#running >= this.#atOnceMax) return false;
    return lane === "known" || this.#strangersRunning < Math.max(1, this.#atOnceMax - 1);
  }

  #leave(lane: Lane, queue: string): void {
    this.#waiting[lane] -= 1;
    const last = this.#queues.get(queue);
    if (last === undefined || last.waiting === 1) this.#queues.delete(queue);
    else this.#queues.set(queue, { ...last, waiting: last.waiting - 1 });
  }
}
