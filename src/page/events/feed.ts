import { signal } from "@preact/signals";
import { type EventItem, type EventSearch, keyOf, searchTime } from "./event-item.js";
import type { TimeRange } from "./filter.js";

/** Events of one request for older ones. Where a text is looked for, most of what comes does not fit. */
const PAGE_EVENTS = 100;
const PAGE_EVENTS_WITH_TEXT = 1000;
/** Events that one step of a search for a text looks at before it asks whether to go on. */
const SCANNED_EVENTS_MAX = 10_000;
/** So many that fit are enough for one step. */
const FITTING_EVENTS = 40;
/** Events that the list holds; a filter finds what lies before. */
export const LIST_EVENTS_MAX = 10_000;
/** Analytics date an event back: newer events are looked for from so long before the newest that is known. */
const OVERLAP_MS = 10_000;
const NEWER_EVENTS_MAX = 1000;
/** Most events that the service answers at once. */
const ANSWER_EVENTS_MAX = 100_000;

export interface EventFeedOptions {
  readonly search: (body: EventSearch, signal: AbortSignal) => Promise<readonly EventItem[]>;
  /** What the service filters by. */
  readonly where: Pick<
    EventSearch,
    "channelIds" | "eventIds" | "eventCategories" | "eventInitiatorTypes" | "text"
  >;
  readonly range: TimeRange;
  /** What the page filters by; absent: everything fits. */
  readonly fits?: (item: EventItem) => boolean;
}

export interface FeedState {
  readonly loading: boolean;
  /** There is nothing older. */
  readonly ended: boolean;
  readonly failure?: unknown;
  /** A step of a search for a text ended here without finding enough. */
  readonly searchedTo?: string;
}

