import type { Schedule } from "../model.js";

/** Names of the days as the recorder has them, from Monday. */
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** A day is painted in half hours. */
export const CELL_MINUTES = 30;
const DAY_MINUTES = 1440;
export const CELLS = DAY_MINUTES / CELL_MINUTES;
const HOUR_MINUTES = 60;

/** From a minute of the day up to another one. */
export type Stretch = readonly [number, number];

/** What is recorded of each day, in order, to the minute. */
export type Week = readonly (readonly Stretch[])[];

/** A place of the grid: which day, and which half hour of it. */
export type Cell = readonly [number, number];

export const WHOLE_WEEK: Week = DAYS.map(() => [[0, DAY_MINUTES]]);
export const EMPTY_WEEK: Week = DAYS.map(() => []);

/** No schedule is the whole week. */
export function weekOf(schedule: Schedule | null): Week {
  if (schedule === null) return WHOLE_WEEK;
  return DAYS.map((day) =>
    joined((schedule[day] ?? []).map(({ From, To }): Stretch => [minuteOf(From), minuteOf(To)])),
  );
}

export function scheduleOf(week: Week): Schedule {
  return Object.fromEntries(
    DAYS.map((day, index) => [
      day,
      (week[index] ?? []).map(([from, to]) => ({ From: timeText(from), To: timeText(to) })),
    ]),
  );
}

/** How much of a half hour is recorded; one that was set by the minute elsewhere may be recorded in part. */
export function cellState(week: Week, [day, cell]: Cell): "on" | "off" | "part" {
  const [from, to] = stretchOf(cell);
  const minutes = (week[day] ?? []).reduce(
    (sum, [begin, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(begin, from)),
    0,
  );
  if (minutes === 0) return "off";
  return minutes === CELL_MINUTES ? "on" : "part";
}

/** All half hours between two corners are recorded, or none. */
export function painted(week: Week, one: Cell, other: Cell, isOn: boolean): Week {
  const [firstDay, lastDay] = [Math.min(one[0], other[0]), Math.max(one[0], other[0])];
  const [from] = stretchOf(Math.min(one[1], other[1]));
  const [, to] = stretchOf(Math.max(one[1], other[1]));
  return week.map((stretches, day) => {
    if (day < firstDay || day > lastDay) return stretches;
    const rest = stretches.flatMap(([begin, end]): Stretch[] =>
      [[begin, Math.min(end, from)] as const, [Math.max(begin, to), end] as const].filter(([a, b]) => a < b),
    );
    return joined(isOn ? [...rest, [from, to]] : rest);
  });
}

/** The days of `onto` become as the day `from`. */
export function withDayCopied(week: Week, from: number, onto: ReadonlySet<number>): Week {
  return week.map((stretches, day) => (onto.has(day) ? (week[from] ?? []) : stretches));
}

export function stretchOf(cell: number): Stretch {
  return [cell * CELL_MINUTES, (cell + 1) * CELL_MINUTES];
}

/** `08:30`; the end of a day is `24:00`. */
export function timeText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / HOUR_MINUTES))}:${two(minute % HOUR_MINUTES)}`;
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * HOUR_MINUTES + minutes;
}

/** In order, and those that touch as one. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: [number, number][] = [];
  for (const [from, to] of stretches.toSorted(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}
