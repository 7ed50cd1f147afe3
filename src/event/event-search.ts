import { seriesOf } from "./event-input.js";
import {
  comparePositions,
  type EventPosition,
  POSITION_HIGHEST,
  positionAfter,
  positionBefore,
  SEQUENCE_MAX,
  TIME_US_MAX,
} from "./event-key.js";
import type { EventStore } from "./event-store.js";
import { PositionMerge, type PositionSource } from "./position-merge.js";
import { isSelective, matches } from "./series.js";
import { MIXED_SERIES } from "./series-table.js";
import type { EventQuery, EventRecord } from "./types.js";

/** Maximum number of events in one answer. For the last events of an interval, all positions are held in memory. */
export const SEARCH_EVENTS_MAX = 1_000_000;
/** Maximum number of events, and approximate maximum of bytes, per batch. */
const SEARCH_BATCH_EVENTS_MAX = 256;
const SEARCH_BATCH_BYTES_MAX = 1024 * 1024;
/** Work per turn of the event loop: merged positions, where reading a source counts as several. */
const TURN_COST_MAX = 1024;
const READ_COST = 4;
const SOURCE_POSITIONS_MAX = 512;
const SOURCE_POSITIONS_MIN = 8;

export interface EventSearchOptions {
  /** Undefined while the log is not open. */
  readonly store: EventStore | undefined;
  /** Events not yet on the disk. */
  readonly waiting: Iterable<EventRecord>;
  readonly query: EventQuery;
}

/**
 * One search: merges queued events, written events that are not indexed yet, and the index. Finds all events that existed when
 * the search began, whatever is written meanwhile. No read of LMDB spans several turns of the event loop.
 */
export class EventSearch {
  readonly #store: EventStore | undefined;
  readonly #query: EventQuery;
  readonly #isSelective: boolean;
  readonly #waiting = new Map<number, EventRecord>();
  readonly #merge: PositionMerge;

  constructor(options: EventSearchOptions) {
    const { store, query } = options;
    this.#store = store;
    this.#query = query;
    this.#isSelective = isSelective(query);
    for (const record of options.waiting) {
      if (isWithin(record, query) && matches(seriesOf(record), query))
        this.#waiting.set(record.sequence, record);
    }
    this.#merge = new PositionMerge(this.#sources(), { reverse: !query.fromBegin });
  }

  /** The events, ascending. */
  async *batches(): AsyncGenerator<readonly EventRecord[]> {
    if (this.#query.fromBegin) {
      for await (const positions of this.#positions()) yield* this.#batchesOf(positions);
      return;
    }
    const last: EventPosition[] = [];
    for await (const positions of this.#positions()) for (const position of positions) last.push(position);
    last.reverse();
    for (let at = 0; at < last.length; at += SEARCH_BATCH_EVENTS_MAX) {
      if (at > 0) await nextTurn();
      this.#query.signal?.throwIfAborted();
      yield* this.#batchesOf(last.slice(at, at + SEARCH_BATCH_EVENTS_MAX));
    }
  }

  /** At most `limit` positions in the direction of the search, each array within one turn of the event loop. */
  async *#positions(): AsyncGenerator<readonly EventPosition[]> {
    let left = this.#query.limit;
    while (left > 0) {
      this.#query.signal?.throwIfAborted();
      const positions: EventPosition[] = [];
      let isEnd = false;
      let cost = 0;
      while (cost < TURN_COST_MAX && positions.length < SEARCH_BATCH_EVENTS_MAX && left > 0 && !isEnd) {
        const step = this.#merge.step();
        cost += step === "working" ? READ_COST : 1;
        if (step === undefined) isEnd = true;
        else if (step !== "working") {
          positions.push(step);
          left -= 1;
        }
      }
      if (positions.length > 0) yield positions;
      if (isEnd) return;
      await nextTurn();
    }
  }

  *#batchesOf(positions: readonly EventPosition[]): Generator<readonly EventRecord[]> {
    let batch: EventRecord[] = [];
    let bytes = 0;
    for (const position of positions) {
      const found = this.#read(position);
      if (found === undefined) continue;
      batch.push(found.record);
      bytes += found.bytes;
      if (bytes < SEARCH_BATCH_BYTES_MAX) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) yield batch;
  }

