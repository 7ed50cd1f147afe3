import {
  changed,
  defaultsOf,
  type InputOf,
  minuteOf,
  type ObjectOf,
  part,
  type Schedule,
  sendingHours,
  shown,
  shownWeek,
} from "../../contract/index.js";
import type { InputPlace } from "../../route/index.js";
import { type DayRange, type SendingHours, WEEK_DAYS, type WeeklySchedule } from "../../site/index.js";

/* The hours of the week in which messages are sent. */

const ALIKE = part(sendingHours, "ErrorsAnyway");

export function describeSendingHours(hours: SendingHours | undefined): ObjectOf<typeof sendingHours> {
  return {
    IsOn: hours !== undefined,
    Week: hours === undefined ? null : shownWeek(hours.week),
    Otherwise: hours?.areOthersKept === false ? "Never" : "Later",
    ...shown(ALIKE, hours ?? defaultsOf(ALIKE)),
  };
}

/** The hours changed by the input; none where they are off. Adds faults. */
export function sendingHoursOf(
  input: InputOf<typeof sendingHours> | null | undefined,
  before: SendingHours | undefined,
  place: InputPlace,
): SendingHours | undefined {
  if (!(input?.IsOn ?? before !== undefined)) return undefined;
  const at = `${place.path}.SendingHours.Week`;
  const week = input?.Week ? weekOf(input.Week, at, place) : before?.week;
  if (week === undefined) place.faults.add(at, "is required");
  return {
    week: week ?? {},
    areOthersKept: input?.Otherwise ? input.Otherwise === "Later" : (before?.areOthersKept ?? true),
    ...changed(ALIKE, input ?? {}, before),
  };
}

function weekOf(input: Schedule, at: string, place: InputPlace): WeeklySchedule {
  const days = WEEK_DAYS.flatMap((day) => {
    const ranges = rangesOf(input[day] ?? [], `${at}.${day}`, place);
    return ranges.length === 0 ? [] : [[day, ranges] as const];
  });
  if (days.length === 0) place.faults.add(at, "has no hours: switch it off instead", "CONFLICT");
  return Object.fromEntries(days);
}

/** In order; those that touch stay two. */
function rangesOf(
  input: readonly { readonly From: string; readonly To: string }[],
  at: string,
  place: InputPlace,
): readonly DayRange[] {
  const ranges = input
    .map(({ From, To }) => ({ fromMinute: minuteOf(From), toMinute: minuteOf(To) }))
    .sort((one, other) => one.fromMinute - other.fromMinute);
  if (ranges.some(({ fromMinute, toMinute }) => toMinute <= fromMinute))
    place.faults.add(
      at,
      "To must be later than From: continue after midnight with a range of the next day",
      "CONFLICT",
    );
  else if (ranges.some(({ fromMinute }, index) => fromMinute < (ranges[index - 1]?.toMinute ?? 0)))
    place.faults.add(at, "two ranges overlap: make them one", "CONFLICT");
  return ranges;
}
