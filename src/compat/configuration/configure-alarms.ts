import type * as v from "valibot";
import {
  type CollectionDescription,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  given,
  givenMember,
  guidOrNone,
  type InputPlace,
  type JsonSchema,
  MASKED_FAULT,
  members,
  nameText,
  type Route,
  secretAfter,
  TEXT,
  when,
} from "../../route/index.js";
import {
  type AlarmDelivery,
  type AlarmKind,
  type AlarmTarget,
  alarmValues,
  knownAddress,
  type MailSecurity,
  maskedPath,
  SECRET_PLACES,
  SITE_LIMITS,
  type SyslogTransport,
  siteValues,
} from "../../site/index.js";
import {
  describeSelection,
  SELECTION,
  SELECTION_NOTES,
  SELECTION_RULE_OF_NEW,
  SELECTION_RULES,
  selectionOf,
} from "./event-selection.js";
import type { ConfigurationNeeds } from "./needs.js";

const KINDS = { Webhook: "webhook", Mail: "mail", Syslog: "syslog" } as const;
const SECURITIES = { Tls: "tls", StartTls: "startTls", None: "none" } as const;
const TRANSPORTS = { Udp: "udp", Tcp: "tcp", Tls: "tls" } as const;
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
  ...SELECTION.entries,
  PerHourMax: given(alarmValues.alarmPerHour),
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

const RULES_OF_NEW: readonly JsonSchema[] = [
  ...SELECTION_RULES,
  SELECTION_RULE_OF_NEW,
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
  rules: SELECTION_RULES,
  rulesOfNew: RULES_OF_NEW,
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names must be unique, ignoring case.",
    IsEnabled: { default: true },
    Kind: "Required in POST, together with the object of that name. Another kind starts with its defaults.",
    ...SELECTION_NOTES,
    PerHourMax: { description: "Maximum number of messages per hour.", default: PER_HOUR_DEFAULT },
    "Webhook.Url":
      "`http` or `https`, without user and password. What follows the host lets a sender in at many services, so answers have `***` in its place; such an answer sent back changes nothing.",
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
        "True removes `Secret` and `Password`. If null, absent or empty in PUT, they are unchanged, which is refused where they would go to another scheme, host or port.",
      writeOnly: true,
    },
  },
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVRD/configure/alarms"'],
    getOne: ['curl -fu "$AUTH" "$NVRD/configure/alarms/$OWNER"'],
    post: [
      'OWNER=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/alarms" --data \'[{',
      '  "Name": "Owner", "Kind": "Mail", "Mail": {',
      '    "Host": "mail.example", "Login": "nvr", "Password": "secret", "Sender": "nvr@example.org",',
      '    "Recipients": ["owner@example.org"] } }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/alarms" --data \'[{',
      '  "Id": "\'$OWNER\'", "Events": "ErrorsAndAlarms", "PerHourMax": 10,',
      '  "SendingHours": { "IsOn": true, "Otherwise": "Never", "Week": {',
      '    "Monday": [{ "From": "00:00", "To": "08:00" }, { "From": "18:00", "To": "24:00" }],',
      '    "Sunday": [{ "From": "00:00", "To": "24:00" }] } } }]\'',
    ],
    remove: ['curl -fu "$AUTH" -X DELETE "$NVRD/configure/alarms/$OWNER"'],
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
      ...selectionOf(input, base, place),
      perHourMax: input.PerHourMax ?? base?.perHourMax ?? PER_HOUR_DEFAULT,
      delivery: deliveryOf(input, base?.delivery, place),
    }),
  }),
);

function describeTarget(target: AlarmTarget): unknown {
  const { delivery } = target;
  return {
    Id: target.id,
    Name: target.name,
    IsEnabled: target.isEnabled,
    Kind: nameOf(KINDS, delivery.kind),
    ...describeSelection(target),
    PerHourMax: target.perHourMax,
    Webhook: delivery.kind === "webhook" ? { Url: maskedPath(delivery.url), Secret: null } : null,
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

function nameOf<T extends string>(names: Readonly<Record<string, T>>, value: T): string {
  return Object.entries(names).find(([, own]) => own === value)?.[0] ?? value;
}

/** The delivery changed by the input. Another kind starts with its defaults. */
function deliveryOf(input: AlarmInput, base: AlarmDelivery | undefined, place: InputPlace): AlarmDelivery {
  const open = openDeliveryOf(input, base, place);
  if (open.kind === "syslog") return open;
  const [given, member] =
    open.kind === "webhook" ? [input.Webhook?.Secret, "secret"] : [input.Mail?.Password, "password"];
  const isCleared = input.ClearSecrets === true;
  const secret = secretAfter({
    ...{ given: isCleared ? undefined : given, isCleared },
    stored: base?.kind === open.kind ? storedSecretOf(base) : undefined,
    from: base === undefined ? [] : SECRET_PLACES.alarm(base),
    to: SECRET_PLACES.alarm(open),
    refuse: () =>
      place.faults.add(
        `${place.path}.${open.kind === "webhook" ? "Webhook.Secret" : "Mail.Password"}`,
        ENTER_AGAIN.server,
      ),
  });
  return { ...open, [member]: secret };
}

function storedSecretOf(delivery: AlarmDelivery): string {
  if (delivery.kind === "syslog") return "";
  return delivery.kind === "webhook" ? delivery.secret : delivery.password;
}

/** Without its secret. */
function openDeliveryOf(
  input: AlarmInput,
  base: AlarmDelivery | undefined,
  place: InputPlace,
): AlarmDelivery {
  const kind: AlarmKind | undefined = input.Kind ? KINDS[input.Kind] : base?.kind;
  const missing = (member: string): string => {
    place.faults.add(`${place.path}.${member}`, "is required");
    return "";
  };
  if (kind === "webhook") {
    const before = base?.kind === kind ? base.url : undefined;
    const given = input.Webhook?.Url ?? undefined;
    const url = knownAddress(given, before ?? "", maskedPath);
    if (url === undefined) place.faults.add(`${place.path}.Webhook.Url`, MASKED_FAULT);
    else if (url === "") missing("Webhook.Url");
    return { kind, url: url ?? before ?? "", secret: "" };
  }
  if (kind === "mail") return mailOf(input, base?.kind === kind ? base : undefined, missing);
  if (kind === "syslog") return syslogOf(input, base?.kind === kind ? base : undefined, missing);
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
    password: "",
    sender: given.Sender ?? before?.sender ?? missing("Mail.Sender"),
    recipients: given.Recipients ?? before?.recipients ?? [missing("Mail.Recipients")],
  };
}

function syslogOf(
  input: AlarmInput,
  before: Extract<AlarmDelivery, { kind: "syslog" }> | undefined,
  missing: (member: string) => string,
): AlarmDelivery {
  const given = input.Syslog ?? {};
  const transport: SyslogTransport = given.Transport
    ? TRANSPORTS[given.Transport]
    : (before?.transport ?? "udp");
  return {
    kind: "syslog",
    host: given.Host ?? before?.host ?? missing("Syslog.Host"),
    port: given.Port ?? before?.port ?? PORTS.syslog[transport],
    transport,
    facility: given.Facility ?? before?.facility ?? FACILITY_DEFAULT,
  };
}
