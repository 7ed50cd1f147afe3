import type { ConnectionCounter } from "./connection-counter.js";
import type { KernelConnections } from "./kernel-connections.js";

/**
 * Connections over TLS that strangers may have at once. Whoever opens one can send what begins a handshake at any time, all of them at
 * the same moment, and answering one takes the main thread a third of a millisecond on a quick machine.
 */
export const STRANGERS_OVER_TLS_MAX = 64;
/** What a handshake takes of the main thread, in milliseconds. */
export const HANDSHAKE_MS = 0.5;

export interface StrangerHandshakesOptions {
  readonly counter: Pick<ConnectionCounter, "counts">;
  readonly kernel: Pick<KernelConnections, "begun">;
  /** Whether nobody has logged in from there, and it is no proxy that is named. */
  readonly isStranger: (address: string) => boolean;
}

/** How many connections over TLS strangers have: as the kernel said last, and those that came since. */
export class StrangerHandshakes {
  readonly #options: StrangerHandshakesOptions;
  #counts: ReadonlyMap<string, number> | undefined;
  #read = 0;
  /** Those that came since the reading that counts, and since the one that is under way. */
  #since = 0;
  #late = 0;
  #begun = 0;

  constructor(options: StrangerHandshakesOptions) {
    this.#options = options;
  }

  /** Whether strangers have as many as they may, before one more comes. */
  isFull(): boolean {
    const { counter, kernel, isStranger } = this.#options;
    const counts = counter.counts();
    if (counts !== this.#counts) {
      // A first reading that was waited for has all of them; one that has not come yet has none.
      if (this.#counts !== undefined) this.#since = this.#late;
      else if (counts.size > 0) this.#since = 0;
      this.#counts = counts;
      this.#read = 0;
      for (const [address, count] of counts) if (isStranger(address)) this.#read += count;
    }
    if (kernel.begun !== this.#begun) {
      this.#begun = kernel.begun;
      this.#late = 0;
    }
    return this.#read + this.#since >= STRANGERS_OVER_TLS_MAX;
  }

  /** One has come. */
  add(): void {
    this.#since += 1;
    this.#late += 1;
  }

  /** One was ended for another one. */
  remove(): void {
    this.#since -= 1;
  }
}
