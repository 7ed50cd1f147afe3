import { type Clock, createLog } from "../../../src/base/index.js";
import { recordOf } from "../../../src/event/event-input.js";
import { EventListeners } from "../../../src/event/event-listeners.js";
import {
  EVENT_TYPE_LIST,
  type EventInput,
  type EventLog,
  type EventMoments,
  type EventMomentsQuery,
  type EventQuery,
  type EventRecord,
  type EventSubscription,
  type EventType,
} from "../../../src/event/index.js";

/** Events of a search are handed out in batches of this many. */
const BATCH_EVENTS = 100;

/** An event log in memory; `test/event/log-contract.test.ts` holds it to what the real one does. */
export class MemoryEventLog implements EventLog {
  readonly types: readonly EventType[];
  readonly raised: EventRecord[] = [];
  keptSinceUs = 0;
  /** Searches that have begun and not ended. */
  searches = 0;
  /** Searches reject with it, while it is set. */
  fault: Error | undefined;
  readonly #clock: Clock;
  readonly #listeners = new EventListeners(createLog({ level: "silent" }));
  /** Open subscriptions. */
  listeners = 0;

  constructor(clock: Clock, types: readonly EventType[] = EVENT_TYPE_LIST) {
    this.#clock = clock;
    this.types = types;
  }

  raise(input: EventInput): EventRecord {
    const moment = { sequence: this.raised.length + 1, nowUs: this.#clock.nowUs(), language: "en" } as const;
    const record = recordOf(input, moment);
    this.raised.push(record);
    this.#listeners.notify(record);
    return record;
  }

  async *search(query: EventQuery): AsyncGenerator<readonly EventRecord[]> {
    if (this.fault !== undefined) throw this.fault;
    this.searches += 1;
    try {
      const found = this.raised
        .filter((event) => matches(event, query))
        .sort((a, b) => a.timeUs - b.timeUs || a.sequence - b.sequence);
      const first = query.fromBegin ? 0 : Math.max(0, found.length - query.limit);
      const answer = found.slice(first, first + query.limit);
      for (let at = 0; at < answer.length; at += BATCH_EVENTS) {
        await Promise.resolve();
        query.signal?.throwIfAborted();
        yield answer.slice(at, at + BATCH_EVENTS);
      }
    } finally {
      this.searches -= 1;
    }
  }

  async *moments(query: EventMomentsQuery): AsyncGenerator<EventMoments> {
    const found = await Promise.resolve(
      this.raised.filter((event) => matches(event, { ...query, limit: 0, fromBegin: true })),
    );
    for (const { typeId, channelId, category, initiator, timeUs } of found) {
      const { type: initiatorType, id: initiatorId } = initiator;
      yield { typeId, channelId, category, initiatorType, initiatorId, timesUs: [timeUs] };
    }
  }

  onEvent(listener: (event: EventRecord) => void): EventSubscription {
    const subscription = this.#listeners.add(listener);
    this.listeners += 1;
    let isOpen = true;
    return {
      close: () => {
        if (isOpen) this.listeners -= 1;
        isOpen = false;
        subscription.close();
      },
    };
  }
}

function matches(event: EventRecord, query: EventQuery): boolean {
  return (
    event.timeUs >= query.fromUs &&
    event.timeUs <= query.toUs &&
    query.typeIds?.has(event.typeId) !== false &&
    query.text?.fits(event) !== false &&
    query.channelIds?.has(event.channelId) !== false &&
    query.categories?.has(event.category) !== false &&
    query.initiatorTypes?.has(event.initiator.type) !== false &&
    (query.initiatorIds?.has(event.initiator.id) !== false ||
      (query.externalModules === true && event.initiator.type === 8))
  );
}
