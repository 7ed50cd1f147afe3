import * as v from "valibot";
import {
  choice,
  FLAG,
  given,
  type InputPlace,
  type JsonSchema,
  members,
  type Note,
  objectOf,
  orNull,
  schemaOfBody,
} from "../../route/index.js";
import {
  type DayRange,
  type SendingHours,
  SITE_LIMITS,
  siteValues,
  WEEK_DAYS,
  type WeeklySchedule,
} from "../../site/index.js";
import { minuteOf, timeOfDay, timeText } from "./time-of-day.js";

/* The hours of the week in which somebody is told. */

const OTHERWISE = ["Later", "Never"] as const;
const { flag } = siteValues;
const dayRanges = siteValues.list(
  members({ From: timeOfDay, To: timeOfDay }),
  SITE_LIMITS.scheduleRangesPerDayMax,
  "ranges of a day",
);

/** A misspelled day would be a day without messages. */
const week = v.pipe(
  v.strictObject(v.entriesFromList(WEEK_DAYS, v.optional(dayRanges)), "accepted: days with their hours"),
  v.metadata({
    jsonSchema: {
      title: "SendingWeek",
      description:
        'Hours by day, in the recorder\'s local time: `{"Monday": [{"From": "08:00", "To": "18:00"}]}`. Days that are left out have none. `To` is later than `From`, up to `24:00`; a range beyond midnight continues on the next day.',
    },
  }),
);

export const SENDING_HOURS = members({
  IsOn: given(flag),
  Week: given(week),
  Otherwise: given(siteValues.oneOf(OTHERWISE)),
  ErrorsAnyway: given(flag),
});
type SendingHoursInput = v.InferOutput<typeof SENDING_HOURS>;
type WeekInput = NonNullable<SendingHoursInput["Week"]>;

export const SENDING_HOURS_NOTES = {
  SendingHours: "Instead of `QuietHours`: switching on one of them switches off the other.",
  "SendingHours.IsOn": {
    description: "Messages in the hours of `Week` alone, which is null in answers where this is false.",
    default: false,
  },
  "SendingHours.Otherwise": {
    description:
      "What happens at other hours: `Later` is told when the next ones begin, within eight days; `Never` is not told.",
    default: "Later",
  },
  "SendingHours.ErrorsAnyway": { description: "Errors are told at once at all hours.", default: true },
} as const satisfies Readonly<Record<string, Note>>;

/** As answers have them. */
export const SENDING_HOURS_ANSWER: JsonSchema = objectOf({
  IsOn: FLAG,
  Week: orNull(schemaOfBody(week)),
  Otherwise: choice(OTHERWISE),
  ErrorsAnyway: FLAG,
});

export function describeSendingHours(hours: SendingHours | undefined): object {
  return {
    IsOn: hours !== undefined,
    Week: hours === undefined ? null : weekObject(hours.week),
    Otherwise: hours?.areOthersKept === false ? "Never" : "Later",
    ErrorsAnyway: hours?.areErrorsTold ?? true,
  };
}

function weekObject(week: WeeklySchedule): object {
  const days = WEEK_DAYS.flatMap((day) => {
    const ranges = (week[day] ?? []).map((range) => ({
      From: timeText(range.fromMinute),
      To: timeText(range.toMinute),
    }));
    return ranges.length === 0 ? [] : [[day, ranges] as const];
  });
  return Object.fromEntries(days);
}

/** The hours changed by the input; none where they are off. Adds faults. */
export function sendingHoursOf(
  input: SendingHoursInput | null | undefined,
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
    areErrorsTold: input?.ErrorsAnyway ?? before?.areErrorsTold ?? true,
  };
}

function weekOf(input: WeekInput, at: string, place: InputPlace): WeeklySchedule {
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
    .map(({ From, To }) => ({ fromMinute: minuteOf(From) ?? 0, toMinute: minuteOf(To) ?? 0 }))
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
