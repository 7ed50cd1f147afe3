import type { ArchiveNotice } from "../../archive/index.js";
import { type Clock, type ClockKnowledge, type ClockSet, errorText, type Log } from "../../base/index.js";
import type { EventRecord, EventShift } from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";
import { noticeEvent } from "./event-mapping.js";

/** What is no further from the truth than this is left as it is, as recordings are. */
const SHIFT_US_MIN = 10_000_000;

export interface RedatedEventsOptions {
  readonly events: {
    redate(shift: EventShift): Promise<number | undefined>;
    raise(input: ReturnType<typeof noticeEvent>): EventRecord;
  };
  readonly site: Pick<SiteStore, "current">;
  readonly knowledge: ClockKnowledge;
  readonly clock: Clock;
  readonly log: Log;
}

/** Dates the events from before the clock was known anew, as the archive does its recordings, and reports both in one event. */
export class RedatedEvents {
  readonly #options: RedatedEventsOptions;
  #moved: Promise<number | undefined> = Promise.resolve(undefined);

  constructor(options: RedatedEventsOptions) {
    this.#options = options;
  }

  /** The event log must be started. What a run before in this boot could not finish is finished. */
  start(): void {
    const { knowledge } = this.#options;
    if (knowledge.set !== undefined) this.#redate(knowledge.set);
    knowledge.onSet((set) => this.#redate(set));
  }

  /** Raises the event of a notice. */
  report(notice: ArchiveNotice): void {
    const { events, site, knowledge } = this.#options;
    const isOfBoot = notice.kind === "clock-set" && notice.shiftUs === knowledge.set?.shiftUs;
    if (!isOfBoot) events.raise(noticeEvent(notice, site.current));
    else void this.#moved.then((moved) => events.raise(noticeEvent(notice, site.current, moved)));
  }

  #redate({ shiftUs, provisionalFromUs }: ClockSet): void {
    const { events, clock, log } = this.#options;
    if (Math.abs(shiftUs) <= SHIFT_US_MIN) return;
    const toUs = clock.nowUs() - shiftUs + SHIFT_US_MIN;
    this.#moved = events.redate({ fromUs: provisionalFromUs, toUs, shiftUs }).catch((error: unknown) => {
      log.error(`the times of events are not corrected: ${errorText(error)}`);
      return undefined;
    });
  }
}
