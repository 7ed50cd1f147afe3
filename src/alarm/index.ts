/**
 * alarm: tells somebody outside of what happened, since nobody watches the box: webhook, mail, syslog.
 *
 * Belongs here: which events a target of the configuration is told of, its bounded queue, rates and retries, the
 * messages and the three ways they go.
 * Does not belong here: what makes an event (`event` and its sources), the targets themselves (`site`), the API (`api`).
 */
export * from "./alarm-message.js";
export * from "./alarm-sender.js";
export * from "./alarm-state.js";
export * from "./alarms.js";
