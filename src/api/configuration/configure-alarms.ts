import type * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  type AlarmDelivery,
  type AlarmEvents,
  type AlarmKind,
  type AlarmTarget,
  alarmValues,
  type MailSecurity,
  type QuietHours,
  SITE_LIMITS,
  type SyslogTransport,
  siteValues,
} from "../../site/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  given,
  givenMember,
  guidOrNone,
  guids,
  type InputPlace,
  type JsonSchema,
  members,
  nameText,
  type Route,
  TEXT,
  when,
} from "../route/index.js";
import type { ConfigurationNeeds } from "./needs.js";
import { minuteOf, timeOfDay, timeText } from "./time-of-day.js";

const KINDS = { Webhook: "webhook", Mail: "mail", Syslog: "syslog" } as const;
const SECURITIES = { Tls: "tls", StartTls: "startTls", None: "none" } as const;
const TRANSPORTS = { Udp: "udp", Tcp: "tcp", Tls: "tls" } as const;
const SELECTIONS = ["Errors", "ErrorsAndAlarms", "Chosen"] as const;
const PER_HOUR_DEFAULT = 60;
const PORTS = { mail: { tls: 465, startTls: 587, none: 25 }, syslog: { udp: 514, tcp: 514, tls: 6514 } };
/** local0 of RFC 5424, table 1. */
const FACILITY_DEFAULT = 16;

const { flag, line } = siteValues;
const secret = given(alarmValues.alarmSecret);
const host = given(alarmValues.alarmHost);
const port = given(alarmValues.alarmPort);

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  IsEnabled: given(flag),
  Kind: given(siteValues.oneOf(["Webhook", "Mail", "Syslog"])),
  Events: given(siteValues.oneOf(SELECTIONS)),
  EventTypeIds: given(guids(SITE_LIMITS.alarmEventTypesMax, "event types")),
  AllChannels: given(flag),
  ChannelIds: given(guids(SITE_LIMITS.camerasMax, "channels")),
  RecorderEvents: given(flag),
  PerHourMax: given(alarmValues.alarmPerHour),
  QuietHours: given(
    members({ IsOn: given(flag), From: given(timeOfDay), To: given(timeOfDay), ErrorsAnyway: given(flag) }),
  ),
  Webhook: given(members({ Url: given(alarmValues.alarmUrl), Secret: secret })),
  Mail: given(
    members({
      Host: host,
      Port: port,
      Security: given(siteValues.oneOf(["Tls", "StartTls", "None"])),
      Login: given(line(SITE_LIMITS.alarmSecretLengthMax)),
      Password: secret,
      Sender: given(alarmValues.mailAddress),
      Recipients: given(alarmValues.mailRecipients),
    }),
  ),
  Syslog: given(
    members({
      Host: host,
      Port: port,
      Transport: given(siteValues.oneOf(["Udp", "Tcp", "Tls"])),
      Facility: given(alarmValues.syslogFacility),
    }),
  ),
  ClearSecrets: given(flag),
});

type AlarmInput = v.InferOutput<typeof schema>;

/** Some event types, or some channels. */
const SOME: JsonSchema = { type: "array", minItems: 1 };
const RULES: readonly JsonSchema[] = [
  when(givenMember("Events", { enum: ["Errors", "ErrorsAndAlarms"] }), {
    not: givenMember("EventTypeIds", SOME),
  }),
  when(givenMember("AllChannels", { const: true }), { not: givenMember("ChannelIds", SOME) }),
];
const RULES_OF_NEW: readonly JsonSchema[] = [
  ...RULES,
  when(givenMember("Events", { const: "Chosen" }), givenMember("EventTypeIds", SOME)),
  givenMember("Kind", TEXT),
  ofKind("Webhook", ["Url"]),
  ofKind("Mail", ["Host", "Sender", "Recipients"]),
  ofKind("Syslog", ["Host"]),
];

