/**
 * owner/system: the service itself: its configuration as a file, its former states, restarts, updates, the directory of users, the
 * MQTT broker, the clock, the API's description.
 *
 * Belongs here: endpoints about the service as a whole.
 * Does not belong here: how it is (`owner/health`), disks (`owner/disk`), objects of the configuration (`compat/configuration`).
 */
import type { Route } from "../../route/index.js";
import { BROKER_ROUTES } from "./broker.js";
import { CONFIGURATION_FILE_ROUTES } from "./configuration-file.js";
import { CONFIGURATION_HISTORY_ROUTES } from "./configuration-history.js";
import { DIRECTORY_ROUTES } from "./directory.js";
import { ONVIF_DEVICE_ROUTES } from "./onvif-device.js";
import { RESTART_ROUTES } from "./restart.js";
import type { SystemNeeds } from "./states.js";
import { UPDATE_ROUTES } from "./update.js";
import { CLOCK_ROUTES } from "./wall-clock.js";

export { openApiRoute } from "./get-openapi.js";
export type {
  BrokerControl,
  OnvifDeviceControl,
  Restarted,
  Restarts,
  SiteRevisions,
  SystemNeeds,
  Updates,
  WallClock,
} from "./states.js";

/** The administration of the service, under any licence. */
export const SYSTEM_ROUTES: readonly Route<SystemNeeds>[] = [
  ...RESTART_ROUTES,
  ...CONFIGURATION_FILE_ROUTES,
  ...CONFIGURATION_HISTORY_ROUTES,
  ...DIRECTORY_ROUTES,
  ...BROKER_ROUTES,
  ...ONVIF_DEVICE_ROUTES,
  ...UPDATE_ROUTES,
  ...CLOCK_ROUTES,
];
