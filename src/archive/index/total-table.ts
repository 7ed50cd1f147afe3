import { US_PER_DAY } from "../../base/index.js";
import type { DayTotal } from "../segment/types.js";
import { dayKey, numberKey, readDayKey } from "./index-keys.js";
import { type IndexTable, KEY_HIGHEST } from "./index-table.js";

/** The totals of a number of segments. */
export type Total = DayTotal;

export const NOTHING: Total = { segments: 0, bytes: 0, durationUs: 0 };

/** Segments, bytes, µs: three f64. Behind those of a day may be a summary of it (`day-summary.ts`). */
const TOTAL_BYTES = 24;

interface Counted {
  readonly fromUs: number;
  readonly toUs: number;
  readonly bytes: number;
}

/** Totals per stream and day (of a segment's start, UTC), and per volume. */
export class TotalTable {
  readonly #days: IndexTable;
  readonly #volumes: IndexTable;
  /** Totals of volumes as they were last read: they are asked for several times a second, and change once a segment. */
  readonly #ofVolumes = new Map<number, Total>();

  constructor(days: IndexTable, volumes: IndexTable) {
    this.#days = days;
    this.#volumes = volumes;
  }

  /** `sign` 1 counts a segment in, -1 out. What was kept of its days goes. */
  count(segment: Counted, where: { stream: number; volume: number }, sign: 1 | -1, generation: number): void {
    const first = Math.floor(segment.fromUs / US_PER_DAY);
    change(this.#days, dayKey(first, where.stream), segment, sign, generation);
    for (let day = first + 1; day * US_PER_DAY < segment.toUs; day++)
      this.#dropSummary(dayKey(day, where.stream), generation);
    this.#ofVolumes.delete(where.volume);
    change(this.#volumes, numberKey(where.volume), segment, sign, generation);
  }

  ofDay(day: number, stream: number): Total {
    return read(this.#days.get(dayKey(day, stream)));
  }

  /** What was kept of a stream's day since it last changed. */
  summaryOf(day: number, stream: number): Buffer | undefined {
    const value = this.#days.get(dayKey(day, stream));
    return value === undefined || value.length <= TOTAL_BYTES ? undefined : value.subarray(TOTAL_BYTES);
  }

  /** Keeps a summary of a day behind its totals, until they change; of a day in which no segment begins nothing is kept. */
  keepSummary(day: number, stream: number, summary: Buffer, generation: number): void {
    const key = dayKey(day, stream);
    const value = this.#days.get(key);
    if (value !== undefined)
      this.#days.put(key, Buffer.concat([value.subarray(0, TOTAL_BYTES), summary]), generation);
  }

  /** For a stream whose runs were corrected. */
  dropSummaries(stream: number, generation: number): void {
    const keys = [...this.#days.all()]
      .map(({ key }) => key)
      .filter((key) => readDayKey(key).stream === stream);
    for (const key of keys) this.#dropSummary(key, generation);
  }

  #dropSummary(key: Buffer, generation: number): void {
    const value = this.#days.get(key);
    if (value !== undefined && value.length > TOTAL_BYTES)
      this.#days.put(key, value.subarray(0, TOTAL_BYTES), generation);
  }

  ofVolume(volume: number): Total {
    const known = this.#ofVolumes.get(volume);
    if (known !== undefined) return known;
    const total = read(this.#volumes.get(numberKey(volume)));
    this.#ofVolumes.set(volume, total);
    return total;
  }

  *days(): Generator<{ day: number; stream: number; total: Total }> {
    for (const { key, value } of this.#days.all()) yield { ...readDayKey(key), total: read(value) };
  }

  /** The first `limit` totals of days at or after one, by day, then stream. */
  daysFrom(
    at: { day: number; stream: number },
    limit: number,
  ): { day: number; stream: number; total: Total }[] {
    const found: { day: number; stream: number; total: Total }[] = [];
    for (const { key, value } of this.#days.scan(dayKey(at.day, at.stream), KEY_HIGHEST)) {
      found.push({ ...readDayKey(key), total: read(value) });
      if (found.length >= limit) break;
    }
    return found;
  }

  /** Replaces all totals of days by these. */
  replaceDays(totals: Iterable<{ day: number; stream: number; total: Total }>, generation: number): void {
    for (const key of [...this.#days.all()].map((entry) => entry.key)) this.#days.delete(key, generation);
    for (const { day, stream, total } of totals) write(this.#days, dayKey(day, stream), total, generation);
  }

  replaceVolume(volume: number, total: Total, generation: number): void {
    this.#ofVolumes.delete(volume);
    write(this.#volumes, numberKey(volume), total, generation);
  }
}

/** `total` with one segment more (`sign` 1) or less (-1). */
export function counted(total: Total, segment: Counted, sign: 1 | -1): Total {
  return {
    segments: Math.max(0, total.segments + sign),
    bytes: Math.max(0, total.bytes + sign * segment.bytes),
    durationUs: Math.max(0, total.durationUs + sign * (segment.toUs - segment.fromUs)),
  };
}

function change(table: IndexTable, key: Buffer, segment: Counted, sign: 1 | -1, generation: number): void {
  write(table, key, counted(read(table.get(key)), segment, sign), generation);
}

function write(table: IndexTable, key: Buffer, total: Total, generation: number): void {
  if (total.segments === 0) {
    table.delete(key, generation);
    return;
  }
  const value = Buffer.allocUnsafe(TOTAL_BYTES);
  value.writeDoubleBE(total.segments, 0);
  value.writeDoubleBE(total.bytes, 8);
  value.writeDoubleBE(total.durationUs, 16);
  table.put(key, value, generation);
}

function read(value: Buffer | undefined): Total {
  if (value === undefined) return NOTHING;
  return {
    segments: value.readDoubleBE(0),
    bytes: value.readDoubleBE(8),
    durationUs: value.readDoubleBE(16),
  };
}
