import type { Guid } from "../../base/index.js";
import type {
  alarmTarget,
  eventSelection,
  mail,
  Part,
  quietHours,
  StoredOf,
  sendingHours,
  syslog,
  webhook,
} from "../../contract/index.js";
import type { WeeklySchedule } from "./week.js";

/** The targets of alarms and their events; stored in the configuration, sent by the room `alarm`. */

/** The events that a target gets: by their category, or these types. */
export type AlarmEvents = "errors" | "errorsAndAlarms" | readonly Guid[];

export interface WebhookDelivery extends StoredOf<typeof webhook> {
  readonly kind: "webhook";
}

export interface MailDelivery extends StoredOf<typeof mail> {
  readonly kind: "mail";
}

export interface SyslogDelivery extends StoredOf<typeof syslog> {
  readonly kind: "syslog";
}

export type AlarmDelivery = WebhookDelivery | MailDelivery | SyslogDelivery;

/** A part of each day in which no messages are sent: what happens then is sent at its end. */
export interface QuietHours extends StoredOf<Part<typeof quietHours, "ErrorsAnyway">> {
  /** Minutes since midnight, local time; up to 24:00 and over midnight where the end is earlier. */
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** The hours of the week in which messages are sent. */
export interface SendingHours extends StoredOf<Part<typeof sendingHours, "ErrorsAnyway">> {
  readonly week: WeeklySchedule;
  /** What happens at other hours is sent when the next ones begin; false: never. */
  readonly areOthersKept: boolean;
}

/** Which events are sent, and when. */
export interface EventSelection extends StoredOf<Part<typeof eventSelection, "RecorderEvents">> {
  readonly events: AlarmEvents;
  /** Cameras whose events are sent. */
  readonly channelIds: "all" | readonly Guid[];
  /** Absent: messages are sent at all hours, or at those of `sendingHours`. */
  readonly quietHours?: QuietHours;
  /** Instead of quiet hours. */
  readonly sendingHours?: SendingHours;
}

export interface AlarmTarget
  extends EventSelection,
    StoredOf<Part<typeof alarmTarget, "Name" | "IsEnabled" | "PerHourMax">> {
  readonly id: Guid;
  readonly delivery: AlarmDelivery;
}
