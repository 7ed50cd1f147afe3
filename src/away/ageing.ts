import type { AgeClock } from "../archive/index.js";
import { type Guid, type Interval, type Log, US_PER_DAY } from "../base/index.js";
import type { AwayTarget } from "../site/index.js";
import type { DayBooks } from "./day-books.js";
import { segmentKey } from "./plan/manifest.js";
import { type DayEntry, dayBeginUs, dayOf, type SentEntry } from "./plan/sent-segment.js";
import { joined, overlapsAny } from "./plan/spans.js";
import type { Sender } from "./send/sender.js";

/** Rules of the bucket count from the sending: they are given some days before the recorder removes what they left. */
const RULES_DAYS = 2;

export interface AgeingOptions {
  readonly target: Pick<AwayTarget, "keepDays" | "ageBy">;
  readonly sender: Pick<Sender, "run">;
  readonly books: Pick<DayBooks, "days" | "entriesOf" | "forget">;
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  /** Whether a lock wants it to stay. */
  readonly isLocked: (channelId: Guid, span: Interval) => boolean;
  /** What ended before goes because there is no more room; 0: there is. */
  readonly roomFromUs: () => number;
  /** A clock that is wrong removes nothing. */
  readonly ages: AgeClock;
  readonly log: Log;
}

/** The beginning of the oldest day that stays in the bucket; 0: all stay. */
export function keptFromUs({ keepDays }: Pick<AwayTarget, "keepDays">, nowUs: number): number {
  return keepDays === null ? 0 : dayBeginUs(dayOf(nowUs)) - keepDays * US_PER_DAY;
}

/**
 * Removes from the bucket what is too old, and from the manifests: once a day, and when room is needed, one object at a time. Where
 * rules of the bucket do that it removes only what they left, for example what was sent before they were set.
 */
export class Ageing {
  readonly #options: AgeingOptions;
  /** The day, and for what room, of which all is planned. */
  #done = "";
  #days: { readonly channelId: Guid; readonly day: string }[] = [];
  #waiting: DayEntry[] = [];
  #removed = 0;

  constructor(options: AgeingOptions) {
    this.#options = options;
  }

  /** Removes one object; false: nothing is to be removed today. Rejects with SendError. */
  async step(): Promise<boolean> {
    const { target, sender, books, roomFromUs, ages, log } = this.#options;
    if ((target.keepDays === null && roomFromUs() === 0) || !ages.isKnown) return false;
    const due = `${dayOf(ages.nowUs)} ${roomFromUs()}`;
    if (due !== this.#done) await this.#plan(due);
    while (this.#waiting.length === 0) {
      const next = this.#days[0];
      if (next === undefined) {
        if (this.#removed > 0)
          log.info({ segments: this.#removed }, "old recordings removed from the bucket");
        this.#removed = 0;
        return false;
      }
      this.#waiting = await this.#oldOf(next);
      this.#days.shift();
    }
    const [next] = this.#waiting;
    if (next === undefined) return false;
    const { channelId, day, entry } = next;
    if (this.#isOld(channelId, entry)) {
      await sender.run({ op: "erase", key: segmentKey(channelId, entry) });
      await books.forget(channelId, day, entry.segmentId);
      this.#removed += 1;
    }
    this.#waiting.shift();
    return true;
  }

  async #plan(due: string): Promise<void> {
    const fromUs = this.#fromUs();
    const days = (await this.#options.books.days()).filter(({ day }) => dayBeginUs(day) < fromUs);
    this.#days = days.sort((a, b) => (a.day < b.day ? -1 : 1));
    this.#done = due;
  }

  async #oldOf({ channelId, day }: { channelId: Guid; day: string }): Promise<DayEntry[]> {
    const entries = await this.#options.books.entriesOf(channelId, day);
    return entries
      .filter((entry) => this.#isOld(channelId, entry))
      .map((entry) => ({ channelId, day, entry }));
  }

  #isOld(channelId: Guid, entry: SentEntry): boolean {
    const { protectedRanges, isLocked } = this.#options;
    if (entry.toUs > this.#fromUs() || isLocked(channelId, entry)) return false;
    return !overlapsAny(joined(protectedRanges(channelId)), entry);
  }

  #fromUs(): number {
    const { target, roomFromUs, ages } = this.#options;
    const slackUs = target.ageBy === "bucket" ? RULES_DAYS * US_PER_DAY : 0;
    return Math.max(keptFromUs(target, ages.nowUs) - slackUs, roomFromUs());
  }
}
