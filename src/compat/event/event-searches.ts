import type { Principal } from "../../access/index.js";
import { EMPTY_GUID, type Guid, type Language, NvrdError } from "../../base/index.js";
import {
  CommentWords,
  type EventInitiatorType,
  type EventLog,
  type EventQuery,
  type EventRecord,
  type EventText,
  shownTexts,
} from "../../event/index.js";
import type { SiteStore } from "../../site/index.js";
import {
  isUserInitiator,
  maySeeAllUsers,
  maySeeInitiator,
  searchableChannels,
  shownEvent,
} from "./event-visibility.js";

/** Maximum number of concurrent searches, in total and per user; 503 beyond it. */
export const SEARCHES_MAX = 16;
export const SEARCHES_PER_USER_MAX = 4;

const COMMENT_WORDS = new CommentWords();

/** A text that is looked for in what is shown of events in a language. */
export interface SearchedText {
  readonly words: string;
  readonly language: Language;
}

const INITIATOR_TYPES: readonly EventInitiatorType[] = [0, 1, 2, 3, 4, 8];

/** Searches the event log for users, within their rights, with limited concurrency. */
export class EventSearches {
  readonly #events: EventLog;
  readonly #site: Pick<SiteStore, "current">;
  /** By user. */
  readonly #underWay = new Map<Guid, number>();

  constructor(events: EventLog, site: Pick<SiteStore, "current">) {
    this.#events = events;
    this.#site = site;
  }

  /**
   * The events of the query that the user may receive, ascending, in batches. The limit counts only these. Throws NvrdError
   * NOT_AVAILABLE if too many searches are running.
   */
  async *search(
    principal: Principal,
    asked: EventQuery,
    text?: SearchedText,
  ): AsyncGenerator<readonly EventRecord[]> {
    const userId = principal.user.id;
    this.#begin(userId);
    try {
      const query = withinChannels(principal, asked);
      if (query === undefined) return;
      const found =
        text === undefined
          ? this.#searchPlain(principal, query)
          : this.#events.search({ ...query, text: this.#textOf(principal, text) });
      for await (const batch of found) {
        const { cameras } = this.#site.current;
        yield batch.map((event) => shownEvent(principal, cameras, event));
      }
    } finally {
      this.#change(userId, -1);
    }
  }

  /** A text is looked for in what the user is shown: what is left out of that is not found either, nor what others did. */
  #textOf(principal: Principal, { words, language }: SearchedText): EventText {
    const wanted = words.toLowerCase();
    const fits = (event: EventRecord): boolean => {
      if (!maySeeInitiator(principal, event)) return false;
      const shown = shownEvent(principal, this.#site.current.cameras, event);
      return shownTexts(shown, language, COMMENT_WORDS).some((one) => one.toLowerCase().includes(wanted));
    };
    return { words, fits };
  }

  #begin(userId: Guid): void {
    let all = 0;
    for (const count of this.#underWay.values()) all += count;
    if (all >= SEARCHES_MAX || (this.#underWay.get(userId) ?? 0) >= SEARCHES_PER_USER_MAX) {
      throw new NvrdError("NOT_AVAILABLE", "too many searches of the event log are running");
    }
    this.#change(userId, 1);
  }

  #change(userId: Guid, by: number): void {
    const count = (this.#underWay.get(userId) ?? 0) + by;
    if (count === 0) this.#underWay.delete(userId);
    else this.#underWay.set(userId, count);
  }

  async *#searchPlain(principal: Principal, query: EventQuery): AsyncGenerator<readonly EventRecord[]> {
    const [first, second] = permitted(principal, query);
    if (first === undefined) return;
    if (second === undefined) yield* this.#events.search(first);
    else yield* this.#searchBoth(first, second, query);
  }

