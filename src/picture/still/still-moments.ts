import type { Clock } from "../../base/index.js";

/** Moments remembered; the one unused for longest gives way. Each costs some 300 bytes. */
export const MOMENTS_MAX = 8192;

interface Moment {
  readonly frame: string;
  readonly untilUs: number;
}

/** Which frame a source had when it was last looked up, for a while: so that a kept still is found without a disk. */
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
