/**
 * api/system: the recorder itself: health, disks, metrics, alarms, updates, support, the API's description.
 *
 * Belongs here: endpoints about the machine and the service.
 * Does not belong here: the data they return (`health`, `storage`, `update`, `alarm`).
 */
import type { Route } from "../route/index.js";
import { ACME_ROUTES } from "./acme.js";
import { ALARM_ROUTES } from "./alarms.js";
import { AWAY_ROUTES } from "./away.js";
import { AWAY_BUCKET_ROUTES } from "./away-bucket.js";
import { CERTIFICATE_ROUTES } from "./certificate.js";
import { CONFIGURATION_FILE_ROUTES } from "./configuration-file.js";
import { CONFIGURATION_HISTORY_ROUTES } from "./configuration-history.js";
import { DIRECTORY_ROUTES } from "./directory.js";
import { DISK_FORMAT_ROUTES } from "./disk-format.js";
import { DISK_HISTORY_ROUTE } from "./disk-history.js";
import { DISK_VOLUME_ROUTES } from "./disk-volumes.js";
import { DISKS_ROUTE } from "./disks.js";
import { ARCHIVE_REACH_ROUTE } from "./get-archive.js";
import { HDD_STATUS_ROUTE } from "./get-hddstatus.js";
import { HEALTH_ROUTE } from "./get-health.js";
import { HISTORY_ROUTE } from "./get-history.js";
import { LOG_ROUTE } from "./get-log.js";
import { METRICS_ROUTE } from "./get-metrics.js";
import { SUPPORT_ROUTE } from "./get-support.js";
import { MONITORING_ROUTE } from "./monitoring.js";
import type { SystemNeeds } from "./needs.js";
import { PUSH_ROUTES } from "./push.js";
import { RESTART_ROUTES } from "./restart.js";
import { UPDATE_ROUTES } from "./update.js";
import { CLOCK_ROUTES } from "./wall-clock.js";

export { healthObject } from "./get-health.js";
export { openApiRoute } from "./get-openapi.js";
export type { SystemNeeds } from "./needs.js";
export {
  type CertificatePlace,
  type HealthQuestions,
  type HealthStates,
  LOG_LEVELS,
  type LogLevel,
  type LogQuery,
  type MachineHistory,
  type MonitoringStates,
  type Restarted,
  type Restarts,
  type ServiceLogLine,
  type ServiceLogPage,
  type ServiceLogReader,
  type SiteRevisions,
  type SupportBundles,
  type Updates,
  type WallClock,
} from "./states.js";

/** The health of the recorder, and its administration under any licence. */
export const SYSTEM_ROUTES: readonly Route<SystemNeeds>[] = [
  HDD_STATUS_ROUTE,
  HEALTH_ROUTE,
  METRICS_ROUTE,
  ARCHIVE_REACH_ROUTE,
  HISTORY_ROUTE,
  LOG_ROUTE,
  ...RESTART_ROUTES,
  ...CONFIGURATION_FILE_ROUTES,
  ...CONFIGURATION_HISTORY_ROUTES,
  ...CERTIFICATE_ROUTES,
  ...ACME_ROUTES,
  ...DIRECTORY_ROUTES,
  SUPPORT_ROUTE,
  ...ALARM_ROUTES,
  MONITORING_ROUTE,
  ...PUSH_ROUTES,
  ...AWAY_ROUTES,
  ...AWAY_BUCKET_ROUTES,
  DISKS_ROUTE,
  DISK_HISTORY_ROUTE,
  ...DISK_FORMAT_ROUTES,
  ...DISK_VOLUME_ROUTES,
  ...UPDATE_ROUTES,
  ...CLOCK_ROUTES,
];
