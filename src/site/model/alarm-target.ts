import type { Guid } from "../../base/index.js";
import type { WeeklySchedule } from "./week.js";

/** The targets of alarms and their events; stored in the configuration, sent by the room `alarm`. */

/** The events that a target gets: by their category, or these types. */
export type AlarmEvents = "errors" | "errorsAndAlarms" | readonly Guid[];

export const ALARM_KINDS = ["webhook", "mail", "syslog"] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** A JSON document sent by POST, signed if there is a secret. */
export interface WebhookDelivery {
  readonly kind: "webhook";
  /** An http:// or https:// URL. */
  readonly url: string;
  /** Key of the signature; write-only for the API, empty if none. */
  readonly secret: string;
}

export const MAIL_SECURITIES = ["tls", "startTls", "none"] as const;
export type MailSecurity = (typeof MAIL_SECURITIES)[number];

/** A mail over SMTP (RFC 5321). */
export interface MailDelivery {
  readonly kind: "mail";
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `startTls`: mandatory StartTLS; `none`: unencrypted. */
  readonly security: MailSecurity;
  /** Empty: the server is used without a login. */
  readonly login: string;
  /** Write-only for the API. */
  readonly password: string;
  readonly sender: string;
  readonly recipients: readonly string[];
}

export const SYSLOG_TRANSPORTS = ["udp", "tcp", "tls"] as const;
export type SyslogTransport = (typeof SYSLOG_TRANSPORTS)[number];

/** Messages of RFC 5424 over UDP (RFC 5426), TCP (RFC 6587, octet counting) or TLS (RFC 5425). */
export interface SyslogDelivery {
  readonly kind: "syslog";
  readonly host: string;
  readonly port: number;
  readonly transport: SyslogTransport;
  /** Facility number of RFC 5424, section 6.2.1; 16 is local0. */
  readonly facility: number;
}

export type AlarmDelivery = WebhookDelivery | MailDelivery | SyslogDelivery;

/** A part of each day in which no messages are sent: what happens then is told at its end. */
export interface QuietHours {
  /** Minutes since midnight, local time; up to 24:00 and over midnight where the end is earlier. */
  readonly fromMinute: number;
  readonly toMinute: number;
  /** Errors are told at once all the same. */
  readonly areErrorsTold: boolean;
}

/** The hours of the week in which messages are sent. */
export interface SendingHours {
  readonly week: WeeklySchedule;
  /** What happens at other hours is told when the next ones begin; false: never. */
  readonly areOthersKept: boolean;
  /** Errors are told at once at all hours. */
  readonly areErrorsTold: boolean;
}

export interface AlarmTarget {
  readonly id: Guid;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly events: AlarmEvents;
  /** Cameras whose events are sent. */
  readonly channelIds: "all" | readonly Guid[];
  /** Whether events without a camera are sent: disks, the service itself. */
  readonly isToldOfRecorder: boolean;
  /** Maximum number of messages per hour; further events are counted in the next one. */
  readonly perHourMax: number;
  /** Absent: messages are sent at all hours, or at those of `sendingHours`. */
  readonly quietHours?: QuietHours;
  /** Instead of quiet hours. */
  readonly sendingHours?: SendingHours;
  readonly delivery: AlarmDelivery;
}
