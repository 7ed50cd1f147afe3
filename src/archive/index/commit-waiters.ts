interface Waiter {
  readonly generation: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Callers that wait until a generation of index changes is durable. */
export class CommitWaiters {
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  /** Resolves when the generation is durable; rejects with the error of `fail`. */
  durable(generation: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ generation, resolve, reject }));
  }

  /** The generation, and all before it, are durable. */
  settle(generation: number): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => waiter.generation > generation);
    for (const waiter of waiters) if (waiter.generation <= generation) waiter.resolve();
  }

  /** Nothing will become durable after this. */
  fail(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }
}
