import { NvrdError } from "../../../src/base/index.js";
import type { Strangers } from "../../../src/rtsp/server/index.js";

/** Strangers whose time is up when a test says so. */
export class MemoryStrangers implements Strangers {
  /** What was counted, by address, in ms. */
  readonly spentMs = new Map<string, number>();
  hadTheirs = false;
  areDropped = false;
  readonly #known: ReadonlySet<string>;

  constructor(known: readonly string[] = []) {
    this.#known = new Set(known);
  }

  has(address: string): boolean {
    return !this.#known.has(address);
  }

  require(address: string): void {
    if (this.hadTheirs && this.has(address))
      throw new NvrdError("TOO_MANY_REQUESTS", "too much is asked", { retryAfterMs: 2500 });
  }

  drops(address: string): boolean {
    return this.areDropped && this.has(address);
  }

  spent(address: string, ms: number): void {
    this.spentMs.set(address, (this.spentMs.get(address) ?? 0) + ms);
  }
}
