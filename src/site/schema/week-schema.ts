import * as v from "valibot";
import { MINUTES_PER_DAY } from "../../base/index.js";
import { list, whole } from "../../contract/reading/index.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { WEEK_DAYS } from "../model/week.js";

const minuteOfDay = whole(0, MINUTES_PER_DAY);
const dayRanges = v.pipe(
  list(
    v.strictObject({ fromMinute: minuteOfDay, toMinute: minuteOfDay }),
    SITE_LIMITS.scheduleRangesPerDayMax,
    "ranges",
  ),
  v.check(
    (ranges) =>
      ranges.every((range, index) => {
        const previousEnd = ranges[index - 1]?.toMinute ?? 0;
        return previousEnd <= range.fromMinute && range.fromMinute < range.toMinute;
      }),
    "accepted: ranges in order that do not overlap, each from an earlier to a later minute",
  ),
);
/** A week of the configuration; days without ranges are left out. */
export const weeklySchedule = v.strictObject(v.entriesFromList(WEEK_DAYS, v.exactOptional(dayRanges)));
