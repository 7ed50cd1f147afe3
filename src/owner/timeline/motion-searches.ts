import {
  type Clock,
  type ClockTimer,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  Semaphore,
} from "../../base/index.js";
import {
  type MotionFinds,
  type MotionQuestion,
  MotionSearch,
  type MotionSearchOptions,
} from "./motion-search.js";

/** Searches that wait or run, of one user, and of all; one runs at a time. */
const PER_USER_MAX = 4;
const WAITING_MAX = 16;
/** Searches kept, with their results; the oldest that has ended goes first. */
const KEPT_MAX = 64;
/** How long a result is kept, and how long a search may take. */
const KEPT_MS = 3_600_000;
const RUN_MS_MAX = 3_600_000;

export type MotionSearchState = "waiting" | "running" | "done" | "cancelled" | "failed";

/** One search as its owner sees it. */
export interface MotionSearchEntry {
  readonly id: Guid;
  readonly userId: Guid;
  readonly question: MotionQuestion;
  readonly finds: MotionFinds;
  readonly startedUs: number;
  readonly state: MotionSearchState;
  /** Why it failed. */
  readonly error: string | undefined;
}

interface Entry extends MotionSearchEntry {
  state: MotionSearchState;
  error: string | undefined;
  readonly stop: AbortController;
  timer: ClockTimer | undefined;
}

/** The searches for motion: one at a time, bounded, each of the user who began it. */
export class MotionSearches {
  readonly #options: MotionSearchOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #entries = new Map<Guid, Entry>();
  readonly #turns = new Semaphore({ atOnce: 1, waitingMax: WAITING_MAX });

  constructor(options: MotionSearchOptions & { readonly log: Log }) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log.child({ part: "motion search" });
  }

  /** Throws NvrdError TOO_MANY_REQUESTS if the user, or all users, have as many under way as they may. */
  start(userId: Guid, question: MotionQuestion): MotionSearchEntry {
    const underWay = [...this.#entries.values()].filter(isUnderWay);
    if (underWay.filter((entry) => entry.userId === userId).length >= PER_USER_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${PER_USER_MAX} searches of yours are under way`);
    if (underWay.length >= WAITING_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `${WAITING_MAX} searches are under way`);
    const search = new MotionSearch(question, this.#options);
    const entry: Entry = {
      ...{ id: newGuid(), userId, question, finds: search, startedUs: this.#clock.nowUs() },
      ...{ state: "waiting", error: undefined, stop: new AbortController(), timer: undefined },
    };
    this.#entries.set(entry.id, entry);
    this.#forgetOldest();
    void this.#run(entry, search);
    return entry;
  }

  /** Those of a user, the newest first. */
  of(userId: Guid): MotionSearchEntry[] {
    return [...this.#entries.values()].filter((entry) => entry.userId === userId).reverse();
  }

  get(userId: Guid, id: Guid): MotionSearchEntry | undefined {
    const entry = this.#entries.get(id);
    return entry?.userId === userId ? entry : undefined;
  }

  /** Ends a search that is under way, and forgets it. False if the user has no such search. */
  remove(userId: Guid, id: Guid): boolean {
    const entry = this.#entries.get(id);
    if (entry?.userId !== userId) return false;
    if (isUnderWay(entry)) this.#cancel(entry);
    this.#forget(entry);
    return true;
  }

  /** Ends all of them. */
  stop(): void {
    for (const entry of [...this.#entries.values()]) {
      if (isUnderWay(entry)) this.#cancel(entry);
      this.#forget(entry);
    }
  }

  async #run(entry: Entry, search: MotionSearch): Promise<void> {
    const { signal } = entry.stop;
    try {
      await this.#turns.run(async () => {
        entry.state = "running";
        entry.timer = this.#clock.setTimeout(() => {
          entry.error = "it took too long: search a shorter time";
          entry.stop.abort();
        }, RUN_MS_MAX);
        await search.run(signal);
      }, signal);
      this.#end(entry, entry.error === undefined ? "done" : "failed");
    } catch (error) {
      entry.error ??= error instanceof NvrdError ? error.message : "it cannot go on: the log says why";
      if (!(error instanceof NvrdError)) this.#log.error({ err: error }, `failed: ${errorText(error)}`);
      this.#end(entry, "failed");
    }
  }

  #cancel(entry: Entry): void {
    this.#end(entry, "cancelled");
    entry.stop.abort();
  }

  #end(entry: Entry, state: MotionSearchState): void {
    if (!isUnderWay(entry)) return;
    entry.state = state;
    entry.timer?.clear();
    if (this.#entries.has(entry.id)) entry.timer = this.#clock.setTimeout(() => this.#forget(entry), KEPT_MS);
  }

  #forget(entry: Entry): void {
    entry.timer?.clear();
    this.#entries.delete(entry.id);
  }

  #forgetOldest(): void {
    for (const entry of this.#entries.values()) {
      if (this.#entries.size <= KEPT_MAX) return;
      if (!isUnderWay(entry)) this.#forget(entry);
    }
  }
}

function isUnderWay({ state }: MotionSearchEntry): boolean {
  return state === "waiting" || state === "running";
}
