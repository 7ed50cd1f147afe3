/**
 * compat/configuration: the configuration except cameras: /configex and /configure/*.
 *
 * Belongs here: groups, users and their passwords, security objects, views, alarms, server settings; the whole configuration as
 * in /configex. Does not belong here: cameras (`camera`), checking and storing it (`site`).
 */
import type { Route } from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";
import { ALARM_TARGET_ROUTES } from "./configure-alarms.js";
import { ANALYSER_ROUTES } from "./configure-analysers.js";
import { AWAY_TARGET_ROUTES } from "./configure-away.js";
import { GROUP_ROUTES } from "./configure-groups.js";
import { LOCATION_ROUTES } from "./configure-locations.js";
import { MOBILE_SETTINGS_ROUTES } from "./configure-mobile.js";
import { MONITORING_ROUTES } from "./configure-monitoring.js";
import { RTSP_SETTINGS_ROUTES } from "./configure-rtsp.js";
import { SECURITY_OBJECT_ROUTES } from "./configure-securityobjects.js";
import { SERVER_ROUTES } from "./configure-server.js";
import { USER_ROUTES } from "./configure-users.js";
import { USER_SCENARIO_ROUTES } from "./configure-userscenarios.js";
import { VIEW_ROUTES } from "./configure-views.js";
import { CONFIGEX_ROUTE } from "./get-configex.js";
import { PASSWORD_ROUTE } from "./put-password.js";

export type { ConfigurationNeeds, PartnerServers } from "./configuration-answers.js";
export { ConfigurationAnswers, REMEMBERED_ANSWER_BYTES_MAX } from "./configuration-answers.js";
export type {
  OtherFolder,
  OtherServer,
  OtherServers,
  PartnerServer,
} from "./configuration-description.js";
export { ADD_AWAY_TARGET } from "./configure-away.js";
export {
  describeSelection,
  SELECTION_RULE_OF_NEW,
  SELECTION_RULES,
  selectionOf,
} from "./event-selection.js";

/** The whole configuration for programs, the user's own password, and the administration of lists and single objects. */
export const CONFIGURATION_ROUTES: readonly Route<ConfigurationNeeds>[] = [
  CONFIGEX_ROUTE,
  PASSWORD_ROUTE,
  ...GROUP_ROUTES,
  ...USER_ROUTES,
  ...SECURITY_OBJECT_ROUTES,
  ...VIEW_ROUTES,
  ...USER_SCENARIO_ROUTES,
  ...ALARM_TARGET_ROUTES,
  ...AWAY_TARGET_ROUTES,
  ...ANALYSER_ROUTES,
  ...LOCATION_ROUTES,
  ...MOBILE_SETTINGS_ROUTES,
  ...MONITORING_ROUTES,
  ...RTSP_SETTINGS_ROUTES,
  ...SERVER_ROUTES,
];
