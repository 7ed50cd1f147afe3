import type { Clock, ClockKnowledge, ClockSet, Guid, Log } from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import { BootTimes, REDATE_US_MIN } from "./boot-times.js";
import type { Epochs } from "./epochs.js";
import { FrameDating } from "./frame-dating.js";

export interface ArchiveClockOptions {
  readonly knowledge: ClockKnowledge;
  readonly clock: Clock;
  readonly bootId: Guid;
  readonly dataDir: string;
  /** Segments that are being written. */
  readonly openSegments: () => number;
  readonly notice: ArchiveNoticeListener;
  readonly log: Log;
}

/** Handles a clock that becomes known or steps: redates recordings, opens epochs. */
export class ArchiveClock {
  readonly dating: FrameDating;
  readonly bootTimes: BootTimes;
  readonly #options: ArchiveClockOptions;
  #openAtSet = 0;

  constructor(options: ArchiveClockOptions) {
    this.#options = options;
    this.dating = new FrameDating(options.knowledge, options.clock);
    this.bootTimes = new BootTimes(options);
  }

  /** Whether the wall clock is known to be set. Until then nothing is deleted because of its age. */
  get isKnown(): boolean {
    return this.#options.knowledge.isKnown;
  }

  /** Segments that were being written when the clock became known, asked for once: they are dated when they are closed. */
  takeOpenAtSet(bootId: Guid): number {
    const open = bootId === this.#options.bootId ? this.#openAtSet : 0;
    this.#openAtSet -= open;
    return open;
  }

  /** Reads what was kept and follows the clock from now on; `epochs` has started. */
  start(epochs: Epochs): void {
    const { knowledge, notice } = this.#options;
    this.bootTimes.start();
    // If the service was killed before it stored this, it is stored now.
    if (knowledge.set !== undefined) this.#onSet(knowledge.set, epochs);
    knowledge.onSet((set) => {
      this.#onSet(set, epochs);
      if (Math.abs(set.shiftUs) <= REDATE_US_MIN)
        notice({ kind: "clock-set", shiftUs: set.shiftUs, segmentsRedated: 0 });
    });
    knowledge.onStepped((shiftUs) => {
      epochs.clockStepped(shiftUs);
      notice({ kind: "clock-stepped", shiftUs });
    });
  }

  stop(): Promise<void> {
    return this.bootTimes.stop();
  }

  /** Segments that are closed from now on are dated so at once, those in the index by `Redating`. */
  #onSet({ offsetUs, shiftUs, provisionalFromUs }: ClockSet, epochs: Epochs): void {
    const { bootId, clock } = this.#options;
    if (Math.abs(shiftUs) <= REDATE_US_MIN || this.bootTimes.has(bootId)) return;
    this.#openAtSet = this.#options.openSegments();
    const toUs = clock.nowUs() - shiftUs + REDATE_US_MIN;
    const epochShift = epochs.redate(shiftUs);
    const times = { offsetUs, shiftUs, epochShift, fromUs: provisionalFromUs, toUs };
    this.bootTimes.add({ bootId, ...times, pending: true });
  }
}
