import { randomBytes } from "node:crypto";
import { type Clock, US_PER_MS } from "../../base/index.js";
import type { UserCall } from "../soap/operation.js";
import { invalidArgument, SoapFault } from "../soap/soap-message.js";
import { readDurationMs } from "../soap/xml-duration.js";

/** Searches of one user, and of all, that wait to be read. */
export const SEARCHES_PER_USER_MAX = 8;
export const SEARCHES_MAX = 32;
const KEEP_MS_MIN = 10_000;
const KEEP_MS_MAX = 300_000;
const RESULTS_AT_ONCE_MAX = 100;
const ID_BYTES = 16;

type SearchKind = "recordings" | "events";

interface Search {
  readonly userId: string;
  readonly kind: SearchKind;
  readonly keepMs: number;
  readonly beganUs: number;
  endsMs: number;
  /** What was not taken yet, as elements. */
  left: readonly string[];
}

/** Searches: what they find is known at once, and taken in parts. */
export class SearchSessions {
  readonly #clock: Clock;
  readonly #searches = new Map<string, Search>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the token of a new search, with what `find` resolves with. It counts from the beginning on. Rejects with SoapFault if
   * there are too many, and as `find` does.
   */
  async begin(
    { user, content }: UserCall,
    kind: SearchKind,
    find: () => Promise<readonly string[]>,
  ): Promise<string> {
    this.#forgetEnded();
    const userId = user.who.id;
    const own = [...this.#searches.values()].filter((search) => search.userId === userId);
    if (own.length >= SEARCHES_PER_USER_MAX || this.#searches.size >= SEARCHES_MAX)
      throw new SoapFault(
        "Receiver",
        ["Action", "ResourceProblem"],
        `there may be ${SEARCHES_PER_USER_MAX} searches of a user: end one`,
      );
    const asked = readDurationMs(content.text("KeepAliveTime")) ?? KEEP_MS_MIN;
    const keepMs = Math.min(Math.max(asked, KEEP_MS_MIN), KEEP_MS_MAX);
    const id = randomBytes(ID_BYTES).toString("hex");
    const search: Search = { userId, kind, keepMs, beganUs: this.#clock.nowUs(), endsMs: Infinity, left: [] };
    this.#searches.set(id, search);
    try {
      const found = await find();
      search.left = found.slice(0, Math.max(0, content.number("MaxMatches") ?? found.length));
      search.endsMs = this.#nowMs() + keepMs;
      return id;
    } catch (error) {
      this.#searches.delete(id);
      throw error;
    }
  }

  /** The next results, and whether they are the last. */
  take(call: UserCall, kind: SearchKind): { readonly found: readonly string[]; readonly isOver: boolean } {
    const search = this.#search(call);
    if (search.kind !== kind) throw unknown();
    const most = Math.min(
      Math.max(call.content.number("MaxResults") ?? RESULTS_AT_ONCE_MAX, 1),
      RESULTS_AT_ONCE_MAX,
    );
    const found = search.left.slice(0, most);
    search.left = search.left.slice(most);
    return { found, isOver: search.left.length === 0 };
  }

  isOver(call: UserCall): boolean {
    return this.#search(call).left.length === 0;
  }

  /** Returns when it began, Unix microseconds: all up to then was searched. */
  end(call: UserCall): number {
    const { beganUs } = this.#search(call);
    this.#searches.delete(call.content.text("SearchToken"));
    return beganUs;
  }

  /** To others than its owner there is none. */
  #search({ user, content }: UserCall): Search {
    this.#forgetEnded();
    const search = this.#searches.get(content.text("SearchToken"));
    if (search === undefined || search.userId !== user.who.id) throw unknown();
    search.endsMs = this.#nowMs() + search.keepMs;
    return search;
  }

  #forgetEnded(): void {
    const nowMs = this.#nowMs();
    for (const [id, { endsMs }] of this.#searches) if (endsMs <= nowMs) this.#searches.delete(id);
  }

  #nowMs(): number {
    return this.#clock.monotonicUs() / US_PER_MS;
  }
}

function unknown(): SoapFault {
  return invalidArgument("InvalidToken", "there is no such search: begin another one");
}
