/**
 * owner/health: how the recorder is: its health, disks' state, metrics, history, log and support bundle.
 *
 * Belongs here: endpoints that read the state of the recorder.
 * Does not belong here: what they return (`health`), what is done with disks (`owner/disk`).
 */
import type { Route } from "../../route/index.js";
import { ARCHIVE_REACH_ROUTE } from "./get-archive.js";
import { HEALTH_ROUTE } from "./get-health.js";
import { HISTORY_ROUTE } from "./get-history.js";
import { LOG_ROUTE } from "./get-log.js";
import { METRICS_ROUTE } from "./get-metrics.js";
import { SUPPORT_ROUTE } from "./get-support.js";
import { MONITORING_ROUTE } from "./monitoring.js";
import type { HealthNeeds } from "./states.js";

export { healthObject } from "./get-health.js";
export type {
  HealthNeeds,
  HealthQuestions,
  HealthStates,
  LogQuery,
  MachineHistory,
  MonitoringStates,
  ServiceLogLine,
  ServiceLogPage,
  ServiceLogReader,
  SupportBundles,
} from "./states.js";

/** The health of the recorder, under any licence. */
export const HEALTH_ROUTES: readonly Route<HealthNeeds>[] = [
  HEALTH_ROUTE,
  METRICS_ROUTE,
  ARCHIVE_REACH_ROUTE,
  HISTORY_ROUTE,
  LOG_ROUTE,
  SUPPORT_ROUTE,
  MONITORING_ROUTE,
];
