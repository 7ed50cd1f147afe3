/**
 * alarm: tells somebody outside of what happened, since nobody watches the box: webhook, mail, syslog.
 *
 * Belongs here: which events a target of the configuration is told of, its bounded queue, rates and retries, the
 * messages and the three ways they go.
 * Does not belong here: what makes an event (`event` and its sources), the targets themselves (`site`), the API (`api`).
 */
export { type AlarmMessage, oneLine } from "./alarm-message.js";
export { sendAlarm } from "./alarm-sender.js";
export type { AlarmControl, AlarmTargetState } from "./alarm-state.js";
export { Alarms, TESTS_PER_MINUTE_MAX } from "./alarms.js";
