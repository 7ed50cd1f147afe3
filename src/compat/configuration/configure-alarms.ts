import type * as v from "valibot";
import type { Guid } from "../../base/index.js";
import {
  ALARM_TARGETS_MAX,
  alarmTarget,
  alarmTargetTexts,
  changed,
  type InputOf,
  MAIL_PORTS,
  MESSAGE_FORMS,
  type Members,
  mail,
  type ObjectOf,
  part,
  SYSLOG_PORTS,
  shown,
  shownWord,
  storedWord,
  syslog,
  webhook,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  givenMember,
  guidOrNone,
  type InputPlace,
  type JsonSchema,
  MASKED_FAULT,
  type Route,
  secretAfter,
  TEXT,
  when,
} from "../../route/index.js";
import {
  type AlarmDelivery,
  type AlarmTarget,
  knownAddress,
  type MailDelivery,
  maskedPath,
  SECRET_PLACES,
  type SyslogDelivery,
  type WebhookDelivery,
} from "../../site/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";
import { describeSelection, SELECTION_RULE_OF_NEW, SELECTION_RULES, selectionOf } from "./event-selection.js";

const schema = readerOf(alarmTarget, { Id: guidOrNone });

type AlarmInput = v.InferOutput<typeof schema>;

const ALIKE = part(alarmTarget, "IsEnabled", "PerHourMax");

const RULES_OF_NEW: readonly JsonSchema[] = [
  ...SELECTION_RULES,
  SELECTION_RULE_OF_NEW,
  givenMember("Kind", TEXT),
  ofKind("Webhook", webhook),
  ofKind("Mail", mail),
  ofKind("Syslog", syslog),
];

/** A target of a kind needs the object of the same name, with the members that it must have. */
function ofKind(kind: string, members: Members): JsonSchema {
  const required = requiredOf(members);
  const properties = Object.fromEntries(required.map((name) => [name, { type: ["string", "array"] }]));
  return when(
    givenMember("Kind", { const: kind }),
    givenMember(kind, { type: "object", required, properties }),
  );
}

function requiredOf(members: Members): readonly string[] {
  return Object.keys(members).filter((name) => members[name]?.isRequired === true);
}

const DESCRIPTION: CollectionDescription = {
  title: "AlarmTarget",
  text: [
    "Alarm targets are the receivers of alarms, an addition of nvrd. [alarms](alarms.md) describes the messages, and [`/api/alarms`](#get-apialarms) reports whether they arrive.",
  ],
  rules: SELECTION_RULES,
  rulesOfNew: RULES_OF_NEW,
  members: { Id: "Leave it out of POST.", ...notesOf(alarmTarget, alarmTargetTexts) },
  examples: {
    id: "$OWNER",
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
  },
};

/** /configure/alarms: the receivers of alarms. Secrets are write-only: null, absent and empty keep the present value. */
export const ALARM_TARGET_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<AlarmTarget, AlarmInput, AlarmInput>({
    noun: "alarm target",
    path: "/configure/alarms",
    description: DESCRIPTION,
    countMax: ALARM_TARGETS_MAX,
    schema,
    itemsOf: (site) => site.alarmTargets,
    withItems: (site, items) => ({ ...site, alarmTargets: items }),
    describe: describeTarget,
    prepare: async (input) => input,
    make: (input, base, identity, place) => ({
      ...identity,
      ...changed(ALIKE, input, base),
      ...selectionOf(input, base, place),
      delivery: deliveryOf(input, base?.delivery, place),
    }),
  }),
);

function describeTarget(target: AlarmTarget): ObjectOf<typeof alarmTarget> & { readonly Id: Guid } {
  const { id, name, delivery } = target;
  const { IsEnabled, PerHourMax } = shown(ALIKE, target);
  return {
    ...{ Id: id, Name: name, IsEnabled, Kind: shownWord(alarmTarget.Kind.of, delivery.kind) },
    ...describeSelection(target),
    PerHourMax,
    Webhook:
      delivery.kind === "webhook" ? shown(webhook, { ...delivery, url: maskedPath(delivery.url) }) : null,
    Mail: delivery.kind === "mail" ? shown(mail, delivery) : null,
    Syslog: delivery.kind === "syslog" ? shown(syslog, delivery) : null,
  };
}

