import { setImmediate } from "node:timers/promises";
import { type Clock, type Guid, US_PER_DAY } from "../../base/index.js";
import { ARCHIVE_DAYS } from "../../contract/answer/index.js";
import type { IndexStore } from "../index/index-store.js";
import { type RecordedTime, TOTALS_READ_MAX } from "./recorded-time.js";

/** Questions within this time get the same answer. */
const KEPT_US = 30_000_000;

/** What a channel recorded on a day of UTC. */
export interface DayBytes {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Of all its streams. */
  readonly bytes: number;
  /** Of the stream with most of it. */
  readonly durationUs: number;
}

/** What a channel's recordings take. */
export interface ChannelBytes {
  /** Of all its closed segments; undefined until they are counted. */
  readonly recordedBytes: number | undefined;
  /** The last days in which anything was recorded, the oldest first. */
  readonly days: readonly DayBytes[];
}

export interface RecordedBytesOptions {
  readonly index: { readonly store: Pick<IndexStore, "totals" | "streamKey"> };
  readonly recordedTime: Pick<RecordedTime, "bytesByStream">;
  readonly clock: Clock;
}

/** The bytes that each channel records in a day, from the index's totals: a bounded number of them at a time. */
export class RecordedBytes {
  readonly #options: RecordedBytesOptions;
  #answer: Promise<ReadonlyMap<Guid, ChannelBytes>> | undefined;
  #answeredUs = 0;

  constructor(options: RecordedBytesOptions) {
    this.#options = options;
  }

  /** By channel; channels that recorded nothing are absent. */
  read(): Promise<ReadonlyMap<Guid, ChannelBytes>> {
    const nowUs = this.#options.clock.monotonicUs();
    if (this.#answer !== undefined && nowUs - this.#answeredUs < KEPT_US) return this.#answer;
    this.#answeredUs = nowUs;
    const answer = this.#read();
    this.#answer = answer;
    // A failure is the caller's; the next question is asked anew.
    answer.catch(() => {
      if (this.#answer === answer) this.#answer = undefined;
    });
    return answer;
  }

  async #read(): Promise<ReadonlyMap<Guid, ChannelBytes>> {
    const { index, recordedTime, clock } = this.#options;
    const channels = new Map<Guid, { bytes: number | undefined; days: Map<number, DayBytes> }>();
    const of = (stream: number) => {
      const key = index.store.streamKey(stream);
      if (key === undefined) return undefined;
      const known = channels.get(key.channelId) ?? { bytes: undefined, days: new Map<number, DayBytes>() };
      channels.set(key.channelId, known);
      return known;
    };
    for (const [stream, bytes] of recordedTime.bytesByStream ?? []) {
      const channel = of(stream);
      if (channel !== undefined) channel.bytes = (channel.bytes ?? 0) + bytes;
    }
    const today = Math.floor(clock.nowUs() / US_PER_DAY);
    let next: { day: number; stream: number } | undefined = { day: today - ARCHIVE_DAYS + 1, stream: 0 };
    while (next !== undefined) {
      const rows = index.store.totals.daysFrom(next, TOTALS_READ_MAX + 1);
      for (const { day, stream, total } of rows.slice(0, TOTALS_READ_MAX)) {
        const days = day > today ? undefined : of(stream)?.days;
        const known = days?.get(day) ?? { day, bytes: 0, durationUs: 0 };
        const durationUs = Math.max(known.durationUs, total.durationUs);
        days?.set(day, { day, bytes: known.bytes + total.bytes, durationUs });
      }
      next = rows[TOTALS_READ_MAX];
      if (next !== undefined) await setImmediate();
    }
    return new Map(
      [...channels].map(([id, { bytes, days }]) => [id, { recordedBytes: bytes, days: [...days.values()] }]),
    );
  }
}
