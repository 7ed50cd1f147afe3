import { type Clock, type ClockTimer, type Guid, MS_PER_SECOND, US_PER_SECOND } from "../base/index.js";

/** What records a channel for some time: a scenario, with the initiator's type of its run. */
export interface TimedRecording {
  readonly type: 2 | 3 | 4;
  readonly id: Guid;
  readonly name: string;
}

interface Running {
  readonly by: TimedRecording;
  /** Monotonic. */
  readonly untilUs: number;
  readonly timer: ClockTimer;
}

/** The channels that are recorded for some time. Kept in memory alone: they last a day at most. */
export class TimedRecordings {
  readonly #clock: Clock;
  readonly #changed: (channelId: Guid) => void;
  readonly #running = new Map<Guid, Running>();

  constructor(clock: Clock, changed: (channelId: Guid) => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  of(channelId: Guid): TimedRecording | undefined {
    return this.#running.get(channelId)?.by;
  }

  /** Of two times for one channel the later end counts. */
  start(channelId: Guid, seconds: number, by: TimedRecording): void {
    const untilUs = this.#clock.monotonicUs() + seconds * US_PER_SECOND;
    const known = this.#running.get(channelId);
    if (known !== undefined && known.untilUs >= untilUs) return;
    known?.timer.clear();
    const timer = this.#clock.setTimeout(() => this.#end(channelId), seconds * MS_PER_SECOND);
    this.#running.set(channelId, { by: known?.by ?? by, untilUs, timer });
    this.#changed(channelId);
  }

  /** Ends those of channels that `keep` does not want. */
  retain(keep: (channelId: Guid) => boolean): void {
    for (const [channelId, { timer }] of this.#running) {
      if (keep(channelId)) continue;
      timer.clear();
      this.#running.delete(channelId);
    }
  }

  stop(): void {
    this.retain(() => false);
  }

  #end(channelId: Guid): void {
    this.#running.delete(channelId);
    this.#changed(channelId);
  }
}
