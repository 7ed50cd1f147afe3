/**
 * api/system: the recorder itself: health, disks, metrics, alarms, updates, support, password, the API's description.
 *
 * Belongs here: endpoints about the machine and the service.
 * Does not belong here: what they tell (`health`, `storage`, `update`, `alarm`).
 */
export { ADMINISTRATOR_ROUTES } from "./administrator-routes.js";
export {
  HDD_STATUS_DESCRIPTION,
  HEALTH_DESCRIPTION,
  METRICS_DESCRIPTION,
  SUPPORT_DESCRIPTION,
} from "./describe-health.js";
export { PASSWORD_DESCRIPTION } from "./describe-password.js";
export { getHddStatus } from "./get-hddstatus.js";
export { getHealth } from "./get-health.js";
export { getMetrics } from "./get-metrics.js";
export { getOpenApi } from "./get-openapi.js";
export { getSupport } from "./get-support.js";
export type { SystemNeeds } from "./needs.js";
export { putPassword } from "./put-password.js";
export type { HealthQuestions, HealthStates, SupportBundles, Updates } from "./states.js";
