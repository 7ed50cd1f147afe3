import { type Clock, type Guid, US_PER_MINUTE } from "../../base/index.js";

/** Starts of one scenario by events in a minute: a loop over a camera, such as one that moves and sees motion, ends here. */
export const EVENT_STARTS_PER_MINUTE_MAX = 6;

interface Starts {
  /** Monotonic, within the last minute. */
  timesUs: number[];
  isReported: boolean;
}

/** How often events have started each scenario lately. */
export class StartRate {
  readonly #clock: Clock;
  readonly #starts = new Map<Guid, Starts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `refused-first`: the first refusal of a series, which is reported. */
  take(scenarioId: Guid): "taken" | "refused" | "refused-first" {
    const nowUs = this.#clock.monotonicUs();
    const starts = this.#starts.get(scenarioId) ?? { timesUs: [], isReported: false };
    this.#starts.set(scenarioId, starts);
    starts.timesUs = starts.timesUs.filter((us) => us > nowUs - US_PER_MINUTE);
    if (starts.timesUs.length < EVENT_STARTS_PER_MINUTE_MAX) {
      if (starts.timesUs.length === 0) starts.isReported = false;
      starts.timesUs.push(nowUs);
      return "taken";
    }
    const isFirst = !starts.isReported;
    starts.isReported = true;
    return isFirst ? "refused-first" : "refused";
  }

  retain(isThere: (scenarioId: Guid) => boolean): void {
    for (const id of this.#starts.keys()) if (!isThere(id)) this.#starts.delete(id);
  }
}
