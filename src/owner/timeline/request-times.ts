import { type Interval, NvrdError, US_PER_DAY } from "../../base/index.js";

/** The longest time of one request: a leap year. */
const DAYS_MAX = 366;

/** The time from `from` to `to`. Throws NvrdError BAD_REQUEST unless `to` is later, by 366 days at most. */
export function spanOf(fromUs: number, toUs: number): Interval {
  if (toUs <= fromUs) throw new NvrdError("BAD_REQUEST", "to must be later than from");
  if (toUs - fromUs > DAYS_MAX * US_PER_DAY)
    throw new NvrdError("BAD_REQUEST", `from and to are more than ${DAYS_MAX} days apart: ask for parts`);
  return { fromUs, toUs };
}