  /**
   * The limited number of events out of two searches. The last ones of an interval are found by counting first, so that nothing
   * has to be buffered.
   */
  async *#searchBoth(
    first: EventQuery,
    second: EventQuery,
    { limit, fromBegin }: EventQuery,
  ): AsyncGenerator<readonly EventRecord[]> {
    let skip = 0;
    if (!fromBegin) {
      for (const query of [first, second])
        for await (const batch of this.#events.search(query)) skip += batch.length;
      skip = Math.max(0, skip - limit);
    }
    let left = limit;
    for await (const batch of merged(this.#events.search(first), this.#events.search(second))) {
      const taken = batch.slice(skip, skip + left);
      skip = Math.max(0, skip - batch.length);
      left -= taken.length;
      if (taken.length > 0) yield taken;
      if (left <= 0) return;
    }
  }
}

/**
 * The searches that together find what the user may see of the query within its channels: none, one, or a second one for the
 * user's own actions.
 */
function permitted(principal: Principal, query: EventQuery): EventQuery[] {
  if (maySeeAllUsers(principal)) return [query];
  const types = [...(query.initiatorTypes ?? INITIATOR_TYPES)];
  const ofOthers = types.filter((type) => !isUserInitiator(type));
  const ofUsers = types.filter(isUserInitiator);
  const queries: EventQuery[] = [];
  if (ofOthers.length > 0) queries.push({ ...query, initiatorTypes: new Set(ofOthers) });
  const own = principal.user.id;
  if (ofUsers.length > 0 && query.initiatorIds?.has(own) !== false) {
    queries.push({ ...query, initiatorTypes: new Set(ofUsers), initiatorIds: new Set([own]) });
  }
  return queries;
}

/** The query restricted to the channels the user may see; undefined if none of them is requested. */
function withinChannels(principal: Principal, query: EventQuery): EventQuery | undefined {
  if (query.channelIds === undefined) {
    const channelIds = searchableChannels(principal);
    return channelIds === undefined ? query : { ...query, channelIds };
  }
  const channelIds = new Set([...query.channelIds].filter((id) => id === EMPTY_GUID || principal.maySee(id)));
  return channelIds.size === 0 ? undefined : { ...query, channelIds };
}

/** Two ascending searches as one. */
async function* merged(
  first: AsyncIterable<readonly EventRecord[]>,
  second: AsyncIterable<readonly EventRecord[]>,
): AsyncGenerator<readonly EventRecord[]> {
  const iterators = [first[Symbol.asyncIterator](), second[Symbol.asyncIterator]()] as const;
  const heads: [readonly EventRecord[], readonly EventRecord[]] = [[], []];
  const ended = [false, false];
  try {
    for (;;) {
      for (const side of [0, 1] as const) {
        while (heads[side].length === 0 && !ended[side]) {
          const next = await iterators[side].next();
          if (next.done === true) ended[side] = true;
          else heads[side] = next.value;
        }
      }
      const batch = takeMerged(heads, ended);
      if (batch.length === 0) return;
      yield batch;
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

/** Takes events from both heads while the next one is known. */
function takeMerged(
  heads: [readonly EventRecord[], readonly EventRecord[]],
  ended: readonly boolean[],
): EventRecord[] {
  const batch: EventRecord[] = [];
  const at: [number, number] = [0, 0];
  for (;;) {
    const a = heads[0][at[0]];
    const b = heads[1][at[1]];
    if ((a === undefined && ended[0] !== true) || (b === undefined && ended[1] !== true)) break;
    const side = b === undefined || (a !== undefined && isBefore(a, b)) ? 0 : 1;
    const next = side === 0 ? a : b;
    if (next === undefined) break;
    batch.push(next);
    at[side] += 1;
  }
  heads[0] = heads[0].slice(at[0]);
  heads[1] = heads[1].slice(at[1]);
  return batch;
}

function isBefore(a: EventRecord, b: EventRecord): boolean {
  return a.timeUs === b.timeUs ? a.sequence < b.sequence : a.timeUs < b.timeUs;
}
