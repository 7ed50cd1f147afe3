/** A day of the calendar; months from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** What a clock on the wall shows. */
export interface WallReading extends CalendarDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** The zone's clock differs from UTC by `offsetMs` from `from` to `to`. */
export interface OffsetStretch {
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
}

export const DAY_MS = 86_400_000;
/** Clocks are changed on a quarter of an hour of UTC, in every zone of this century. */
const QUARTER_MS = 900_000;
const HALF_DAY_MS = DAY_MS / 2;
/** Offsets that are remembered; formatting one takes some microseconds, and a picture of the timeline asks for hundreds. */
const REMEMBERED_MAX = 4096;

/** A time zone, by the browser's own tables; UTC where it does not know the zone. Moments are Unix milliseconds. */
export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(name: string) {
    this.#format = formatOf(name);
    this.name = this.#format.resolvedOptions().timeZone;
  }

  /** Local time minus UTC. */
  offsetAt(moment: number): number {
    const quarter = Math.floor(moment / QUARTER_MS);
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const offset = this.#offsetOf(quarter * QUARTER_MS);
    if (this.#offsets.size >= REMEMBERED_MAX) this.#offsets.clear();
    this.#offsets.set(quarter, offset);
    return offset;
  }

  #offsetOf(moment: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(moment)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - moment;
  }

  readingAt(moment: number): WallReading {
    return utcReading(new Date(moment + this.offsetAt(moment)));
  }

  /**
   * The moments at which the clock shows this: two in the night in which it is put back, none of the hour that it leaves
   * out in spring.
   */
  momentsOf(reading: WallReading): readonly number[] {
    const local = utcOf(reading);
    const offsets = new Set([this.offsetAt(local - DAY_MS), this.offsetAt(local + DAY_MS)]);
    return [...offsets]
      .map((offset) => local - offset)
      .filter((moment) => moment + this.offsetAt(moment) === local)
      .sort((a, b) => a - b);
  }

  /** The first moment at which the clock shows this. A reading that is left out counts on from before the change. */
  momentOf(reading: WallReading): number {
    const local = utcOf(reading);
    return this.momentsOf(reading)[0] ?? local - this.offsetAt(local - DAY_MS);
  }

  /** The first moment of a day: midnight, or later where the clock leaves midnight out. */
  startOf(day: CalendarDay): number {
    return this.momentOf({ ...day, hour: 0, minute: 0, second: 0, millisecond: 0 });
  }

  /** What the clock shows at a moment, as a field for times writes it: `2026-11-23T15:00:00`. */
  textAt(moment: number): string {
    return new Date(moment + this.offsetAt(moment)).toISOString().slice(0, 19);
  }

  /** The first moment at which the clock shows a text like that, seconds optional; undefined for anything else. */
  momentOfText(text: string): number | undefined {
    const isText = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?$/.test(text);
    const local = isText ? new Date(`${text.slice(0, 19)}Z`) : undefined;
    if (local === undefined || Number.isNaN(local.getTime())) return undefined;
    return this.momentOf(utcReading(local));
  }

  dayAt(moment: number): CalendarDay {
    const { year, month, day } = this.readingAt(moment);
    return { year, month, day };
  }

  /** The stretches of `from` to `to` in which the clock is not changed. */
  stretches(from: number, to: number): readonly OffsetStretch[] {
    const found: OffsetStretch[] = [];
    let start = from;
    let offsetMs = this.offsetAt(from);
    // On a fixed grid, so that the next picture asks for the same, remembered offsets.
    for (let at = (Math.floor(from / HALF_DAY_MS) + 1) * HALF_DAY_MS; start < to; at += HALF_DAY_MS) {
      const end = Math.min(at, to);
      if (this.offsetAt(end) !== offsetMs) {
        const change = this.#changeBetween(Math.max(start, end - HALF_DAY_MS), end);
        found.push({ from: start, to: change, offsetMs });
        [start, offsetMs] = [change, this.offsetAt(change)];
      }
      if (end === to) break;
    }
    if (start < to) found.push({ from: start, to, offsetMs });
    return found;
  }

  #changeBetween(before: number, after: number): number {
    let low = Math.floor(before / QUARTER_MS);
    let high = Math.floor(after / QUARTER_MS);
    const offset = this.offsetAt(before);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle * QUARTER_MS) === offset) low = middle;
      else high = middle;
    }
    return high * QUARTER_MS;
  }
}

const FORMAT: Intl.DateTimeFormatOptions = {
  calendar: "gregory",
  numberingSystem: "latn",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
};

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { ...FORMAT, timeZone: name });
  } catch (error) {
    console.warn(`this browser does not know the time zone "${name}"`, error);
    return new Intl.DateTimeFormat("en-US", { ...FORMAT, timeZone: "UTC" });
  }
}

function utcReading(date: Date): WallReading {
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
  };
}

function utcOf({ year, month, day, hour, minute, second, millisecond }: WallReading): number {
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

/** A day so many days later, or earlier. */
export function addDays({ year, month, day }: CalendarDay, count: number): CalendarDay {
  return utcDay(Date.UTC(year, month - 1, day + count));
}

/** The same day so many months later; the month's last day where it has no such day. */
export function addMonths({ year, month, day }: CalendarDay, count: number): CalendarDay {
  const first = utcDay(Date.UTC(year, month - 1 + count, 1));
  return { ...first, day: Math.min(day, daysIn(first)) };
}

export function daysIn({ year, month }: Pick<CalendarDay, "year" | "month">): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf({ year, month, day }: CalendarDay): number {
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

export function isLater(a: CalendarDay, b: CalendarDay): boolean {
  return a.year !== b.year ? a.year > b.year : a.month !== b.month ? a.month > b.month : a.day > b.day;
}

export function sameDay(a: CalendarDay, b: CalendarDay): boolean {
  return a.year === b.year && a.month === b.month && a.day === b.day;
}

function utcDay(utc: number): CalendarDay {
  const date = new Date(utc);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
