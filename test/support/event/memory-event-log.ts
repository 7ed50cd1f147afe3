import { type Clock, EMPTY_GUID } from "../../../src/base/index.js";
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

/** An event log in memory, as the interface has it. */
export class MemoryEventLog implements EventLog {
  readonly types: readonly EventType[];
  readonly raised: EventRecord[] = [];
  /** Searches that have begun and not ended. */
  searches = 0;
  /** Searches reject with it, while it is set. */
  fault: Error | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<(event: EventRecord) => void>();

  constructor(clock: Clock, types: readonly EventType[] = EVENT_TYPE_LIST) {
    this.#clock = clock;
    this.types = types;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  raise(input: EventInput): EventRecord {
    const type = this.types.find((candidate) => candidate.id === input.typeId);
    if (type === undefined) throw new Error(`no event type ${input.typeId}`);
    const record: EventRecord = {
      sequence: this.raised.length + 1,
      typeId: input.typeId,
      timeUs: input.timeUs ?? this.#clock.nowUs(),
      channelId: input.channelId ?? EMPTY_GUID,
      channelName: input.channelName ?? "",
      comment: input.comment ?? "",
      description: input.description ?? type.name,
      category: input.category ?? type.category,
      initiator: input.initiator ?? { type: 0, id: EMPTY_GUID, name: "System" },
      fields: input.fields,
    };
    this.raised.push(record);
    for (const listener of this.#listeners) listener(record);
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
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }
}

function matches(event: EventRecord, query: EventQuery): boolean {
  return (
    event.timeUs >= query.fromUs &&
    event.timeUs <= query.toUs &&
    query.typeIds?.has(event.typeId) !== false &&
    query.channelIds?.has(event.channelId) !== false &&
    query.categories?.has(event.category) !== false &&
    query.initiatorTypes?.has(event.initiator.type) !== false &&
    (query.initiatorIds?.has(event.initiator.id) !== false ||
      (query.externalModules === true && event.initiator.type === 8))
  );
}
