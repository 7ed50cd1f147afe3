/**
 * alarm: sends events to external targets by webhook, mail and syslog.
 *
 * Belongs here: which events a target of the configuration gets, its bounded queue, rates and retries, the messages and the three
 * ways to send them. Does not belong here: what makes an event (`event` and its sources), the targets themselves (`site`), the
 * API (`api`).
 */
export { type AlarmMessage, oneLine } from "./alarm-message.js";
export { sendAlarm, sendAlarmPublicly } from "./alarm-sender.js";
export type { AlarmControl, AlarmResult, AlarmTargetState } from "./alarm-state.js";
export { Alarms, TESTS_PER_MINUTE_MAX } from "./alarms.js";
export { type Post, post } from "./http-post.js";
export { WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC, type WebhookReach } from "./webhook-reach.js";
