import * as v from "valibot";
import { DAY_MINUTES, DAY_RANGES_MAX, WEEK_DAYS } from "../kinds/week.js";
import { list, whole } from "./values.js";

/** Readers of the hours of a week. */

/** Of a body, of ranges with these members: a misspelled day would be a day without hours. Their order is not checked here. */
export function weekOf<T>(range: v.GenericSchema<unknown, T>) {
  const ranges = list(range, DAY_RANGES_MAX, "ranges of a day");
  return v.pipe(
    v.strictObject(v.entriesFromList(WEEK_DAYS, v.optional(ranges)), "accepted: days with their hours"),
    v.metadata({
      jsonSchema: {
        title: "SendingWeek",
        description:
          'Hours by day, in the recorder\'s local time: `{"Monday": [{"From": "08:00", "To": "18:00"}]}`. Days that are left out have none. `To` is later than `From`, up to `24:00`; a range beyond midnight continues on the next day.',
      },
    }),
  );
}

/** A minute of the day, or its end. */
export const minuteOfDay = whole(0, DAY_MINUTES);

const dayRanges = v.pipe(
  list(v.strictObject({ fromMinute: minuteOfDay, toMinute: minuteOfDay }), DAY_RANGES_MAX, "ranges"),
  v.check(
    (ranges) =>
      ranges.every((range, index) => {
        const previousEnd = ranges[index - 1]?.toMinute ?? 0;
        return previousEnd <= range.fromMinute && range.fromMinute < range.toMinute;
      }),
    "accepted: ranges in order that do not overlap, each from an earlier to a later minute",
  ),
);

/** Of the stored configuration. */
export const storedWeek = v.strictObject(v.entriesFromList(WEEK_DAYS, v.exactOptional(dayRanges)));
