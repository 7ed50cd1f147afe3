import { type Clock, type Guid, type Interval, type Log, US_PER_DAY, US_PER_MINUTE } from "../base/index.js";
import type { AwayTarget } from "../site/index.js";
import type { DayBooks } from "./day-books.js";
import { segmentKey } from "./plan/manifest.js";
import { dayBeginUs, dayOf, type SentEntry } from "./plan/sent-segment.js";
import { joined, overlapsAny } from "./plan/spans.js";
import { SendError, type Sender } from "./send/sender.js";

const RETRY_US = 10 * US_PER_MINUTE;

export interface UntaggingOptions {
  readonly target: Pick<AwayTarget, "keepDays" | "ageBy">;
  readonly sender: Pick<Sender, "run">;
  readonly books: Pick<DayBooks, "entriesOf" | "isKept" | "noteKept">;
  readonly channels: () => readonly Guid[];
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  readonly clock: Pick<Clock, "nowUs" | "monotonicUs">;
  readonly log: Log;
}

interface Waiting {
  readonly channelId: Guid;
  readonly day: string;
  readonly entry: SentEntry;
}

/** What is protected after it was sent loses the tag by which rules of the bucket remove it: one object at a time. */
export class Untagging {
  readonly #options: UntaggingOptions;
  #followed = "";
  readonly #days = new Map<string, { readonly channelId: Guid; readonly day: string }>();
  #waiting: Waiting[] = [];
  #retryUs = Number.NEGATIVE_INFINITY;

  constructor(options: UntaggingOptions) {
    this.#options = options;
  }

  /** It was protected while it was under way with its tag. */
  look(channelId: Guid, day: string): void {
    this.#days.set(`${channelId}/${day}`, { channelId, day });
  }

  /** False: nothing is to be done. Rejects with SendError where the storage cannot be used. */
  async step(): Promise<boolean> {
    const { target, sender, books, clock, log } = this.#options;
    if (target.keepDays === null || target.ageBy !== "bucket") return false;
    this.#follow();
    while (this.#waiting.length === 0) {
      const [next] = this.#days;
      if (next === undefined || clock.monotonicUs() < this.#retryUs) return false;
      this.#waiting = await this.#protectedOf(next[1]);
      this.#days.delete(next[0]);
    }
    const [next] = this.#waiting;
    if (next === undefined || clock.monotonicUs() < this.#retryUs) return false;
    const { channelId, day, entry } = next;
    try {
      await sender.run({ op: "untag", key: segmentKey(channelId, entry) });
    } catch (error) {
      const isOwn =
        error instanceof SendError && (error.fault === "unsupported" || error.fault === "forbidden");
      if (!isOwn) throw error;
      log.warn({ problem: error.message }, "protected recordings in the bucket may be removed by its rules");
      this.#retryUs = clock.monotonicUs() + RETRY_US;
      return false;
    }
    await books.noteKept(channelId, day, entry.segmentId);
    this.#waiting.shift();
    return true;
  }

  #follow(): void {
    const { channels, protectedRanges, clock } = this.#options;
    const ranges = channels().flatMap((channelId) =>
      protectedRanges(channelId).map(({ fromUs, toUs }) => ({ channelId, fromUs, toUs })),
    );
    // Anew with each day: what is sent late has its tag chosen when it is sent.
    const text = JSON.stringify([dayOf(clock.nowUs()), ranges]);
    if (text === this.#followed) return;
    this.#followed = text;
    for (const { channelId, fromUs, toUs } of ranges)
      for (let us = dayBeginUs(dayOf(Math.max(0, fromUs - US_PER_DAY))); us < toUs; us += US_PER_DAY)
        this.#days.set(`${channelId}/${dayOf(us)}`, { channelId, day: dayOf(us) });
  }

  async #protectedOf({ channelId, day }: { channelId: Guid; day: string }): Promise<Waiting[]> {
    const { books, protectedRanges } = this.#options;
    const spans = joined(protectedRanges(channelId));
    const waiting: Waiting[] = [];
    for (const entry of await books.entriesOf(channelId, day))
      if (overlapsAny(spans, entry) && !(await books.isKept(channelId, day, entry.segmentId)))
        waiting.push({ channelId, day, entry });
    return waiting;
  }
}
