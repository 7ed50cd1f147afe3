/**
 * api/system: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { SENIOR_ROUTES } from "./administrator-routes.js";
export {
  HDD_STATUS_DESCRIPTION,
  HEALTH_DESCRIPTION,
  METRICS_DESCRIPTION,
  SUPPORT_DESCRIPTION,
} from "./describe-health.js";
export { getHddStatus } from "./get-hddstatus.js";
export { getHealth } from "./get-health.js";
export { getMetrics } from "./get-metrics.js";
export { getOpenApi } from "./get-openapi.js";
export { getSupport } from "./get-support.js";
export type { SystemNeeds } from "./needs.js";
export { PASSWORD_LENGTH_MAX, putPassword } from "./put-password.js";
export type { HealthQuestions, HealthStates, SupportBundles, Updates } from "./states.js";
