import type { EventPosition } from "./event-key.js";
import { type EventTextIndex, hourOf, TEXT_HOUR_US } from "./text-index.js";
import { gramsOf } from "./text-signature.js";
import type { EventQuery, EventRecord, EventText } from "./types.js";

/** Most events of the answer to a search for a text. */
export const TEXT_EVENTS_MAX = 1000;
/** Hours that are looked up between two turns of the event loop. */
const HOURS_A_TURN = 5000;
/** All events of a span: they are read in batches, and not held. */
const ALL = Number.MAX_SAFE_INTEGER;

export interface TextSearchOptions {
  readonly index: EventTextIndex;
  readonly search: (query: EventQuery) => AsyncIterable<readonly EventRecord[]>;
  /** When the oldest and the newest event happened; undefined: there is none. */
  readonly reach: () => Promise<Span | undefined>;
}

/** Unix microseconds, both inclusive. */
interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

type Batches = AsyncGenerator<readonly EventRecord[]>;

/**
 * The events with a text, ascending: hour by hour, and only those hours that may have it are read. Of the last ones the positions
 * are collected first, and not the events.
 */
export async function* searchText(query: EventQuery, { index, search, reach }: TextSearchOptions): Batches {
  const { text, fromBegin, limit: asked, ...rest } = query;
  const limit = Math.min(asked, TEXT_EVENTS_MAX);
  const there = await reach();
  if (text === undefined || there === undefined || limit === 0) return;
  const within = {
    fromUs: Math.max(query.fromUs, there.fromUs),
    toUs: Math.min(query.toUs, there.toUs),
  };
  const hours = hoursWith(gramsOf(text.words), { ...rest, ...within, fromBegin }, index);
  const events = (span: Span) => search({ ...rest, ...span, limit: ALL, fromBegin: true });
  if (fromBegin) yield* firstOf(hours, { text, limit, events });
  else yield* lastOf(hours, { text, limit, events });
}

/** What may have it of the time that is searched, hour by hour from its begin or its end. */
async function* hoursWith(
  grams: readonly number[],
  { fromUs, toUs, fromBegin, signal }: Omit<EventQuery, "limit">,
  index: EventTextIndex,
): AsyncGenerator<Span> {
  const [first, last] = [hourOf(fromUs), hourOf(toUs)];
  for (let step = 0; step <= last - first; step++) {
    if (step % HOURS_A_TURN === HOURS_A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    const hour = fromBegin ? first + step : last - step;
    if (!index.mayHave(hour, grams)) continue;
    yield {
      fromUs: Math.max(fromUs, hour * TEXT_HOUR_US),
      toUs: Math.min(toUs, (hour + 1) * TEXT_HOUR_US - 1),
    };
  }
}

interface Searched {
  readonly text: EventText;
  readonly limit: number;
  /** Those of a span, ascending. */
  readonly events: (span: Span) => AsyncIterable<readonly EventRecord[]>;
}

async function* firstOf(hours: AsyncIterable<Span>, { text, limit, events }: Searched): Batches {
  let left = limit;
  for await (const hour of hours)
    for await (const batch of events(hour)) {
      const fitting = batch.filter((event) => text.fits(event)).slice(0, left);
      left -= fitting.length;
      if (fitting.length > 0) yield fitting;
      if (left === 0) return;
    }
}

async function* lastOf(hours: AsyncIterable<Span>, { text, limit, events }: Searched): Batches {
  const found: (readonly EventPosition[])[] = [];
  let left = limit;
  for await (const hour of hours) {
    let ofHour: EventPosition[] = [];
    for await (const batch of events(hour)) {
      const fitting = batch.filter((event) => text.fits(event));
      for (const { timeUs, sequence } of fitting) ofHour.push({ timeUs, sequence });
      if (ofHour.length > left) ofHour = ofHour.slice(-left);
    }
    found.push(ofHour);
    left -= ofHour.length;
    if (left === 0) break;
  }
  for (const positions of found.reverse()) yield* eventsAt(positions, events);
}

/** Those of an hour, ascending. */
async function* eventsAt(positions: readonly EventPosition[], events: Searched["events"]): Batches {
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) return;
  const wanted = new Set(positions.map(({ sequence }) => sequence));
  for await (const batch of events({ fromUs: first.timeUs, toUs: last.timeUs })) {
    const found = batch.filter(({ sequence }) => wanted.has(sequence));
    if (found.length > 0) yield found;
  }
}
