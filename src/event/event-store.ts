import { type Language, NvrdError } from "../base/index.js";
import {
  EVENT_LOG_FORMAT,
  type EventChange,
  type EventEnvironment,
  FORMAT_KEY,
  type KeyRange,
} from "./event-environment.js";
import { seriesOf } from "./event-input.js";
import {
  EVENT_KEY_BYTES,
  type EventPosition,
  eventKey,
  numberKey,
  POSITION_HIGHEST,
  POSITION_LOWEST,
  positionOf,
  SERIES_KEY_BYTES,
  sequenceKey,
  seriesKey,
} from "./event-key.js";
import { packEvent, seriesNumberOf, unpackEvent } from "./event-value.js";
import { packSeries, unpackSeries } from "./series.js";
import { MIXED_SERIES, SERIES_MAX, SeriesTable } from "./series-table.js";
import type { EventRecord } from "./types.js";

/** Maximum number of written events that are not indexed yet; their keys are kept in memory. */
const RECENT_EVENTS_MAX = 2048;
/** A batch of this size is indexed at once, because it fills whole pages. */
const DIRECT_EVENTS_MIN = 256;
const SEQUENCE_KEY = Buffer.from("sequence");
const ALL_BYTES = Number.MAX_SAFE_INTEGER;
const KEY_LOWEST = Buffer.from([0]);
const KEY_HIGHEST = Buffer.alloc(SERIES_KEY_BYTES, 0xff);

/** A written event that is not indexed yet. */
export interface RecentEvent {
  readonly position: EventPosition;
  readonly series: number;
}

export interface PositionRange {
  readonly from: EventPosition;
  readonly to: EventPosition;
  readonly limit: number;
  readonly reverse: boolean;
}

export interface EventStoreOptions {
  readonly seriesMax?: number | undefined;
  /** Of the names of event types; English when absent. */
  readonly language?: (() => Language) | undefined;
}

/**
 * The event log's tables, and their changes when an event is added. Writes run one at a time: callers of `write` or `indexRecent`
 * wait for each other and for the pruner.
 */
export class EventStore {
  readonly series: SeriesTable;
  readonly environment: EventEnvironment;
  readonly #recent = new Map<number, RecentEvent>();
  /** Series whose rows are not on the disk yet. */
  readonly #unsaved = new Set<number>();
  readonly #language: () => Language;
  #hasFormat: boolean;
  #highestSequence = 0;

  /** Reads what stands in memory. Throws NvrdError FORMAT_NEWER. */
  constructor(environment: EventEnvironment, options: EventStoreOptions = {}) {
    this.environment = environment;
    this.#language = options.language ?? (() => "en");
    this.series = new SeriesTable(options.seriesMax ?? SERIES_MAX);
    const format = environment.get("meta", FORMAT_KEY);
    this.#hasFormat = format !== undefined;
    if (format !== undefined && format.readUInt32BE(0) > EVENT_LOG_FORMAT)
      throw new NvrdError("FORMAT_NEWER", `the event log has format ${format.readUInt32BE(0)}`);
    this.#load();
  }

  /** The highest sequence number ever written here. */
  get highestSequence(): number {
    return this.#highestSequence;
  }

  get recent(): Iterable<RecentEvent> {
    return this.#recent.values();
  }

  get recentCount(): number {
    return this.#recent.size;
  }

