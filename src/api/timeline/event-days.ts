import { type Guid, US_PER_DAY } from "../../base/index.js";
import type { EventInitiatorType, EventLog, EventMoments, EventRecord } from "../../event/index.js";
import type { TimelineEventGroup } from "../../messages/index.js";
import { groupOf } from "./event-groups.js";
import type { Interval } from "./intervals.js";

/** Moments kept in memory: eight bytes each. Beyond it, the days that were asked for longest ago are read again. */
const MOMENTS_KEPT_MAX = 2_000_000;
/** A day without any counts as some: its entry takes memory too. */
const DAY_MOMENTS_MIN = 16;

/** The moments of one kind of event of a channel. */
export interface Moments {
  readonly group: TimelineEventGroup | "motion";
  readonly initiatorType: EventInitiatorType;
  readonly initiatorId: Guid;
  /** Unix microseconds, in no order. */
  readonly timesUs: readonly number[];
}

interface Day {
  readonly kinds: Map<string, Moments & { readonly timesUs: number[] }>;
  count: number;
}

/**
 * When the events of channels happened, kept in memory by UTC day: a month of motion has a hundred thousand of them. Days are
 * read when they are asked for first, and followed from then on.
 */
export class EventDays {
  readonly #events: EventLog;
  /** By `dayKey`; the one that was asked for last is the last. */
  readonly #days = new Map<string, Day>();
  /** Days being read, and whether an event of theirs was raised meanwhile. */
  readonly #reading = new Map<string, { isLate: boolean }>();
  #count = 0;
  #isListening = false;

  constructor(events: EventLog) {
    this.#events = events;
  }

  /** Of the days that overlap a time. Rejects with NvrdError NOT_AVAILABLE if the log cannot be read. */
  async of(channelId: Guid, { fromUs, toUs }: Interval): Promise<readonly Moments[]> {
    if (!this.#isListening) this.#events.onEvent((event) => this.#take(event));
    this.#isListening = true;
    const found: Moments[] = [];
    const last = dayOf(toUs - 1);
    for (let day = dayOf(fromUs); day <= last; day++) {
      const kept = this.#days.get(dayKey(channelId, day));
      if (kept === undefined) {
        let missing = day + 1;
        while (missing <= last && !this.#days.has(dayKey(channelId, missing))) missing++;
        found.push(...(await this.#read(channelId, day, missing)));
        day = missing - 1;
      } else {
        this.#days.delete(dayKey(channelId, day));
        this.#days.set(dayKey(channelId, day), kept);
        found.push(...kept.kinds.values());
      }
    }
    this.#forgetOldest();
    return found;
  }

  /** Reads the days from `first` to before `end`, and keeps those to which nothing was added meanwhile. */
  async #read(channelId: Guid, first: number, end: number): Promise<Moments[]> {
    const days = new Map<number, Day>();
    const reading = { isLate: false };
    for (let day = first; day < end; day++) {
      days.set(day, { kinds: new Map(), count: DAY_MOMENTS_MIN });
      this.#reading.set(dayKey(channelId, day), reading);
    }
    const query = {
      fromUs: first * US_PER_DAY,
      toUs: end * US_PER_DAY - 1,
      channelIds: new Set([channelId]),
    };
    try {
      for await (const moments of this.#events.moments(query))
        for (const timeUs of moments.timesUs) add(days.get(dayOf(timeUs)), moments, timeUs);
    } finally {
      for (const day of days.keys()) this.#reading.delete(dayKey(channelId, day));
    }
    for (const [day, read] of reading.isLate ? [] : days) {
      this.#days.set(dayKey(channelId, day), read);
      this.#count += read.count;
    }
    return [...days.values()].flatMap(({ kinds }) => [...kinds.values()]);
  }

  #take(event: EventRecord): void {
    const key = dayKey(event.channelId, dayOf(event.timeUs));
    const reading = this.#reading.get(key);
    if (reading !== undefined) reading.isLate = true;
    const day = this.#days.get(key);
    if (day === undefined) return;
    const { typeId, timeUs, initiator } = event;
    this.#count -= day.count;
    add(day, { typeId, initiatorType: initiator.type, initiatorId: initiator.id }, timeUs);
    this.#count += day.count;
  }

  #forgetOldest(): void {
    for (const [key, { count }] of this.#days) {
      if (this.#count <= MOMENTS_KEPT_MAX) return;
      this.#days.delete(key);
      this.#count -= count;
    }
  }
}

function add(
  day: Day | undefined,
  { typeId, initiatorType, initiatorId }: Pick<EventMoments, "typeId" | "initiatorType" | "initiatorId">,
  timeUs: number,
): void {
  const group = groupOf(typeId);
  if (day === undefined || group === undefined) return;
  const name = `${group} ${initiatorType} ${initiatorId}`;
  const kind = day.kinds.get(name);
  if (kind === undefined) day.kinds.set(name, { group, initiatorType, initiatorId, timesUs: [timeUs] });
  else kind.timesUs.push(timeUs);
  day.count += 1;
}

function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}

function dayKey(channelId: Guid, day: number): string {
  return `${channelId} ${day}`;
}
