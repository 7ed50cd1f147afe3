import * as v from "valibot";
import {
  AWAY_TARGETS_MAX,
  awayHours,
  awayKeeping,
  awayLock,
  awayPace,
  awayPlan,
  awayReach,
  awayTarget,
  part,
} from "../../contract/index.js";
import { guid, list, storedEntries, storedValue } from "../../contract/reading/index.js";

/** The schema of stored targets of recordings off the box. */

const hours = v.pipe(
  v.strictObject(storedEntries(awayHours)),
  v.check(({ fromMinute, toMinute }) => fromMinute < toMinute, "accepted: hours that begin before they end"),
);

export const awayTargets = list(
  v.strictObject({
    id: guid,
    ...storedEntries(part(awayTarget, "Name", "IsEnabled")),
    ...storedEntries(awayReach),
    plan: v.strictObject(storedEntries(awayPlan)),
    cameras: storedValue(awayTarget.Cameras),
    ...storedEntries(awayPace),
    hours: list(hours, awayPace.Hours.max, awayPace.Hours.noun),
    lock: v.strictObject(storedEntries(awayLock)),
    ...storedEntries(awayKeeping),
    identity: storedValue(awayTarget.Identity),
  }),
  AWAY_TARGETS_MAX,
  "away targets",
);
