import * as v from "valibot";
import {
  ALARM_TARGETS_MAX,
  alarmTarget,
  eventSelection,
  mail,
  part,
  quietHours,
  sendingHours,
  syslog,
  webhook,
  week,
} from "../../contract/index.js";
import {
  guid,
  list,
  minuteOfDay,
  storedAllOr,
  storedEntries,
  storedValue,
} from "../../contract/reading/index.js";

/** The schema of stored alarm targets. */

const delivery = v.variant("kind", [
  v.strictObject({ kind: v.literal("webhook"), ...storedEntries(webhook) }),
  v.strictObject({ kind: v.literal("mail"), ...storedEntries(mail) }),
  v.strictObject({ kind: v.literal("syslog"), ...storedEntries(syslog) }),
]);

/** Which events are sent, and when. */
export const selection = {
  events: v.union(
    [v.literal("errors"), v.literal("errorsAndAlarms"), storedValue(eventSelection.EventTypeIds)],
    "accepted: errors, errorsAndAlarms, or a list of event types",
  ),
  channelIds: storedAllOr(eventSelection.ChannelIds, "channel ids"),
  ...storedEntries(part(eventSelection, "RecorderEvents")),
  quietHours: v.exactOptional(
    v.strictObject({
      ...{ fromMinute: minuteOfDay, toMinute: minuteOfDay },
      ...storedEntries(part(quietHours, "ErrorsAnyway")),
    }),
  ),
  sendingHours: v.exactOptional(
    v.strictObject({
      ...{ week: storedValue(week), areOthersKept: v.boolean("accepted: true or false") },
      ...storedEntries(part(sendingHours, "ErrorsAnyway")),
    }),
  ),
};

export const alarmTargets = list(
  v.strictObject({
    id: guid,
    ...storedEntries(part(alarmTarget, "Name", "IsEnabled", "PerHourMax")),
    ...selection,
    delivery,
  }),
  ALARM_TARGETS_MAX,
  "alarm targets",
);
