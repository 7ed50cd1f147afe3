import * as v from "valibot";
import { MINUTES_PER_DAY } from "../../base/index.js";
import { flag, guid, line, list, name, oneOf, whole } from "../../contract/reading/index.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { WEEK_DAYS } from "../model/week.js";

/** The schema of scenarios, and of their values in the API. */

export const scenarioSeconds = whole(1, SITE_LIMITS.scenarioSecondsMax);
export const scenarioPreset = whole(0, SITE_LIMITS.scenarioPresetMax);
export const scenarioText = line(SITE_LIMITS.scenarioTextLengthMax);
/** The longest text that is read of a device. */
export const scenarioOutput = v.pipe(
  line(SITE_LIMITS.profileTokenLengthMax),
  v.minLength(1, "accepted: the name of an output"),
);
const channelId = v.nullable(guid);

const action = v.variant("kind", [
  v.strictObject({ kind: v.literal("record"), channelId, seconds: scenarioSeconds }),
  v.strictObject({ kind: v.literal("preset"), channelId, preset: scenarioPreset }),
  v.strictObject({
    kind: v.literal("output"),
    channelId,
    output: scenarioOutput,
    isOn: flag,
    seconds: v.nullable(scenarioSeconds),
  }),
  v.strictObject({ kind: v.literal("announcement"), channelId, announcementId: guid }),
  v.strictObject({ kind: v.literal("alarm"), channelId, text: scenarioText }),
  v.strictObject({ kind: v.literal("event"), channelId, text: scenarioText }),
]);

const start = v.variant("kind", [
  v.strictObject({
    kind: v.literal("event"),
    eventTypeIds: list(guid, SITE_LIMITS.scenarioEventTypesMax, "event types"),
  }),
  v.strictObject({
    kind: v.literal("time"),
    days: list(oneOf(WEEK_DAYS), WEEK_DAYS.length, "days"),
    minute: whole(0, MINUTES_PER_DAY - 1),
  }),
]);

export const userScenarios = list(
  v.strictObject({
    id: guid,
    name,
    needConfirmation: flag,
    channelIds: list(guid, SITE_LIMITS.camerasMax, "channels"),
    actions: v.exactOptional(list(action, SITE_LIMITS.scenarioActionsMax, "actions")),
    starts: v.exactOptional(list(start, SITE_LIMITS.scenarioStartsMax, "starts")),
  }),
  SITE_LIMITS.userScenariosMax,
  "user scenarios",
);