/** A target of a kind needs the object of the same name, with these members. */
function ofKind(kind: string, required: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(required.map((name) => [name, { type: ["string", "array"] }]));
  return when(
    givenMember("Kind", { const: kind }),
    givenMember(kind, { type: "object", required, properties }),
  );
}

const DESCRIPTION: CollectionDescription = {
  title: "AlarmTarget",
  text: [
    "Alarm targets are the receivers of alarms, an addition of nvrd. [alarms](alarms.md) describes the messages, and [`/api/alarms`](#get-apialarms) reports whether they arrive.",
  ],
  rules: RULES,
  rulesOfNew: RULES_OF_NEW,
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names must be unique, ignoring case.",
    IsEnabled: { default: true },
    Kind: "Required in POST, together with the object of that name. Another kind starts with its defaults.",
    Events: { description: "Which events: `Chosen` are those of `EventTypeIds`.", default: "Errors" },
    EventTypeIds: "[Event types](events.md).",
    AllChannels: { description: "Events of all cameras.", default: true },
    ChannelIds: "Only events of these cameras.",
    RecorderEvents: { description: "Events that belong to no camera.", default: true },
    PerHourMax: { description: "Maximum number of messages per hour.", default: PER_HOUR_DEFAULT },
    "QuietHours.IsOn": {
      description: "No messages at these hours; what happens then is told at their end.",
      default: false,
    },
    "QuietHours.From": { description: "The recorder's local time.", default: "22:00" },
    "QuietHours.To": { description: "On the next day where it is earlier than `From`.", default: "06:00" },
    "QuietHours.ErrorsAnyway": { description: "Errors are told at once all the same.", default: true },
    "Webhook.Url": "`http` or `https`, without user and password.",
    "Webhook.Secret": "The key of the signature. Null in answers.",
    "Mail.Port": "When left out: 465 with `Tls`, 587 with `StartTls`, 25 with `None`.",
    "Mail.Security": { default: "StartTls" },
    "Mail.Password": "Null in answers.",
    "Mail.Recipients": "At least one.",
    "Syslog.Port": "When left out: 514, or 6514 with `Tls`.",
    "Syslog.Transport": { default: "Udp" },
    "Syslog.Facility": { description: "16 is local0.", default: FACILITY_DEFAULT },
    ClearSecrets: {
      description:
        "True removes `Secret` and `Password`. If null, absent or empty in PUT, they are unchanged.",
      writeOnly: true,
    },
  },
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVR/configure/alarms"'],
    getOne: ['curl -fu "$AUTH" "$NVR/configure/alarms/88888888-0000-4000-8000-000000000003"'],
    post: [
      'curl -fu "$AUTH" -X POST "$NVR/configure/alarms" --data \'[{',
      '  "Name": "Owner", "Kind": "Mail", "Mail": {',
      '    "Host": "mail.example", "Login": "nvr", "Password": "secret", "Sender": "nvr@example.org",',
      '    "Recipients": ["owner@example.org"] } }]\'',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVR/configure/alarms" --data \'[{',
      '  "Id": "88888888-0000-4000-8000-000000000003", "Events": "ErrorsAndAlarms", "PerHourMax": 10 }]\'',
    ],
    remove: ['curl -fu "$AUTH" -X DELETE "$NVR/configure/alarms/88888888-0000-4000-8000-000000000003"'],
  },
};

