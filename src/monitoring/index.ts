/**
 * monitoring: sends the recorder's health to the monitoring service of the configuration.
 *
 * Belongs here: the message, its pace, what is told when it does not arrive. Loaded when it is on.
 * Does not belong here: what health is (`health`), how it is written as JSON (`api`), the settings (`site`).
 */
export {
  BODY_BYTES_MAX,
  MonitoringPush,
  type MonitoringPushOptions,
  type MonitoringState,
} from "./monitoring-push.js";
