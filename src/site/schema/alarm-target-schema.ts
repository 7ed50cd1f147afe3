import * as v from "valibot";
import { MINUTES_PER_DAY } from "../../base/index.js";
import { HTTP_URL_SAID, week } from "../../contract/index.js";
import { flag, guid, line, list, name, oneOf, storedValue, whole } from "../../contract/reading/index.js";
import { ALARM_KINDS, MAIL_SECURITIES, SYSLOG_TRANSPORTS } from "../model/alarm-target.js";
import { SITE_LIMITS } from "../model/site-limits.js";

/** The schema of alarm targets, and of their values in the API. */

/** A host name or an address, as in a URL; IPv6 without brackets. */
export const alarmHost = v.pipe(
  line(SITE_LIMITS.alarmHostLengthMax),
  v.regex(/^[\p{L}\p{N}._:-]+$/u, "accepted: a host name or an address"),
  // Letters of all languages are accepted too.
  v.metadata({ jsonSchema: { pattern: "^[A-Za-z0-9._:-]+$" } }),
);
/** RFC 5321, section 4.1.2, simplified. */
export const mailAddress = v.pipe(
  line(SITE_LIMITS.mailAddressLengthMax),
  v.regex(/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/, "accepted: a mail address"),
);
export const mailRecipients = v.pipe(
  list(mailAddress, SITE_LIMITS.alarmRecipientsMax, "recipients"),
  v.minLength(1, "accepted: at least one recipient"),
);
export const alarmUrl = v.pipe(
  line(SITE_LIMITS.alarmUrlLengthMax),
  v.regex(/^[hH][tT][tT][pP][sS]?:\/\/\S+$/u, "accepted: an http:// or https:// URL"),
  v.check((value) => URL.canParse(value), "accepted: an http:// or https:// URL"),
  v.check((value) => !hasLogin(value), "accepted: a URL without user and password"),
  v.metadata({ jsonSchema: { pattern: HTTP_URL_SAID } }),
);
export const alarmSecret = line(SITE_LIMITS.alarmSecretLengthMax);
export const alarmPort = whole(1, 65_535);
export const alarmPerHour = whole(1, SITE_LIMITS.alarmsPerHourMax);
const minuteOfDay = whole(0, MINUTES_PER_DAY);
export const syslogFacility = whole(0, 23);

function hasLogin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

const [webhook, mail, syslog] = ALARM_KINDS;

const delivery = v.variant("kind", [
  v.strictObject({ kind: v.literal(webhook), url: alarmUrl, secret: alarmSecret }),
  v.strictObject({
    kind: v.literal(mail),
    host: alarmHost,
    port: alarmPort,
    security: oneOf(MAIL_SECURITIES),
    login: line(SITE_LIMITS.alarmSecretLengthMax),
    password: alarmSecret,
    sender: mailAddress,
    recipients: mailRecipients,
  }),
  v.strictObject({
    kind: v.literal(syslog),
    host: alarmHost,
    port: alarmPort,
    transport: oneOf(SYSLOG_TRANSPORTS),
    facility: syslogFacility,
  }),
]);

/** The hours of the week in which somebody is told. */
export const sendingHours = v.strictObject({
  week: storedValue(week),
  areOthersKept: flag,
  areErrorsTold: flag,
});

const eventTypeIds = list(guid, SITE_LIMITS.alarmEventTypesMax, "event types");

export const alarmTargets = list(
  v.strictObject({
    id: guid,
    name,
    isEnabled: flag,
    events: v.union(
      [v.literal("errors"), v.literal("errorsAndAlarms"), eventTypeIds],
      "accepted: errors, errorsAndAlarms, or a list of event types",
    ),
    channelIds: v.union(
      [v.literal("all"), list(guid, SITE_LIMITS.camerasMax, "channels")],
      "accepted: all, or a list of channel ids",
    ),
    isToldOfRecorder: flag,
    perHourMax: alarmPerHour,
    quietHours: v.exactOptional(
      v.strictObject({ fromMinute: minuteOfDay, toMinute: minuteOfDay, areErrorsTold: flag }),
    ),
    sendingHours: v.exactOptional(sendingHours),
    delivery,
  }),
  SITE_LIMITS.alarmTargetsMax,
  "alarm targets",
);
