import { computed, signal } from "@preact/signals";
import type { Finding, Findings } from "../../contract/answer/index.js";
import type { LinkTo, Queries } from "../../contract/query/index.js";
import { addressOf } from "../state/address.js";
import { recorderNow } from "../state/recorder-time.js";
import { RequestError, requestJson } from "../state/request.js";
import { type Stay, staysOf } from "./stays.js";

type Asked = LinkTo<Queries["/api/findings"]>;

const PAGE_FINDINGS = 24;
/** A list that ends with a message's moment has what began so soon after it. */
const AFTER_MS = 1000;
/** Cards that the list holds; a filter finds what lies before. */
export const CARDS_MAX = 1000;

export interface FeedState {
  /** The first page has been read. */
  readonly isBegun: boolean;
  readonly loading: boolean;
  /** There is nothing older. */
  readonly ended: boolean;
  /** Older findings are still being read from a disk. */
  readonly isReading: boolean;
  readonly failure?: unknown;
}

/** The findings of a filter, the newest first: older ones are asked for, newer ones come by themselves. */
export class ReviewFeed {
  readonly items = signal<readonly Finding[]>([]);
  /** The same as cards. */
  readonly stays = computed(() => staysOf(this.items.value, recorderNow()));
  readonly state = signal<FeedState>({ isBegun: false, loading: false, ended: false, isReading: false });
  /** What began later is not in the list, Unix milliseconds; undefined: it has the newest. */
  readonly endsAtMs = signal<number | undefined>(undefined);
  /** Seen while this list is shown: their cards stay, dimmed. */
  readonly seen = signal<ReadonlySet<string>>(new Set());
  readonly #query: () => Asked;
  readonly #openAtMs: number | undefined;
  readonly #closing = new AbortController();
  #next: string | null = null;

  /** `openAtMs`: a moment that the first page is to have, Unix milliseconds. */
  constructor(query: () => Asked, openAtMs?: number) {
    this.#query = query;
    this.#openAtMs = openAtMs;
  }

  /** Reads what is missing: the page that could not be read, else what came since. A refusal for lack of rights stays. */
  async keepUp(): Promise<void> {
    const { isBegun, failure } = this.state.peek();
    if (failure instanceof RequestError && failure.status === 403) return;
    if (!isBegun || failure !== undefined) await this.loadOlder();
    else await this.#loadNewer();
  }

  async loadOlder(): Promise<void> {
    const { loading, ended } = this.state.peek();
    if (loading || ended || this.items.peek().length >= CARDS_MAX) return;
    this.state.value = { ...this.state.peek(), loading: true };
    try {
      const page = this.state.peek().isBegun ? await this.#ask(this.#next ?? undefined) : await this.#first();
      this.#next = page.Next;
      this.items.value = merged(this.items.peek(), page.Findings);
      const isReading = !page.IsComplete;
      this.state.value = { isBegun: true, loading: false, ended: page.Next === null, isReading };
    } catch (failure) {
      if (this.#closing.signal.aborted) return;
      const { isBegun } = this.state.peek();
      this.state.value = { isBegun, loading: false, ended: false, isReading: false, failure };
    }
  }

  /** The newest, or, where they do not reach the moment that is to be there, those until it. */
  async #first(): Promise<Findings> {
    const openAtMs = this.#openAtMs;
    const newest = await this.#ask(undefined);
    if (openAtMs === undefined || newest.Next === null) return newest;
    if (newest.Findings.some(({ Begin }) => Date.parse(Begin) <= openAtMs)) return newest;
    this.endsAtMs.value = openAtMs + AFTER_MS;
    return await this.#ask(undefined);
  }

  /** What came since, and how what lasted went on. */
  async #loadNewer(): Promise<void> {
    if (this.state.peek().loading) return;
    let page: Findings;
    try {
      page = await this.#ask(undefined);
    } catch (error) {
      // That the recorder does not answer is said by the frame.
      if (!this.#closing.signal.aborted) console.warn("newer findings cannot be read", error);
      return;
    }
    const before = this.items.peek();
    const items = merged(before, page.Findings);
    // Where all of the first page is new, there may be a gap below it: the list begins anew.
    const isApart = before.length > 0 && page.Next !== null && !page.Findings.some((one) => has(before, one));
    if (isApart) {
      this.#next = page.Next;
      this.items.value = page.Findings;
      this.state.value = { ...this.state.peek(), ended: false };
    } else this.items.value = items;
  }

  isSeen({ Id, Seen }: Finding): boolean {
    return Seen || this.seen.value.has(Id);
  }

  async markSeen({ shown, others }: Stay): Promise<void> {
    const unseen = [shown, ...others].filter((finding) => !this.isSeen(finding));
    if (unseen.length === 0) return;
    await requestJson("/api/findings/seen", { method: "POST", body: { Ids: unseen.map(({ Id }) => Id) } });
    this.#noteSeen(unseen);
  }

  /** All that began until a moment, shown here or not; Unix milliseconds. */
  async markAllSeen(upToMs: number): Promise<void> {
    const body = { UpTo: new Date(upToMs).toISOString() };
    await requestJson("/api/findings/seen", { method: "POST", body });
    this.#noteSeen(this.items.peek().filter(({ Begin }) => Date.parse(Begin) <= upToMs));
  }

  /** The recorder has kept it. */
  #noteSeen(findings: readonly Finding[]): void {
    this.seen.value = new Set([...this.seen.peek(), ...findings.map(({ Id }) => Id)]);
  }

  close(): void {
    this.#closing.abort();
  }

  #ask(before: string | undefined): Promise<Findings> {
    const endsAtMs = this.endsAtMs.peek();
    const asked = {
      ...this.#query(),
      ...(endsAtMs === undefined ? {} : { endtime: new Date(endsAtMs).toISOString() }),
    };
    const address = addressOf("/api/findings", { ...asked, limit: PAGE_FINDINGS, before });
    return requestJson<Findings>(address, { signal: this.#closing.signal });
  }
}

function has(items: readonly Finding[], { Id }: Finding): boolean {
  return items.some((one) => one.Id === Id);
}

/** Each once, as it was reported last, the newest first. */
function merged(before: readonly Finding[], newer: readonly Finding[]): readonly Finding[] {
  const byId = new Map([...before, ...newer].map((finding) => [finding.Id, finding]));
  return [...byId.values()]
    .sort((one, other) => (one.Begin === other.Begin ? 0 : one.Begin < other.Begin ? 1 : -1))
    .slice(0, CARDS_MAX);
}