/** The events of one filter, newest first: older ones are asked for, newer ones are looked for. */
export class EventFeed {
  readonly items = signal<readonly EventItem[]>([]);
  readonly state = signal<FeedState>({ loading: false, ended: false });
  readonly #options: EventFeedOptions;
  readonly #closing = new AbortController();
  /** The oldest moment that was asked for, and what is known of it: the next page begins with it once more. */
  #oldest: string | undefined;
  #atOldest: ReadonlySet<string> = new Set();
  /** The newest moment that was seen, and what came after `OVERLAP_MS` before it. */
  #newest: string | undefined;
  #recent = new Set<string>();

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  /** Adds older events to the list's end. Does nothing while it works or where nothing is older. */
  async loadOlder(): Promise<void> {
    const { loading, ended } = this.state.value;
    if (loading || ended || this.items.value.length >= LIST_EVENTS_MAX) return;
    this.state.value = { loading: true, ended: false };
    try {
      this.state.value = { loading: false, ...(await this.#scan()) };
    } catch (failure) {
      if (this.#closing.signal.aborted) return;
      this.state.value = { loading: false, ended: false, failure };
    }
  }

  /**
   * Puts newer events on top and answers how many came; before the first page is there it does nothing. Where more came than one answer holds, the list begins anew with the
   * newest.
   */
  async loadNewer(): Promise<number> {
    if (this.#newest === undefined && !this.state.value.ended) return 0;
    const { fromMs } = this.#options.range;
    const from =
      this.#newest === undefined
        ? fromMs
        : Math.max(fromMs ?? 0, new Date(this.#newest).getTime() - OVERLAP_MS);
    const range = from === undefined ? {} : { startTimeUtc: searchTime(new Date(from).toISOString()) };
    const found = await this.#search({ ...range, searchLimitCount: NEWER_EVENTS_MAX });
    const fresh = found.filter((item) => !this.#recent.has(keyOf(item)));
    if (fresh.length === NEWER_EVENTS_MAX) this.#beginAnew(found);
    this.#noteRecent(found);
    const fitting = fresh.filter((item) => this.#fits(item));
    if (fitting.length > 0) this.#add(fitting);
    return fitting.length;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Goes back in time until enough fits, the log ends, or the step was long enough. */
  async #scan(): Promise<Pick<FeedState, "ended" | "searchedTo">> {
    const { fits } = this.#options;
    let limit = fits === undefined ? PAGE_EVENTS : PAGE_EVENTS_WITH_TEXT;
    let [scanned, fitting] = [0, 0];
    while (scanned < SCANNED_EVENTS_MAX) {
      const found = await this.#search({ ...this.#before(), searchLimitCount: limit });
      const fresh = found.filter((item) => !this.#atOldest.has(keyOf(item)));
      this.#noteRecent(found);
      this.#noteOldest(found);
      const wanted = fresh.filter((item) => this.#fits(item));
      if (wanted.length > 0) this.#add(wanted);
      scanned += found.length;
      fitting += wanted.length;
      if (found.length < limit) return { ended: true };
      if (fits === undefined ? fitting > 0 : fitting >= FITTING_EVENTS) return { ended: false };
      // More events in one moment than a page holds.
      if (fresh.length === 0) limit = Math.min(ANSWER_EVENTS_MAX, limit * 4);
    }
    return this.#oldest === undefined ? { ended: true } : { ended: false, searchedTo: this.#oldest };
  }

  #before(): Pick<EventSearch, "startTimeUtc" | "endTimeUtc"> {
    const { fromMs, toMs } = this.#options.range;
    const start = fromMs === undefined ? {} : { startTimeUtc: searchTime(new Date(fromMs).toISOString()) };
    if (this.#oldest !== undefined) return { ...start, endTimeUtc: searchTime(this.#oldest) };
    return toMs === undefined ? start : { ...start, endTimeUtc: searchTime(new Date(toMs).toISOString()) };
  }

  async #search(body: EventSearch): Promise<readonly EventItem[]> {
    return await this.#options.search({ ...this.#options.where, ...body }, this.#closing.signal);
  }

  #fits(item: EventItem): boolean {
    return this.#options.fits?.(item) ?? true;
  }

  #noteOldest(ascending: readonly EventItem[]): void {
    const first = ascending[0]?.Timestamp;
    if (first === undefined) return;
    const here = ascending.filter(({ Timestamp }) => Timestamp === first).map(keyOf);
    this.#atOldest = new Set(first === this.#oldest ? [...this.#atOldest, ...here] : here);
    this.#oldest = first;
  }

  /** Keeps the keys that the next look for newer events may meet again. */
  #noteRecent(ascending: readonly EventItem[]): void {
    const last = ascending.at(-1)?.Timestamp;
    if (last === undefined) return;
    if (this.#newest === undefined || last > this.#newest) this.#newest = last;
    // Without the Z: a shorter text sorts before the longer ones of its moment.
    const since = new Date(new Date(this.#newest).getTime() - OVERLAP_MS).toISOString().slice(0, 23);
    const kept = [...this.#recent].filter((key) => key >= since);
    const found = ascending.filter(({ Timestamp }) => Timestamp >= since).map(keyOf);
    this.#recent = new Set([...kept, ...found]);
  }

  #beginAnew(ascending: readonly EventItem[]): void {
    this.items.value = [];
    this.#oldest = undefined;
    this.#noteOldest(ascending);
    this.state.value = { loading: this.state.value.loading, ended: false };
  }

  /** Sorts events in, newest first; beyond its bound the list loses its oldest. */
  #add(ascending: readonly EventItem[]): void {
    const merged = mergeNewestFirst(this.items.value, ascending.toReversed());
    this.items.value = merged.length > LIST_EVENTS_MAX ? merged.slice(0, LIST_EVENTS_MAX) : merged;
  }
}

function mergeNewestFirst(known: readonly EventItem[], added: readonly EventItem[]): EventItem[] {
  const [newest, oldest] = [added[0], added.at(-1)];
  if (newest === undefined || oldest === undefined) return [...known];
  if ((known.at(-1)?.Timestamp ?? "￿") >= newest.Timestamp) return [...known, ...added];
  if ((known[0]?.Timestamp ?? "") <= oldest.Timestamp) return [...added, ...known];
  return [...added, ...known].toSorted((one, other) =>
    one.Timestamp < other.Timestamp ? 1 : one.Timestamp > other.Timestamp ? -1 : 0,
  );
}
