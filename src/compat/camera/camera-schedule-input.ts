import {
  DAY_RANGES_MAX,
  type DayRange,
  minuteOf,
  RANGE_TO,
  timeText,
  WEEK_DAYS,
  type WeekDay,
  type WeeklySchedule,
} from "../../contract/index.js";
import type { BodyReader } from "../../route/index.js";

const TIME_LENGTH_MAX = 5;
const NAME_LENGTH_MAX = 40;
const TIME = new RegExp(RANGE_TO);

/**
 * `ArchiveSettings.Schedule`, an addition of nvrd: `{"Monday": [{"From": "08:00", "To": "18:00"}], …}`, times of the server's
 * local day, `To` up to 24:00. Null removes the schedule; if absent, it is unchanged.
 */
export function readSchedule(
  archive: BodyReader,
  before: WeeklySchedule | undefined,
): WeeklySchedule | undefined {
  if (archive.isNull("Schedule")) return undefined;
  const value = archive.value("Schedule");
  if (value === undefined) return before;
  const reader = archive.child("Schedule");
  refuseOtherDays(value, reader);
  const days = WEEK_DAYS.map((day) => [day, readDay(reader, day)] as const);
  return Object.fromEntries(days.filter(([, ranges]) => ranges.length > 0));
}

/** A misspelled day would be a day without recording. */
function refuseOtherDays(value: unknown, reader: BodyReader): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const known = new Set(WEEK_DAYS.map((day) => day.toLowerCase()));
  for (const name of Object.keys(value))
    if (!known.has(name.toLowerCase()))
      reader.fault(name.slice(0, NAME_LENGTH_MAX), `is not a day: use ${WEEK_DAYS.join(", ")}`);
}

function readDay(reader: BodyReader, day: WeekDay): readonly DayRange[] {
  const ranges: DayRange[] = [];
  for (const item of reader.children(day, DAY_RANGES_MAX)) {
    const fromMinute = readTime(item, "From");
    const toMinute = readTime(item, "To");
    if (fromMinute === undefined || toMinute === undefined) continue;
    if (toMinute <= fromMinute)
      item.fault("To", "must be later than From: continue after midnight with a range of the next day");
    else ranges.push({ fromMinute, toMinute });
  }
  ranges.sort((one, other) => one.fromMinute - other.fromMinute);
  const overlap = ranges.find((range, at) => range.fromMinute < (ranges[at - 1]?.toMinute ?? 0));
  if (overlap !== undefined)
    reader.fault(day, `the range from ${timeText(overlap.fromMinute)} begins before the one before it ends`);
  return ranges;
}

function readTime(item: BodyReader, name: string): number | undefined {
  const text = item.text(name, TIME_LENGTH_MAX);
  if (text === undefined) return item.value(name) === undefined ? item.fault(name, "is required") : undefined;
  if (!TIME.test(text)) return item.fault(name, "is not a time of day: write 08:00, up to 24:00");
  return minuteOf(text);
}