/** The delivery changed by the input. Another kind starts with its defaults. */
function deliveryOf(input: AlarmInput, base: AlarmDelivery | undefined, place: InputPlace): AlarmDelivery {
  const open = openDeliveryOf(input, base, place);
  if (open.kind === "syslog") return open;
  const isCleared = input.ClearSecrets === true;
  const [given, at] =
    open.kind === "webhook"
      ? [input.Webhook?.Secret, "Webhook.Secret"]
      : [input.Mail?.Password, "Mail.Password"];
  const secret = secretAfter({
    ...{ given: isCleared ? undefined : given, isCleared },
    stored: base?.kind === open.kind ? storedSecretOf(base) : undefined,
    from: base === undefined ? [] : SECRET_PLACES.alarm(base),
    to: SECRET_PLACES.alarm(open),
    refuse: () => place.faults.add(`${place.path}.${at}`, ENTER_AGAIN.server),
  });
  const delivery = open.kind === "webhook" ? { ...open, secret } : { ...open, password: secret };
  requireForm(delivery, place);
  return delivery;
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
  const kind = input.Kind ? storedWord(input.Kind) : base?.kind;
  switch (kind) {
    case "mail":
      return mailOf(input.Mail ?? {}, base?.kind === kind ? base : undefined, place);
    case "syslog":
      return syslogOf(input.Syslog ?? {}, base?.kind === kind ? base : undefined, place);
    case "webhook":
      return webhookOf(input.Webhook ?? {}, base?.kind === kind ? base : undefined, place);
    case undefined:
      place.faults.add(`${place.path}.Kind`, "is required");
      return { kind: "webhook", url: "", secret: "" };
  }
}

/** Says what a new delivery must have, and has not. */
function requireAll(kind: string, members: Members, given: InputOf<Members>, place: InputPlace): void {
  for (const name of requiredOf(members))
    if ((given[name] ?? undefined) === undefined)
      place.faults.add(`${place.path}.${kind}.${name}`, "is required");
}

function webhookOf(
  own: InputOf<typeof webhook>,
  before: WebhookDelivery | undefined,
  place: InputPlace,
): WebhookDelivery {
  if (before === undefined) requireAll("Webhook", webhook, own, place);
  const stored = before?.url ?? "";
  const url = knownAddress(own.Url ?? undefined, stored, maskedPath);
  if (url === undefined) place.faults.add(`${place.path}.Webhook.Url`, MASKED_FAULT);
  const open = changed(without(webhook, "Url", "Secret"), own, before);
  return { kind: "webhook", ...open, url: url ?? stored, secret: "" };
}

/** What the service of a webhook needs besides an address. */
function requireForm(delivery: AlarmDelivery, place: InputPlace): void {
  if (delivery.kind !== "webhook") return;
  const { form = "nvrd", to = "", secret } = delivery;
  const name = shownWord(webhook.Form.of, form);
  if (name === "Nvrd") return;
  const { token, to: receiver } = MESSAGE_FORMS[name];
  if (receiver !== undefined && !receiver.pattern.test(to))
    place.faults.add(`${place.path}.Webhook.To`, receiver.accepted);
  if (token === "needed" && secret === "")
    place.faults.add(`${place.path}.Webhook.Secret`, "the token that the service gave");
}

function mailOf(
  own: InputOf<typeof mail>,
  before: MailDelivery | undefined,
  place: InputPlace,
): MailDelivery {
  if (before === undefined) requireAll("Mail", mail, own, place);
  const blank = { host: "", sender: "", recipients: [] };
  const open = changed(without(mail, "Port", "Password"), own, { ...blank, ...before });
  const port = own.Port ?? before?.port ?? MAIL_PORTS[shownWord(mail.Security.of, open.security)];
  return { kind: "mail", ...open, port, password: "" };
}

function syslogOf(
  own: InputOf<typeof syslog>,
  before: SyslogDelivery | undefined,
  place: InputPlace,
): SyslogDelivery {
  if (before === undefined) requireAll("Syslog", syslog, own, place);
  const open = changed(without(syslog, "Port"), own, { host: "", ...before });
  const port = own.Port ?? before?.port ?? SYSLOG_PORTS[shownWord(syslog.Transport.of, open.transport)];
  return { kind: "syslog", ...open, port };
}