/** /configure/alarms: the receivers of alarms. Secrets are write-only: null, absent and empty keep the present value. */
export const ALARM_TARGET_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<AlarmTarget, AlarmInput, AlarmInput>({
    noun: "alarm target",
    path: "/configure/alarms",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.alarmTargetsMax,
    schema,
    itemsOf: (site) => site.alarmTargets,
    withItems: (site, items) => ({ ...site, alarmTargets: items }),
    describe: describeTarget,
    prepare: async (input) => input,
    make: (input, base, identity, place) => ({
      ...identity,
      isEnabled: input.IsEnabled ?? base?.isEnabled ?? true,
      events: eventsOf(input, base?.events ?? "errors", place),
      channelIds: channelsOf(input, base?.channelIds ?? "all", place),
      isToldOfRecorder: input.RecorderEvents ?? base?.isToldOfRecorder ?? true,
      perHourMax: input.PerHourMax ?? base?.perHourMax ?? PER_HOUR_DEFAULT,
      ...quietHoursOf(input, base?.quietHours, place),
      delivery: deliveryOf(input, base?.delivery, place),
    }),
  }),
);

function describeTarget({ delivery, events, channelIds, ...target }: AlarmTarget): unknown {
  const chosen = typeof events === "string" ? [] : events;
  return {
    Id: target.id,
    Name: target.name,
    IsEnabled: target.isEnabled,
    Kind: nameOf(KINDS, delivery.kind),
    Events: events === "errors" ? "Errors" : events === "errorsAndAlarms" ? "ErrorsAndAlarms" : "Chosen",
    EventTypeIds: chosen,
    AllChannels: channelIds === "all",
    ChannelIds: channelIds === "all" ? [] : channelIds,
    RecorderEvents: target.isToldOfRecorder,
    PerHourMax: target.perHourMax,
    QuietHours: describeQuietHours(target.quietHours),
    Webhook: delivery.kind === "webhook" ? { Url: delivery.url, Secret: null } : null,
    Mail:
      delivery.kind === "mail"
        ? {
            Host: delivery.host,
            Port: delivery.port,
            Security: nameOf(SECURITIES, delivery.security),
            Login: delivery.login,
            Password: null,
            Sender: delivery.sender,
            Recipients: delivery.recipients,
          }
        : null,
    Syslog:
      delivery.kind === "syslog"
        ? {
            Host: delivery.host,
            Port: delivery.port,
            Transport: nameOf(TRANSPORTS, delivery.transport),
            Facility: delivery.facility,
          }
        : null,
  };
}

const QUIET_DEFAULT: QuietHours = { fromMinute: 22 * 60, toMinute: 6 * 60, areErrorsTold: true };

function describeQuietHours(quietHours: QuietHours | undefined): object {
  const { fromMinute, toMinute, areErrorsTold } = quietHours ?? QUIET_DEFAULT;
  const times = { From: timeText(fromMinute), To: timeText(toMinute) };
  return { IsOn: quietHours !== undefined, ...times, ErrorsAnyway: areErrorsTold };
}

/** The quiet hours changed by the input; none where they are off. */
function quietHoursOf(
  { QuietHours: given }: AlarmInput,
  before: QuietHours | undefined,
  place: InputPlace,
): { readonly quietHours?: QuietHours } {
  if (!(given?.IsOn ?? before !== undefined)) return {};
  const base = before ?? QUIET_DEFAULT;
  const quietHours = {
    fromMinute: minuteOf(given?.From) ?? base.fromMinute,
    toMinute: minuteOf(given?.To) ?? base.toMinute,
    areErrorsTold: given?.ErrorsAnyway ?? base.areErrorsTold,
  };
  if (quietHours.fromMinute === quietHours.toMinute)
    place.faults.add(`${place.path}.QuietHours.To`, "must differ from From", "CONFLICT");
  return { quietHours };
}

function nameOf<T extends string>(names: Readonly<Record<string, T>>, value: T): string {
  return Object.entries(names).find(([, own]) => own === value)?.[0] ?? value;
}

