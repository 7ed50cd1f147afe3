import { type EventTextIndex, hourOf, TEXT_HOUR_US } from "./text-index.js";
import { gramsOf } from "./text-signature.js";
import type { EventQuery, EventRecord } from "./types.js";

/** Most events of the answer to a search for a text. */
export const TEXT_EVENTS_MAX = 1000;
const BATCH_EVENTS = 256;
/** Hours that are looked up between two turns of the event loop. */
const HOURS_A_TURN = 5000;

export interface TextSearchOptions {
  readonly index: EventTextIndex;
  readonly search: (query: EventQuery) => AsyncIterable<readonly EventRecord[]>;
  /** When the oldest and the newest event happened; undefined: there is none. */
  readonly reach: () => Promise<{ readonly fromUs: number; readonly toUs: number } | undefined>;
}

/** The events with a text, ascending: hour by hour, and only those hours that may have it are read. */
export async function* searchText(
  query: EventQuery,
  { index, search, reach }: TextSearchOptions,
): AsyncGenerator<readonly EventRecord[]> {
  const { text, fromBegin, ...rest } = query;
  const there = await reach();
  if (text === undefined || there === undefined) return;
  const limit = Math.min(query.limit, TEXT_EVENTS_MAX);
  const grams = gramsOf(text.words);
  const first = hourOf(Math.max(query.fromUs, there.fromUs));
  const last = hourOf(Math.min(query.toUs, there.toUs));
  const found: EventRecord[] = [];
  for (let step = 0; step <= last - first && found.length < limit; step++) {
    if (step % HOURS_A_TURN === HOURS_A_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    const hour = fromBegin ? first + step : last - step;
    if (!index.mayHave(hour, grams)) continue;
    const ofHour: EventRecord[] = [];
    const fromUs = Math.max(query.fromUs, hour * TEXT_HOUR_US);
    const toUs = Math.min(query.toUs, (hour + 1) * TEXT_HOUR_US - 1);
    for await (const batch of search({ ...rest, fromUs, toUs, limit: HOUR_EVENTS_MAX, fromBegin: true }))
      ofHour.push(...batch.filter((event) => text.fits(event)));
    found.push(...(fromBegin ? ofHour : ofHour.reverse()));
  }
  const answer = found.slice(0, limit);
  if (!fromBegin) answer.reverse();
  for (let at = 0; at < answer.length; at += BATCH_EVENTS) yield answer.slice(at, at + BATCH_EVENTS);
}

const HOUR_EVENTS_MAX = 1_000_000;