  /** Writes events durably. Rejects if nothing was written. */
  async write(records: readonly EventRecord[]): Promise<void> {
    const written = records.map((record) => ({ record, series: this.#seriesNumber(record) }));
    const events = written.map(({ record, series }): EventChange => {
      return { table: "events", key: eventKey(record), value: packEvent(record, series) };
    });
    const added = written.map(({ record, series }): RecentEvent => {
      return { position: { timeUs: record.timeUs, sequence: record.sequence }, series };
    });
    const isDirect =
      added.length >= DIRECT_EVENTS_MIN || this.#recent.size + added.length > RECENT_EVENTS_MAX;
    if (isDirect) await this.#commit([...events, ...this.#indexChanges(added)], added);
    else {
      await this.#commit([...events, ...added.map(recentChange)], added);
      for (const event of added) this.#recent.set(event.position.sequence, event);
    }
  }

  /** Adds the recent events to the index. Rejects if nothing was written. */
  async indexRecent(): Promise<void> {
    if (this.#recent.size > 0) await this.#commit(this.#indexChanges([]), []);
  }

  /** Deletes events durably, and series that have no events left. */
  async remove(events: readonly { readonly position: EventPosition; readonly series: number | undefined }[]) {
    const changes: EventChange[] = [];
    const removed = new Map<number, number>();
    for (const { position, series } of events) {
      changes.push({ table: "events", key: eventKey(position), value: undefined });
      const isRecent = this.#recent.has(position.sequence);
      if (isRecent) changes.push({ table: "recent", key: sequenceKey(position.sequence), value: undefined });
      else if (series !== undefined)
        changes.push({ table: "index", key: seriesKey(series, position), value: undefined });
      if (series !== undefined) removed.set(series, (removed.get(series) ?? 0) + (isRecent ? 0 : 1));
    }
    const emptied = this.#emptiedBy(removed, new Set(events.map(({ position }) => position.sequence)));
    for (const series of emptied) changes.push({ table: "series", key: numberKey(series), value: undefined });
    await this.environment.commit(changes);
    for (const { position } of events) this.#recent.delete(position.sequence);
    for (const series of emptied) this.series.remove(series);
  }

  /** Moves events in time, together with `mark`; none of them is recent. */
  async move(positions: readonly EventPosition[], shiftUs: number, mark: EventChange): Promise<void> {
    const changes: EventChange[] = [mark];
    for (const from of positions) {
      const value = this.environment.get("events", eventKey(from));
      const series = value === undefined ? undefined : seriesNumberOf(value);
      if (series === undefined) continue;
      const to = { ...from, timeUs: from.timeUs + shiftUs };
      changes.push(
        { table: "events", key: eventKey(from), value: undefined },
        { table: "index", key: seriesKey(series, from), value: undefined },
        { table: "events", key: eventKey(to), value },
        { table: "index", key: seriesKey(series, to), value: Buffer.alloc(0) },
      );
    }
    await this.environment.commit(changes);
  }

  /** Positions of the events of a series, without recent ones. */
  positionsOf(series: number, range: PositionRange): EventPosition[] {
    const { from, to, limit, reverse } = range;
    const keys = { low: seriesKey(series, from), high: seriesKey(series, to), limit, reverse };
    return this.#positions("index", keys, SERIES_KEY_BYTES);
  }

  /** Positions of the events of all series, including recent ones. */
  positions(range: PositionRange): EventPosition[] {
    const { from, to, limit, reverse } = range;
    const keys = { low: eventKey(from), high: eventKey(to), limit, reverse };
    return this.#positions("events", keys, EVENT_KEY_BYTES);
  }

  /** The event at a position, and its size in bytes; undefined if it is deleted or damaged. */
  read(position: EventPosition): { readonly record: EventRecord; readonly bytes: number } | undefined {
    const value = this.environment.get("events", eventKey(position));
    if (value === undefined) return undefined;
    const record = unpackEvent(value, position, {
      seriesOfNumber: (number) => this.series.get(number),
      language: this.#language(),
    });
    return record === undefined ? undefined : { record, bytes: value.length };
  }

  #load(): void {
    const all = { low: KEY_LOWEST, high: KEY_HIGHEST, reverse: false, limit: ALL_BYTES, bytesMax: ALL_BYTES };
    for (const { key, value } of this.environment.entries("series", all)) {
      const series = value === undefined ? undefined : unpackSeries(value);
      if (series !== undefined) this.series.load(key.readUInt32BE(0), series);
    }
    this.#highestSequence = this.environment.get("meta", SEQUENCE_KEY)?.readUIntBE(0, 6) ?? 0;
    for (const { value } of this.environment.entries("recent", all)) {
      const position = value === undefined ? undefined : positionOf(value, SERIES_KEY_BYTES);
      if (value === undefined || position === undefined) continue;
      this.#recent.set(position.sequence, { position, series: value.readUInt32BE(0) });
      this.#highestSequence = Math.max(this.#highestSequence, position.sequence);
    }
  }

  #seriesNumber(record: EventRecord): number {
    const series = seriesOf(record);
    const known = this.series.numberOf(series);
    if (known !== undefined) return known;
    const number = this.series.add(series);
    if (number !== MIXED_SERIES) this.#unsaved.add(number);
    return number;
  }

  /** The changes that index the recent events and those in `added`. */
  #indexChanges(added: readonly RecentEvent[]): EventChange[] {
    const changes: EventChange[] = [];
    for (const { position, series } of [...this.#recent.values(), ...added])
      changes.push({ table: "index", key: seriesKey(series, position), value: Buffer.alloc(0) });
    for (const sequence of this.#recent.keys())
      changes.push({ table: "recent", key: sequenceKey(sequence), value: undefined });
    const highest = added.reduce((most, { position }) => Math.max(most, position.sequence), 0);
    const sequence = sequenceKey(Math.max(this.#highestSequence, highest));
    changes.push({ table: "meta", key: SEQUENCE_KEY, value: sequence });
    return changes;
  }

  async #commit(changes: EventChange[], added: readonly RecentEvent[]): Promise<void> {
    const saved = [...this.#unsaved];
    for (const number of saved) {
      const series = this.series.get(number);
      if (series !== undefined)
        changes.push({ table: "series", key: numberKey(number), value: packSeries(series) });
    }
    if (!this.#hasFormat)
      changes.push({ table: "meta", key: FORMAT_KEY, value: numberKey(EVENT_LOG_FORMAT) });
    const indexed = changes.filter(({ table, value }) => table === "recent" && value === undefined);
    await this.environment.commit(changes);
    this.#hasFormat = true;
    for (const number of saved) this.#unsaved.delete(number);
    for (const { key } of indexed) this.#recent.delete(key.readUIntBE(0, 6));
    for (const { position } of added)
      this.#highestSequence = Math.max(this.#highestSequence, position.sequence);
  }

  /** Of the series that lose these numbers of index entries, those that have no other event. */
  #emptiedBy(removed: ReadonlyMap<number, number>, sequences: ReadonlySet<number>): number[] {
    const staying = [...this.#recent.values()].filter(({ position }) => !sequences.has(position.sequence));
    const recent = new Set(staying.map(({ series }) => series));
    return [...removed].flatMap(([series, count]) => {
      if (series === MIXED_SERIES || recent.has(series)) return [];
      const range = { from: POSITION_LOWEST, to: POSITION_HIGHEST, limit: count + 1, reverse: false };
      return this.positionsOf(series, range).length > count ? [] : [series];
    });
  }

  #positions(table: "events" | "index", range: KeyRange, keyBytes: number): EventPosition[] {
    const positions: EventPosition[] = [];
    for (const key of this.environment.keys(table, range)) {
      const position = positionOf(key, keyBytes);
      if (position !== undefined) positions.push(position);
    }
    return positions;
  }
}

function recentChange({ position, series }: RecentEvent): EventChange {
  return {
    table: "recent",
    key: sequenceKey(position.sequence),
    value: seriesKey(series, position),
  };
}
