import type { IndexStore } from "../index/index-store.js";

/** Totals of a stream and day that are read at once: 1 to 3 ms on a small machine. */
export const TOTALS_READ_MAX = 1000;

/** The source of the totals; the store changes once the index on disk is open. */
export interface RecordedTimeSource {
  readonly store: Pick<IndexStore, "totals">;
}

/**
 * The recorded time, without gaps, of the stream that has most of it. There are as many totals as streams times days, so
 * they are added up a bounded number at a time; what changes meanwhile counts in the next round.
 */
export class RecordedTime {
  readonly #source: RecordedTimeSource;
  #durations = new Map<number, number>();
  #bytes = new Map<number, number>();
  #bytesByStream: ReadonlyMap<number, number> | undefined;
  #next: { readonly day: number; readonly stream: number } | undefined;
  #longestUs: number | undefined;

  constructor(source: RecordedTimeSource) {
    this.#source = source;
  }

  /** As of the last whole round, µs; undefined before the first. */
  get longestUs(): number | undefined {
    return this.#longestUs;
  }

  /** Bytes of each stream's closed segments, by its number; as of the last whole round, undefined before the first. */
  get bytesByStream(): ReadonlyMap<number, number> | undefined {
    return this.#bytesByStream;
  }

  /** Continues the round; true when it is complete. */
  read(limit = TOTALS_READ_MAX): boolean {
    const from = this.#next ?? { day: 0, stream: 0 };
    const rows = this.#source.store.totals.daysFrom(from, limit + 1);
    for (const { stream, total } of rows.slice(0, limit)) {
      this.#durations.set(stream, (this.#durations.get(stream) ?? 0) + total.durationUs);
      this.#bytes.set(stream, (this.#bytes.get(stream) ?? 0) + total.bytes);
    }
    const rest = rows[limit];
    this.#next = rest === undefined ? undefined : { day: rest.day, stream: rest.stream };
    if (rest !== undefined) return false;
    this.#longestUs = [...this.#durations.values()].reduce((most, us) => Math.max(most, us), 0);
    this.#bytesByStream = this.#bytes;
    this.#durations = new Map();
    this.#bytes = new Map();
    return true;
  }
}
