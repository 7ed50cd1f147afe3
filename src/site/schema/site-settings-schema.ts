import * as v from "valibot";
import {
  broker,
  directory,
  locations,
  MOBILE_LEVELS,
  mobileLevel,
  mobileSettings,
  monitoring,
  monitoringProxy,
  onvifDevice,
  rtspSettings,
  SCENARIOS_MAX,
  scenario,
  serverSettings,
  VIEWS_MAX,
  view,
  without,
} from "../../contract/index.js";
import { guid, list, storedAllOr, storedEntries } from "../../contract/reading/index.js";
import { alarmTargets } from "./alarm-target-schema.js";
import { analysers } from "./analyser-schema.js";
import { awayTargets } from "./away-target-schema.js";

/** The schema of the parts in site-settings.ts. The depth of map folders is checked before (see `isTooDeep`). */

const storedView = v.strictObject({
  id: guid,
  ...storedEntries(without(view, "GroupIds", "AllGroups")),
  groupIds: storedAllOr(view.GroupIds, "group ids"),
});

const level = v.strictObject(storedEntries(without(mobileLevel, "Type")));

export const siteSettingsEntries = {
  views: list(storedView, VIEWS_MAX, "views"),
  ...storedEntries(locations),
  userScenarios: list(
    v.strictObject({ id: guid, ...storedEntries(scenario) }),
    SCENARIOS_MAX,
    "user scenarios",
  ),
  mobile: v.strictObject({
    ...storedEntries(without(mobileSettings, "Resolutions")),
    levels: v.strictObject(v.entriesFromList(MOBILE_LEVELS, level)),
  }),
  rtsp: v.strictObject(storedEntries(rtspSettings)),
  monitoring: v.strictObject({
    ...storedEntries(without(monitoring, "ProxySettings")),
    ...storedEntries(monitoringProxy),
  }),
  alarmTargets,
  awayTargets,
  analysers,
  directory: v.exactOptional(v.strictObject(storedEntries(directory))),
  broker: v.exactOptional(v.strictObject(storedEntries(broker))),
  onvifDevice: v.exactOptional(v.strictObject(storedEntries(onvifDevice))),
  ...storedEntries(without(serverSettings, "Name")),
};
