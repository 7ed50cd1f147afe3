import type { EventRecord } from "./types.js";

/** Limits of the queue. Normally it holds the events of one tick; more only while the disk is full or defective. */
const QUEUE_EVENTS_MAX = 50_000;
export const QUEUE_BYTES_MAX = 16 * 1024 * 1024;
/** Memory of an event besides its texts: the object and its queue entry. */
const RECORD_BYTES = 256;

export interface EventQueueBounds {
  readonly eventsMax: number;
  readonly bytesMax: number;
}

interface Waiting {
  readonly record: EventRecord;
  readonly bytes: number;
}

/**
 * Events waiting to be written. If there are too many, the oldest information event is dropped first, then the oldest alarm or
 * error. Events being written stay here until the write has ended, so that a search finds them.
 */
export class EventQueue {
  readonly #bounds: EventQueueBounds;
  /** By sequence, in the order of arrival. */
  readonly #information = new Map<number, Waiting>();
  readonly #important = new Map<number, Waiting>();
  #taken: readonly Waiting[] = [];
  #bytes = 0;

  constructor(bounds: EventQueueBounds = { eventsMax: QUEUE_EVENTS_MAX, bytesMax: QUEUE_BYTES_MAX }) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#information.size + this.#important.size + this.#taken.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds an event; returns how many others were dropped. */
  push(record: EventRecord): number {
    const waiting = { record, bytes: bytesOf(record) };
    (record.category === 0 ? this.#information : this.#important).set(record.sequence, waiting);
    this.#bytes += waiting.bytes;
    let dropped = 0;
    while (this.size > this.#bounds.eventsMax || this.#bytes > this.#bounds.bytesMax) {
      if (!this.#dropOldest()) break;
      dropped += 1;
    }
    return dropped;
  }

  /** The next events to write, within the bounds: those taken before and not settled, otherwise new ones in order. */
  take(bounds: EventQueueBounds): readonly EventRecord[] {
    if (this.#taken.length === 0) {
      const taken: Waiting[] = [];
      for (let bytes = 0; taken.length < bounds.eventsMax && bytes < bounds.bytesMax; ) {
        const next = this.#shiftNext();
        if (next === undefined) break;
        taken.push(next);
        bytes += next.bytes;
      }
      this.#taken = taken;
    }
    return this.#taken.map(({ record }) => record);
  }

  /** Removes the taken events: they are on the disk. */
  settle(): void {
    for (const { bytes } of this.#taken) this.#bytes -= bytes;
    this.#taken = [];
  }

  /** Renumbers all events in order, starting with `from`. Returns the next free number. No events may be taken. */
  renumber(from: number): number {
    const waiting = [...this].sort((a, b) => a.sequence - b.sequence);
    this.#information.clear();
    this.#important.clear();
    this.#bytes = 0;
    let sequence = from;
    for (const record of waiting) this.push({ ...record, sequence: sequence++ });
    return sequence;
  }

  *[Symbol.iterator](): Generator<EventRecord> {
    for (const { record } of this.#taken) yield record;
    for (const { record } of this.#information.values()) yield record;
    for (const { record } of this.#important.values()) yield record;
  }

  #shiftNext(): Waiting | undefined {
    const information = first(this.#information);
    const important = first(this.#important);
    if (information === undefined && important === undefined) return undefined;
    const isInformation =
      important === undefined ||
      (information !== undefined && information.record.sequence < important.record.sequence);
    const next = isInformation ? information : important;
    if (next !== undefined)
      (isInformation ? this.#information : this.#important).delete(next.record.sequence);
    return next;
  }

  #dropOldest(): boolean {
    const queue = this.#information.size > 0 ? this.#information : this.#important;
    const oldest = first(queue);
    if (oldest === undefined) return false;
    queue.delete(oldest.record.sequence);
    this.#bytes -= oldest.bytes;
    return true;
  }
}

function first(queue: ReadonlyMap<number, Waiting>): Waiting | undefined {
  for (const waiting of queue.values()) return waiting;
  return undefined;
}

/** The approximate memory of an event. */
function bytesOf(record: EventRecord): number {
  let bytes = RECORD_BYTES + record.comment.length + record.description.length;
  bytes += record.channelName.length + record.initiator.name.length;
  for (const [name, value] of Object.entries(record.fields ?? {}))
    bytes += name.length + (typeof value === "string" ? value.length : value.join("").length);
  return bytes;
}
