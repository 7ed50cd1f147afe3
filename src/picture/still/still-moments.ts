import type { Clock } from "../../base/index.js";

/** Most moments remembered; the least recently used one is dropped. Each takes some 300 bytes. */
export const MOMENTS_MAX = 8192;

interface Moment {
  readonly frame: string;
  readonly untilUs: number;
}

/** Remembers for a while which frame a source had, so that a cached still is found without reading the disk. */
export class StillMoments {
  readonly #moments = new Map<string, Moment>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): string | undefined {
    const moment = this.#moments.get(key);
    if (moment === undefined) return undefined;
    this.#moments.delete(key);
    if (moment.untilUs <= this.#clock.monotonicUs()) return undefined;
    this.#moments.set(key, moment);
    return moment.frame;
  }

  set(key: string, frame: string, keptMs: number): void {
    this.#moments.delete(key);
    this.#moments.set(key, { frame, untilUs: this.#clock.monotonicUs() + keptMs * 1000 });
    if (this.#moments.size <= MOMENTS_MAX) return;
    const oldest = this.#moments.keys().next();
    if (oldest.done !== true) this.#moments.delete(oldest.value);
  }
}