function eventsOf(input: AlarmInput, before: AlarmEvents, place: InputPlace): AlarmEvents {
  const ids = input.EventTypeIds ?? [];
  const at = `${place.path}.EventTypeIds`;
  const known = new Set<Guid>(Object.values(EVENT_TYPES).map(({ id }) => id));
  for (const id of ids)
    if (!known.has(id)) place.faults.add(at, `no event type has the id ${id}`, "NOT_FOUND");
  if (new Set(ids).size < ids.length) place.faults.add(at, "an event type is named twice", "CONFLICT");
  const selection = input.Events ?? (ids.length > 0 ? "Chosen" : undefined);
  if (selection === undefined) return before;
  if (selection === "Chosen") {
    const chosen = input.EventTypeIds ?? (typeof before === "string" ? [] : before);
    if (chosen.length === 0) place.faults.add(at, "is required with Events: Chosen");
    return chosen;
  }
  if (ids.length > 0) place.faults.add(at, `contradicts Events: ${selection}`);
  return selection === "Errors" ? "errors" : "errorsAndAlarms";
}

function channelsOf(
  input: AlarmInput,
  before: AlarmTarget["channelIds"],
  place: InputPlace,
): AlarmTarget["channelIds"] {
  const ids = input.ChannelIds ?? undefined;
  if (ids !== undefined) checkChannels(ids, "ChannelIds", place);
  if (input.AllChannels === true) {
    if (ids !== undefined && ids.length > 0)
      place.faults.add(`${place.path}.ChannelIds`, "contradicts AllChannels: true");
    return "all";
  }
  if (input.AllChannels === false) return ids ?? (before === "all" ? [] : before);
  // GET returns an empty list with AllChannels: true, and programs send back what they received.
  if (ids === undefined || (ids.length === 0 && before === "all")) return before;
  return ids;
}

/** The delivery changed by the input. Another kind starts with its defaults. */
function deliveryOf(input: AlarmInput, base: AlarmDelivery | undefined, place: InputPlace): AlarmDelivery {
  const kind: AlarmKind | undefined = input.Kind ? KINDS[input.Kind] : base?.kind;
  const missing = (member: string): string => {
    place.faults.add(`${place.path}.${member}`, "is required");
    return "";
  };
  if (kind === "webhook") {
    const before = base?.kind === kind ? base : undefined;
    return {
      kind,
      url: input.Webhook?.Url ?? before?.url ?? missing("Webhook.Url"),
      secret: secretOf(input, input.Webhook?.Secret, before?.secret),
    };
  }
  if (kind === "mail") return mailOf(input, base?.kind === kind ? base : undefined, missing);
  if (kind === "syslog") {
    const before = base?.kind === kind ? base : undefined;
    const given = input.Syslog ?? {};
    const transport: SyslogTransport = given.Transport
      ? TRANSPORTS[given.Transport]
      : (before?.transport ?? "udp");
    return {
      kind,
      host: given.Host ?? before?.host ?? missing("Syslog.Host"),
      port: given.Port ?? before?.port ?? PORTS.syslog[transport],
      transport,
      facility: given.Facility ?? before?.facility ?? FACILITY_DEFAULT,
    };
  }
  missing("Kind");
  return { kind: "webhook", url: "", secret: "" };
}

function mailOf(
  input: AlarmInput,
  before: Extract<AlarmDelivery, { kind: "mail" }> | undefined,
  missing: (member: string) => string,
): AlarmDelivery {
  const given = input.Mail ?? {};
  const security: MailSecurity = given.Security
    ? SECURITIES[given.Security]
    : (before?.security ?? "startTls");
  return {
    kind: "mail",
    host: given.Host ?? before?.host ?? missing("Mail.Host"),
    port: given.Port ?? before?.port ?? PORTS.mail[security],
    security,
    login: given.Login ?? before?.login ?? "",
    password: secretOf(input, given.Password, before?.password),
    sender: given.Sender ?? before?.sender ?? missing("Mail.Sender"),
    recipients: given.Recipients ?? before?.recipients ?? [missing("Mail.Recipients")],
  };
}

function secretOf(input: AlarmInput, given: string | null | undefined, before: string | undefined): string {
  return input.ClearSecrets === true ? "" : given || before || "";
}
