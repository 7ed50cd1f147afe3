import { type Guid, type Interval, US_PER_DAY } from "../../base/index.js";
import type { TimelineEventGroup } from "../../contract/answer/index.js";
import type { EventInitiatorType, EventLog, EventMoments, EventRecord } from "../../event/index.js";
import { groupOf } from "./event-groups.js";

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
  /** By channel, then day; the channel that was asked for last is the last. */
  readonly #days = new Map<Guid, Map<number, Day>>();
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
    const days = this.#days.get(channelId) ?? new Map<number, Day>();
    this.#days.delete(channelId);
    this.#days.set(channelId, days);
    for (let day = dayOf(fromUs); day <= last; day++) {
      const kept = days.get(day);
      if (kept === undefined) {
        let missing = day + 1;
        while (missing <= last && !days.has(missing)) missing++;
        found.push(...(await this.#read(channelId, day, missing)));
        day = missing - 1;
      } else for (const kind of kept.kinds.values()) found.push(kind);
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
      for await (const moments of this.#events.moments(query)) {
        const kind = kindOf(moments);
        if (kind !== undefined)
          for (const timeUs of moments.timesUs) add(days.get(dayOf(timeUs)), kind, timeUs);
      }
    } finally {
      for (const day of days.keys()) this.#reading.delete(dayKey(channelId, day));
    }
    const kept = this.#days.get(channelId);
    for (const [day, read] of reading.isLate || kept === undefined ? [] : days) {
      // Two requests may have read it at once.
      this.#count += read.count - (kept?.get(day)?.count ?? 0);
      kept?.set(day, read);
    }
    return [...days.values()].flatMap(({ kinds }) => [...kinds.values()]);
  }

  #take(event: EventRecord): void {
    const key = dayKey(event.channelId, dayOf(event.timeUs));
    const reading = this.#reading.get(key);
    if (reading !== undefined) reading.isLate = true;
    const day = this.#days.get(event.channelId)?.get(dayOf(event.timeUs));
    if (day === undefined) return;
    const { typeId, timeUs, initiator } = event;
    const kind = kindOf({ typeId, initiatorType: initiator.type, initiatorId: initiator.id });
    if (kind === undefined) return;
    this.#count -= day.count;
    add(day, kind, timeUs);
    this.#count += day.count;
  }

  #forgetOldest(): void {
    for (const [channelId, days] of this.#days) {
      if (this.#count <= MOMENTS_KEPT_MAX) return;
      for (const { count } of days.values()) this.#count -= count;
      this.#days.delete(channelId);
    }
  }
}

type Kind = Omit<Moments, "timesUs"> & { readonly name: string };

/** Undefined for events that the timeline does not show. */
function kindOf({
  typeId,
  initiatorType,
  initiatorId,
}: Pick<EventMoments, "typeId" | "initiatorType" | "initiatorId">): Kind | undefined {
  const group = groupOf(typeId);
  if (group === undefined) return undefined;
  return { name: `${group} ${initiatorType} ${initiatorId}`, group, initiatorType, initiatorId };
}

function add(day: Day | undefined, { name, group, initiatorType, initiatorId }: Kind, timeUs: number): void {
  if (day === undefined) return;
  const known = day.kinds.get(name);
  if (known === undefined) day.kinds.set(name, { group, initiatorType, initiatorId, timesUs: [timeUs] });
  else known.timesUs.push(timeUs);
  day.count += 1;
}

function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}

function dayKey(channelId: Guid, day: number): string {
  return `${channelId} ${day}`;
}
