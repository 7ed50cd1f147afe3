import { seriesOf } from "./event-input.js";
import {
  type EventPosition,
  POSITION_HIGHEST,
  positionAfter,
  SEQUENCE_MAX,
  TIME_US_MAX,
} from "./event-key.js";
import type { EventStore } from "./event-store.js";
import { matches, type Series } from "./series.js";
import { MIXED_SERIES } from "./series-table.js";
import type { EventMoments, EventMomentsQuery, EventRecord } from "./types.js";

/** Positions read in one turn of the event loop: some milliseconds. */
const TURN_POSITIONS_MAX = 2048;

export interface EventMomentsOptions {
  readonly store: EventStore;
  /** Events not yet on the disk. */
  readonly waiting: Iterable<EventRecord>;
  readonly query: EventMomentsQuery;
}

/**
 * When events happened, by their searchable properties. Only the index is read, not the events: a month of motion is a hundred
 * thousand of them.
 */
export async function* eventMoments(options: EventMomentsOptions): AsyncGenerator<EventMoments> {
  const { store, waiting, query } = options;
  const all = { ...query, limit: 0, fromBegin: true };
  // What is not in the index now may be entered while it is read.
  const seen = new Set<number>();
  const early: { readonly series: Series; readonly timeUs: number }[] = [];
  const take = (series: Series, { timeUs, sequence }: EventPosition): void => {
    if (timeUs < query.fromUs || timeUs > query.toUs || !matches(series, all)) return;
    seen.add(sequence);
    early.push({ series, timeUs });
  };
  for (const record of waiting) take(seriesOf(record), record);
  for (const { position, series } of store.recent) {
    const of = seriesAt(store, series, position);
    if (of !== undefined && !seen.has(position.sequence)) take(of, position);
  }
  for (const { series, timeUs } of early) yield { ...series, timesUs: [timeUs] };
  for (const number of store.series.select(all)) {
    for (const positions of turns(store, number, query)) {
      const fresh = seen.size === 0 ? positions : positions.filter(({ sequence }) => !seen.has(sequence));
      yield* momentsOf(store, number, fresh, all);
      if (positions.length === TURN_POSITIONS_MAX) await nextTurn();
    }
  }
}

function* momentsOf(
  store: EventStore,
  number: number,
  positions: readonly EventPosition[],
  query: Parameters<typeof matches>[1],
): Generator<EventMoments> {
  const series = store.series.get(number);
  if (series !== undefined && positions.length > 0) {
    yield { ...series, timesUs: positions.map(({ timeUs }) => timeUs) };
    return;
  }
  for (const position of positions) {
    const of = seriesAt(store, number, position);
    if (of !== undefined && matches(of, query)) yield { ...of, timesUs: [position.timeUs] };
  }
}

/** Events of the mixed series have their properties in themselves. */
function seriesAt(store: EventStore, number: number, position: EventPosition): Series | undefined {
  if (number !== MIXED_SERIES) return store.series.get(number);
  const found = store.read(position);
  return found === undefined ? undefined : seriesOf(found.record);
}

function* turns(
  store: EventStore,
  series: number,
  { fromUs, toUs }: EventMomentsQuery,
): Generator<readonly EventPosition[]> {
  let from: EventPosition = { timeUs: Math.max(0, fromUs), sequence: 0 };
  const to = toUs >= TIME_US_MAX ? POSITION_HIGHEST : { timeUs: toUs, sequence: SEQUENCE_MAX };
  for (;;) {
    const positions = store.positionsOf(series, { from, to, limit: TURN_POSITIONS_MAX, reverse: false });
    const last = positions.at(-1);
    if (last === undefined) return;
    yield positions;
    if (positions.length < TURN_POSITIONS_MAX) return;
    from = positionAfter(last);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
