import {
  by,
  flag,
  group,
  line,
  list,
  name,
  needed,
  nullable,
  secret,
  sparse,
  unsaid,
  whole,
  word,
  writeOnly,
} from "../kinds/kinds.js";
import { HTTP_URL, orEmptyRule } from "../kinds/rules.js";
import type { TextsOf } from "../kinds/texts.js";
import { eventSelection, eventSelectionTexts } from "./event-selection.js";
import { formOfMessage } from "./message-forms.js";

/** The receivers of alarms: `/configure/alarms`. */

export const ALARM_TARGETS_MAX = 32;
/** The usual port of each way. */
export const MAIL_PORTS = { Tls: 465, StartTls: 587, None: 25 } as const;
export const SYSLOG_PORTS = { Udp: 514, Tcp: 514, Tls: 6514 } as const;

const password = line(256);
const port = whole(1, 65_535);
/** As in a URL; IPv6 without brackets. */
const host = line(253, {
  pattern: /^[\p{L}\p{N}._:-]+$/u,
  accepted: "a host name or an address",
  // Letters of all languages are accepted too.
  said: "^[A-Za-z0-9._:-]+$",
});
/** RFC 5321, section 4.1.2, simplified. */
const mailAddress = line(254, {
  pattern: /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/,
  accepted: "a mail address",
});

/** A JSON document sent by POST, signed if there is a secret; or a message in the form of a service, with a token. */
export const webhook = {
  Url: needed(line(2048, ...HTTP_URL)),
  Secret: secret(line(512)),
  Form: sparse(by(formOfMessage, "Nvrd")),
  To: sparse(by(line(255), "")),
  HasPicture: sparse(by(flag, true)),
  PageUrl: sparse(by(line(255, ...HTTP_URL.map(orEmptyRule)), "")),
} as const;

/** A mail over SMTP (RFC 5321). */
export const mail = {
  Host: needed(host),
  Port: port,
  /** `Tls`: from the first byte; `StartTls`: mandatory StartTLS; `None`: unencrypted. */
  Security: by(word("Tls", "StartTls", "None"), "StartTls"),
  /** Empty: the server is used without a login. */
  Login: unsaid(password, ""),
  Password: secret(password),
  Sender: needed(mailAddress),
  Recipients: needed({
    ...list(mailAddress, 32, "recipients"),
    min: { count: 1, accepted: "at least one recipient" },
  }),
} as const;

/** Messages of RFC 5424 over UDP (RFC 5426), TCP (RFC 6587, octet counting) or TLS (RFC 5425). */
export const syslog = {
  Host: needed(host),
  Port: port,
  Transport: by(word("Udp", "Tcp", "Tls"), "Udp"),
  /** RFC 5424, section 6.2.1: local0. */
  Facility: by(whole(0, 23), 16),
} as const;

export const alarmTarget = {
  Name: needed(name),
  IsEnabled: by(flag, true),
  Kind: needed(word("Webhook", "Mail", "Syslog")),
  ...eventSelection,
  /** Further events are counted in the next message. */
  PerHourMax: by(whole(1, 3600), 60),
  Webhook: nullable(group(webhook)),
  Mail: nullable(group(mail)),
  Syslog: nullable(group(syslog)),
  ClearSecrets: writeOnly(flag),
} as const;

export const alarmTargetTexts: TextsOf<typeof alarmTarget> = {
  Name: "Required in POST. Names must be unique, ignoring case.",
  Kind: "Required in POST, together with the object of that name. Another kind starts with its defaults.",
  ...eventSelectionTexts,
  PerHourMax: "Maximum number of messages per hour.",
  "Webhook.Url":
    "`http` or `https`, without user and password. What follows the host lets a sender in at many services, so answers have `***` in its place; such an answer sent back changes nothing.",
  "Webhook.Secret":
    "Of `Nvrd` the key of the signature; of the other forms the token that the service gave, if it has one. Null in answers.",
  "Webhook.Form":
    "`Nvrd`: the document of [alarms](alarms.md#webhook). Otherwise a message for a service: [its form](alarms.md#messages-for-services) says what `Url`, `Secret` and `To` are there.",
  "Webhook.To": "Who gets it: a topic, a chat, a room, a user, as the form says.",
  "Webhook.HasPicture": "A picture of the event is sent along, where the service takes one. Not with `Nvrd`.",
  "Webhook.PageUrl":
    "The address at which the receivers open the page of this recorder: a message then has a link to the moment. Empty: no link. Not with `Nvrd`.",
  "Mail.Port": "When left out: 465 with `Tls`, 587 with `StartTls`, 25 with `None`.",
  "Mail.Password": "Null in answers.",
  "Mail.Recipients": "At least one.",
  "Syslog.Port": "When left out: 514, or 6514 with `Tls`.",
  "Syslog.Facility": "16 is local0.",
  ClearSecrets:
    "True removes `Secret` and `Password`. If null, absent or empty in PUT, they are unchanged, which is refused where they would go to another scheme, host or port.",
};
