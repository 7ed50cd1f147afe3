import type { AgeClock } from "../archive/index.js";
import { type Guid, type Interval, US_PER_HOUR } from "../base/index.js";
import type { DayBooks } from "./day-books.js";
import type { SentEntry } from "./plan/sent-segment.js";
import { joined, overlapsAny } from "./plan/spans.js";
import type { TargetState } from "./target-state.js";

/** So much of the oldest recordings goes at once, or this share of what is kept there if that is less. */
const STEP_US = US_PER_HOUR;
const STEP_SHARE = 1 / 8;

export interface RoomMakingOptions {
  readonly books: Pick<DayBooks, "days" | "entriesOf">;
  readonly state: TargetState;
  readonly protectedRanges: (channelId: Guid) => readonly Interval[];
  readonly isLocked: (channelId: Guid, span: Interval) => boolean;
  readonly ages: AgeClock;
}

/** Decides what goes where another recorder has no more room: the oldest recordings, protected and locked ones excepted. */
export class RoomMaking {
  readonly #options: RoomMakingOptions;

  constructor(options: RoomMakingOptions) {
    this.#options = options;
  }

  /** What ended before is to go, and does not go there any more; 0: all may stay. */
  get fromUs(): number {
    return this.#options.state.kept.roomFromUs;
  }

  /** Has the oldest go; false: nothing can. Rejects with SendError. */
  async raise(): Promise<boolean> {
    const { state, ages } = this.#options;
    if (!ages.isKnown) return false;
    const oldest = await this.#oldest();
    if (oldest === undefined) return false;
    const stepUs = Math.min(STEP_US, Math.max(0, ages.nowUs - oldest.fromUs) * STEP_SHARE);
    state.change({ roomFromUs: Math.max(this.fromUs, oldest.toUs, Math.floor(oldest.fromUs + stepUs)) });
    return true;
  }

  async #oldest(): Promise<SentEntry | undefined> {
    const { books } = this.#options;
    const places = await books.days();
    for (const day of [...new Set(places.map((place) => place.day))].sort()) {
      let oldest: SentEntry | undefined;
      const channels = new Set(places.filter((place) => place.day === day).map((place) => place.channelId));
      for (const channelId of channels)
        for (const entry of await books.entriesOf(channelId, day))
          if (this.#mayGo(channelId, entry) && entry.fromUs < (oldest?.fromUs ?? Number.POSITIVE_INFINITY))
            oldest = entry;
      if (oldest !== undefined) return oldest;
    }
    return undefined;
  }

  #mayGo(channelId: Guid, entry: SentEntry): boolean {
    const { protectedRanges, isLocked } = this.#options;
    return !isLocked(channelId, entry) && !overlapsAny(joined(protectedRanges(channelId)), entry);
  }
}
