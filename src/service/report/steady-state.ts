import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";

/** A change must last this long before it is reported. */
export const CONFIRM_MS = 5000;
/** After this many failures within FLAP_WINDOW_MS, however short, the return must last FLAP_CONFIRM_MS. */
export const FLAPS_MAX = 6;
export const FLAP_WINDOW_MS = 3_600_000;
export const FLAP_CONFIRM_MS = 600_000;

export interface SteadyChange {
  readonly holds: boolean;
  /** The reason given with the latest change. */
  readonly reason: string;
  /** Number of changes too short to be reported, since the last reported one. */
  readonly unreported: number;
}

export interface SteadyStateOptions {
  /** The initial state, regarded as reported. */
  readonly holds: boolean;
  readonly clock: Clock;
  /** Called for each lasting change. */
  readonly report: (change: SteadyChange) => void;
}

/**
 * Reports changes of a state that may flap. A change must last for a while; after repeated failures, the recovery must last
 * much longer. So a flapping state is reported a few times, and then as lost until it is stable.
 */
export class SteadyState {
  readonly #options: SteadyStateOptions;
  readonly #failuresUs: number[] = [];
  #reported: boolean;
  #holds: boolean;
  #reason = "";
  #unreported = 0;
  #timer: ClockTimer | undefined;

  constructor(options: SteadyStateOptions) {
    this.#options = options;
    this.#reported = options.holds;
    this.#holds = options.holds;
  }

  /** Sets the present state. Repeating it only updates the reason. */
  set(holds: boolean, reason = ""): void {
    this.#reason = reason;
    if (this.#holds && !holds) this.#failuresUs.push(this.#options.clock.monotonicUs());
    if (this.#failuresUs.length > FLAPS_MAX) this.#failuresUs.shift();
    this.#holds = holds;
    if (holds === this.#reported) {
      if (this.#timer !== undefined) this.#unreported += 1;
      this.cancel();
    } else {
      const delayMs = holds && this.#flaps() ? FLAP_CONFIRM_MS : CONFIRM_MS;
      this.#timer ??= this.#options.clock.setTimeout(() => this.#confirm(holds), delayMs);
    }
  }

  /** Sets the state regarded as reported, because it was reported elsewhere. */
  settle(holds: boolean): void {
    this.cancel();
    this.#holds = holds;
    this.#reported = holds;
    this.#unreported = 0;
  }

  /** Forgets a change that has not lasted yet: the present state is unknown. */
  cancel(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #confirm(holds: boolean): void {
    this.#timer = undefined;
    this.#reported = holds;
    const unreported = this.#unreported;
    this.#unreported = 0;
    this.#options.report({ holds, reason: this.#reason, unreported });
  }

  #flaps(): boolean {
    const [first] = this.#failuresUs;
    if (first === undefined || this.#failuresUs.length < FLAPS_MAX) return false;
    const agoUs = this.#options.clock.monotonicUs() - first;
    return agoUs < FLAP_WINDOW_MS * US_PER_MS;
  }
}
