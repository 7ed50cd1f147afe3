/**
 * owner/alarm: who is notified of events: mail, webhook, syslog and Web Push.
 *
 * Belongs here: endpoints about the targets of messages, their trial and last result.
 * Does not belong here: sending (`alarm`), the events (`compat/event`).
 */
import type { Route } from "../../route/index.js";
import { type AlarmNeeds, ALARM_ROUTES as TARGET_ROUTES } from "./alarms.js";
import { PUSH_ROUTES } from "./push.js";

export type { AlarmNeeds } from "./alarms.js";

/** Messages about events, under any licence. */
export const ALARM_ROUTES: readonly Route<AlarmNeeds>[] = [...TARGET_ROUTES, ...PUSH_ROUTES];
