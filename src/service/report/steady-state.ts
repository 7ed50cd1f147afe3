import { type Clock, type ClockTimer, US_PER_MS } from "../../base/index.js";

/** A change must last this long before it is reported. */
export const CONFIRM_MS = 5000;
/** After this many failures within FLAP_WINDOW_MS, however short, the return must last FLAP_CONFIRM_MS. */
export const FLAPS_MAX = 6;
export const FLAP_WINDOW_MS = 3_600_000;
export const FLAP_CONFIRM_MS = 600_000;

export interface SteadyChange {
  readonly holds: boolean;
  /** What was said with the newest turn. */
  readonly reason: string;
  /** Turns back and forth, too short to be told, since the last change that was. */
  readonly untold: number;
}

export interface SteadyStateOptions {
  /** What is taken as told at the start. */
  readonly holds: boolean;
  readonly clock: Clock;
  /** Called for each change that lasts. */
  readonly tell: (change: SteadyChange) => void;
}

/**
 * Reports changes of a state that may flap: only those that last a while, and the recovery of one that fails repeatedly only
 * after a long time. So what flaps is told of a few times, and then as lost until it holds.
 */
export class SteadyState {
  readonly #options: SteadyStateOptions;
  readonly #failuresUs: number[] = [];
  #told: boolean;
  #holds: boolean;
  #reason = "";
  #untold = 0;
  #timer: ClockTimer | undefined;

  constructor(options: SteadyStateOptions) {
    this.#options = options;
    this.#told = options.holds;
    this.#holds = options.holds;
  }

  /** Sets the present state. Repeating it only updates the reason. */
  set(holds: boolean, reason = ""): void {
    this.#reason = reason;
    if (this.#holds && !holds) this.#failuresUs.push(this.#options.clock.monotonicUs());
    if (this.#failuresUs.length > FLAPS_MAX) this.#failuresUs.shift();
    this.#holds = holds;
    if (holds === this.#told) {
      if (this.#timer !== undefined) this.#untold += 1;
      this.cancel();
    } else {
      const delayMs = holds && this.#flaps() ? FLAP_CONFIRM_MS : CONFIRM_MS;
      this.#timer ??= this.#options.clock.setTimeout(() => this.#confirm(holds), delayMs);
    }
  }

  /** It was told elsewhere how it stands; a change from that is told when it lasts. */
  settle(holds: boolean): void {
    this.cancel();
    this.#holds = holds;
    this.#told = holds;
    this.#untold = 0;
  }

  /** Forgets a change that has not lasted yet: the present state is unknown. */
  cancel(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #confirm(holds: boolean): void {
    this.#timer = undefined;
    this.#told = holds;
    const untold = this.#untold;
    this.#untold = 0;
    this.#options.tell({ holds, reason: this.#reason, untold });
  }

  #flaps(): boolean {
    const [first] = this.#failuresUs;
    if (first === undefined || this.#failuresUs.length < FLAPS_MAX) return false;
    const agoUs = this.#options.clock.monotonicUs() - first;
    return agoUs < FLAP_WINDOW_MS * US_PER_MS;
  }
}
