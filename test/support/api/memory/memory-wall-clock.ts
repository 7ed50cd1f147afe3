import type { Clock, ClockWitness } from "../../../../src/base/time/clock.js";
import type { WallClock } from "../../../../src/owner/system/states.js";

/** A wall clock that somebody vouches for, or nobody. */
export class MemoryWallClock implements WallClock {
  knownBy: ClockWitness | undefined = "time-server";
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isKnown(): boolean {
    return this.knownBy !== undefined;
  }

  nowUs(): number {
    return this.#clock.nowUs();
  }

  trust(): void {
    this.knownBy ??= "operator";
  }
}
