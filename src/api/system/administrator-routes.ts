import type { Route } from "../route/index.js";
import { ALARM_ROUTES } from "./alarms.js";
import { DISK_ROUTES } from "./disks.js";
import type { SystemNeeds } from "./needs.js";
import { UPDATE_ROUTES } from "./update.js";

/** Our own routes for senior administrators, which need no licence. */
export const ADMINISTRATOR_ROUTES: readonly Route<SystemNeeds>[] = [
  ...ALARM_ROUTES,
  ...DISK_ROUTES,
  ...UPDATE_ROUTES,
];
