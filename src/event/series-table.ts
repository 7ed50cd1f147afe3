import { matches, type Series } from "./series.js";
import type { EventQuery } from "./types.js";

/** Maximum number of numbered series; events of further ones share `MIXED_SERIES` and are checked one by one. */
export const SERIES_MAX = 16_384;
/** The number for events whose series has no number; each has its series in its value. */
export const MIXED_SERIES = 0;

/** The numbers of the series, in memory; the rows on the disk are updated with each commit. */
export class SeriesTable {
  readonly #seriesMax: number;
  readonly #numbers = new Map<string, number>();
  readonly #series = new Map<number, Series>();
  #next = MIXED_SERIES + 1;

  constructor(seriesMax = SERIES_MAX) {
    this.#seriesMax = seriesMax;
  }

  get size(): number {
    return this.#series.size;
  }

  /** Adds a row read from the disk. */
  load(number: number, series: Series): void {
    this.#series.set(number, series);
    this.#numbers.set(nameOf(series), number);
    this.#next = Math.max(this.#next, number + 1);
  }

  get(number: number): Series | undefined {
    return this.#series.get(number);
  }

  /** The series' number; undefined if it has none yet. */
  numberOf(series: Series): number | undefined {
    return this.#numbers.get(nameOf(series));
  }

  /** Assigns a number to the series; MIXED_SERIES if there are too many. */
  add(series: Series): number {
    const known = this.numberOf(series);
    if (known !== undefined) return known;
    if (this.#series.size >= this.#seriesMax) return MIXED_SERIES;
    const number = this.#next;
    this.load(number, {
      typeId: series.typeId,
      channelId: series.channelId,
      category: series.category,
      initiatorType: series.initiatorType,
      initiatorId: series.initiatorId,
    });
    return number;
  }

  remove(number: number): void {
    const series = this.#series.get(number);
    if (series === undefined) return;
    this.#series.delete(number);
    this.#numbers.delete(nameOf(series));
  }

  /** Numbers of the series that match a search; always includes the mixed one. */
  select(query: EventQuery): number[] {
    const numbers = [MIXED_SERIES];
    for (const [number, series] of this.#series) if (matches(series, query)) numbers.push(number);
    return numbers;
  }
}

function nameOf(series: Series): string {
  const { typeId, channelId, category, initiatorType, initiatorId } = series;
  return `${typeId} ${channelId} ${initiatorId} ${category} ${initiatorType}`;
}