  #read(position: EventPosition): { readonly record: EventRecord; readonly bytes: number } | undefined {
    const waiting = this.#waiting.get(position.sequence);
    if (waiting !== undefined) return { record: waiting, bytes: 0 };
    const found = this.#store?.read(position);
    // A damaged index key may refer to an event outside the search.
    if (found === undefined || !this.#isSelective) return found;
    return matches(seriesOf(found.record), this.#query) ? found : undefined;
  }

  #sources(): PositionSource[] {
    const store = this.#store;
    const reverse = !this.#query.fromBegin;
    const sources = [new ListSource([...this.#waiting.values()].map(positionIn), reverse)];
    if (store === undefined) return sources;
    if (!this.#isSelective) return [...sources, this.#scan(store, undefined, 1)];
    const numbers = store.series.select(this.#query);
    const wanted = new Set(numbers);
    const recent = [...store.recent].filter(
      ({ position, series }) =>
        isWithin(position, this.#query) && wanted.has(series) && this.#isWanted(series, position),
    );
    return [
      ...sources,
      new ListSource(
        recent.map(({ position }) => position),
        reverse,
      ),
      ...numbers.map((number) => this.#scan(store, number, numbers.length)),
    ];
  }

  /** Whether an event on the disk matches; events of the mixed series must be read to decide. */
  #isWanted(series: number, position: EventPosition): boolean {
    return series !== MIXED_SERIES || this.#read(position) !== undefined;
  }

  #scan(store: EventStore, series: number | undefined, sources: number): PositionSource {
    return new StoreSource({
      store,
      series,
      query: this.#query,
      limit: Math.min(
        SOURCE_POSITIONS_MAX,
        Math.max(SOURCE_POSITIONS_MIN, Math.ceil(this.#query.limit / sources)),
      ),
      isWanted: (position) => series === undefined || this.#isWanted(series, position),
    });
  }
}

interface StoreSourceOptions {
  readonly store: EventStore;
  /** Undefined: all of them. */
  readonly series: number | undefined;
  readonly query: EventQuery;
  /** Positions read at a time. */
  readonly limit: number;
  readonly isWanted: (position: EventPosition) => boolean;
}

/** The positions of one series, or of all events, on the disk. */
class StoreSource implements PositionSource {
  readonly #options: StoreSourceOptions;
  #from: EventPosition;
  #to: EventPosition;

  constructor(options: StoreSourceOptions) {
    this.#options = options;
    const { fromUs, toUs } = options.query;
    this.#from = { timeUs: Math.max(0, fromUs), sequence: 0 };
    this.#to = toUs >= TIME_US_MAX ? POSITION_HIGHEST : { timeUs: toUs, sequence: SEQUENCE_MAX };
  }

  read(): { readonly positions: readonly EventPosition[]; readonly isEnd: boolean } {
    const { store, series, limit, query, isWanted } = this.#options;
    if (comparePositions(this.#from, this.#to) > 0) return { positions: [], isEnd: true };
    const reverse = !query.fromBegin;
    const range = { from: this.#from, to: this.#to, limit, reverse };
    const positions = series === undefined ? store.positions(range) : store.positionsOf(series, range);
    const last = positions.at(-1);
    if (last !== undefined && reverse) this.#to = positionBefore(last);
    else if (last !== undefined) this.#from = positionAfter(last);
    return { positions: positions.filter(isWanted), isEnd: positions.length < limit };
  }
}

/** Positions in memory. */
class ListSource implements PositionSource {
  readonly #positions: readonly EventPosition[];

  constructor(positions: readonly EventPosition[], reverse: boolean) {
    this.#positions = positions.toSorted((a, b) =>
      reverse ? comparePositions(b, a) : comparePositions(a, b),
    );
  }

  read() {
    return { positions: this.#positions, isEnd: true };
  }
}

function positionIn({ timeUs, sequence }: EventRecord): EventPosition {
  return { timeUs, sequence };
}

function isWithin({ timeUs }: EventPosition, query: EventQuery): boolean {
  return timeUs >= query.fromUs && timeUs <= query.toUs;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
