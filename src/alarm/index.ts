/**
 * alarm: sends events to external targets by webhook, mail and syslog, and to browsers by their push services; and health to the
 * monitoring service of the configuration.
 *
 * `scenario/`: the scenarios of the configuration, with a door of its own.
 *
 * Belongs here: which events a target of the configuration gets, its bounded queue, rates and retries, the messages and the
 * ways to send them; the browsers that users have subscribed. Does not belong here: what makes an event (`event` and its sources), the targets themselves (`site`), the
 * API (`compat`, `owner`).
 */
export { type AlarmMessage, oneLine } from "./alarm-message.js";
export { alarmSender } from "./alarm-sender.js";
export type { AlarmControl, AlarmResult, AlarmTargetState } from "./alarm-state.js";
export { Alarms, type AlarmsOptions, TESTS_PER_MINUTE_MAX } from "./alarms.js";
export { type PostAnswer, postForAnswer, retryAfterMs } from "./http-post.js";
export { MonitoringPush, type MonitoringState } from "./monitoring-push.js";
export type { PushControl, PushResult } from "./push-control.js";
export type { PushMessage } from "./push-message.js";
export { pushSender, type SendPush } from "./push-sender.js";
export {
  ENDPOINT_LENGTH_MAX,
  isPushEndpoint,
  isPushKey,
  isPushSecret,
  type PushSubscription,
} from "./push-subscription.js";
export { Pushes, type PushesOptions } from "./pushes.js";
export {
  PUSH_REACH_PUBLIC,
  WEBHOOK_REACH_ANY,
  WEBHOOK_REACH_PUBLIC,
  type WebhookReach,
} from "./webhook-reach.js";
