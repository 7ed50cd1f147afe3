import { US_PER_DAY } from "../../base/index.js";

/** Number of a day (UTC) since 1970 that holds a moment. */
export function dayNumber(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}

/** `yyyy-mm-dd`. */
export function dayText(day: number): string {
  return new Date((day * US_PER_DAY) / 1000).toISOString().slice(0, 10);
}

/** The days of a channel that a bucket has, with the newest revision of each: 12 bytes a day. */
export class DayList {
  readonly #days: Int32Array;
  readonly #revisions: Float64Array;

  /** @param revisions By the number of the day. */
  constructor(revisions: ReadonlyMap<number, number>) {
    this.#days = Int32Array.from(revisions.keys()).sort();
    this.#revisions = Float64Array.from(this.#days, (day) => revisions.get(day) ?? 0);
  }

  get size(): number {
    return this.#days.length;
  }

  get first(): number | undefined {
    return this.#days[0];
  }

  get newest(): number | undefined {
    return this.#days.at(-1);
  }

  revisionOf(day: number): number | undefined {
    const at = this.#placeOf(day);
    return this.#days[at] === day ? this.#revisions[at] : undefined;
  }

  /** Those in `[from, to]`, in order. */
  between(from: number, to: number): readonly number[] {
    return [...this.#days.subarray(this.#placeOf(from), this.#placeOf(to + 1))];
  }

  /** The first day behind one. */
  after(day: number): number | undefined {
    return this.#days[this.#placeOf(day + 1)];
  }

  /** The last day before one. */
  before(day: number): number | undefined {
    return this.#days[this.#placeOf(day) - 1];
  }

  /** Place of the first day that is not before `day`. */
  #placeOf(day: number): number {
    let low = 0;
    let high = this.#days.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#days[middle] ?? 0) < day) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
