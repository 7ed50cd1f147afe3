import { type Clock, US_PER_DAY } from "../base/index.js";
import { EVENT_KEY_BYTES, eventKey, POSITION_HIGHEST, POSITION_LOWEST, positionOf } from "./event-key.js";
import type { EventStore } from "./event-store.js";
import { seriesNumberOf } from "./event-value.js";

/** Maximum number of events deleted per batch: more than one write batch adds. */
const REMOVED_EVENTS_MAX = 2048;
const REMOVED_BYTES_MAX = 8 * 1024 * 1024;
/** Additional amount that is deleted, so that not every tick has to delete. */
const SLACK_BYTES = 64 * 1024;
/** Fraction of the allowed bytes for pages in use; the rest is for freed pages that are not reused yet. */
const USED_SHARE_MAX = 0.8;

export interface EventRetentionOptions {
  readonly clock: Clock;
  /** Older events go. */
  readonly days: number;
  /** Maximum size of the log's file. */
  readonly bytesMax: number;
  /** Whether the wall clock is right; while it is not, no event is deleted because of its age. */
  readonly isClockKnown: () => boolean;
}

/** Keeps the event log within its size and age limits: the oldest events are deleted first. */
export class EventRetention {
  readonly #options: EventRetentionOptions;

  constructor(options: EventRetentionOptions) {
    this.#options = options;
  }

  /** Events of before leave for their age, Unix microseconds; 0: none does. */
  get keptSinceUs(): number {
    const { clock, days, isClockKnown } = this.#options;
    return isClockKnown() ? clock.nowUs() - days * US_PER_DAY : 0;
  }

  /** Deletes one batch if there is too much; returns how many events. Rejects if the deletion could not be written. */
  async removeBatch(store: EventStore): Promise<number> {
    const excessBytes = store.environment.usedBytes() - this.#options.bytesMax * USED_SHARE_MAX;
    const isTooLarge = excessBytes > 0;
    const oldestUs = this.keptSinceUs;
    if (!isTooLarge && (oldestPosition(store)?.timeUs ?? oldestUs) >= oldestUs) return 0;
    const oldest = store.environment.entries("events", {
      low: eventKey(POSITION_LOWEST),
      high: eventKey(POSITION_HIGHEST),
      reverse: false,
      limit: REMOVED_EVENTS_MAX,
      bytesMax: isTooLarge ? Math.min(excessBytes + SLACK_BYTES, REMOVED_BYTES_MAX) : REMOVED_BYTES_MAX,
    });
    const events = oldest.flatMap(({ key, value }) => {
      const position = positionOf(key, EVENT_KEY_BYTES);
      if (position === undefined || (!isTooLarge && position.timeUs >= oldestUs)) return [];
      return [{ position, series: value === undefined ? undefined : seriesNumberOf(value) }];
    });
    if (events.length > 0) await store.remove(events);
    return events.length;
  }
}

function oldestPosition(store: EventStore) {
  return store.positions({ from: POSITION_LOWEST, to: POSITION_HIGHEST, limit: 1, reverse: false })[0];
}
