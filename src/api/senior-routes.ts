import { ALARM_ROUTES } from "./api-alarms.js";
import { DISK_ROUTES } from "./api-disks.js";
import { UPDATE_ROUTES } from "./api-update.js";
import type { Route } from "./route.js";

/** Our own routes for senior administrators, which need no licence. */
export const SENIOR_ROUTES: readonly Route[] = [...ALARM_ROUTES, ...DISK_ROUTES, ...UPDATE_ROUTES];
