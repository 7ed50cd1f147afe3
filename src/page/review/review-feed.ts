import { signal } from "@preact/signals";
import type { Finding, Findings } from "../../contract/answer/index.js";
import type { LinkTo, Queries } from "../../contract/query/index.js";
import { addressOf } from "../state/address.js";
import { requestJson } from "../state/request.js";

type Asked = LinkTo<Queries["/api/findings"]>;

const PAGE_FINDINGS = 24;
/** Cards that the list holds; a filter finds what lies before. */
export const CARDS_MAX = 1000;

export interface FeedState {
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
  readonly state = signal<FeedState>({ loading: false, ended: false, isReading: false });
  /** Seen while this list is shown: their cards stay, dimmed. */
  readonly seen = signal<ReadonlySet<string>>(new Set());
  readonly #query: () => Asked;
  readonly #closing = new AbortController();
  #next: string | null = null;

  constructor(query: () => Asked) {
    this.#query = query;
  }

  async loadOlder(): Promise<void> {
    const { loading, ended } = this.state.peek();
    if (loading || ended || this.items.peek().length >= CARDS_MAX) return;
    this.state.value = { ...this.state.peek(), loading: true };
    try {
      const page = await this.#ask(this.#next ?? undefined);
      this.#next = page.Next;
      this.items.value = merged(this.items.peek(), page.Findings);
      this.state.value = { loading: false, ended: page.Next === null, isReading: !page.IsComplete };
    } catch (failure) {
      if (this.#closing.signal.aborted) return;
      this.state.value = { loading: false, ended: false, isReading: false, failure };
    }
  }

  /** What came since, and how what lasted went on; does nothing before the first page is there. */
  async loadNewer(): Promise<void> {
    if (this.state.peek().loading || this.state.peek().failure !== undefined) return;
    const page = await this.#ask(undefined);
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

  async markSeen(finding: Finding): Promise<void> {
    if (this.isSeen(finding)) return;
    this.seen.value = new Set([...this.seen.peek(), finding.Id]);
    await requestJson("/api/findings/seen", { method: "POST", body: { Ids: [finding.Id] } });
  }

  /** All that began until now, shown here or not. */
  async markAllSeen(upTo: string): Promise<void> {
    await requestJson("/api/findings/seen", { method: "POST", body: { UpTo: upTo } });
    this.seen.value = new Set(this.items.peek().map(({ Id }) => Id));
  }

  close(): void {
    this.#closing.abort();
  }

  #ask(before: string | undefined): Promise<Findings> {
    const address = addressOf("/api/findings", { ...this.#query(), limit: PAGE_FINDINGS, before });
    return requestJson<Findings>(address, { signal: this.#closing.signal });
  }
}

function has(items: readonly Finding[], { Id }: Finding): boolean {
  return items.some((one) => one.Id === Id);
}

/** Each once, as it was told last, the newest first. */
function merged(before: readonly Finding[], told: readonly Finding[]): readonly Finding[] {
  const byId = new Map([...before, ...told].map((finding) => [finding.Id, finding]));
  return [...byId.values()]
    .sort((one, other) => (one.Begin === other.Begin ? 0 : one.Begin < other.Begin ? 1 : -1))
    .slice(0, CARDS_MAX);
}
