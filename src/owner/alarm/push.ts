import * as v from "valibot";
import { isOfConfiguration, type Principal } from "../../access/index.js";
import {
  ENDPOINT_LENGTH_MAX,
  isPushEndpoint,
  isPushKey,
  isPushSecret,
  type PushResult,
  type PushSubscription,
} from "../../alarm/index.js";
import { formatIsoTime, LANGUAGES, NvrdError } from "../../base/index.js";
import {
  describeSelection,
  SELECTION_RULE_OF_NEW,
  SELECTION_RULES,
  selectionOf,
} from "../../compat/index.js";
import {
  type PushKey,
  type PushResultItem,
  type PushSubscriptionItem,
  pushKey,
  pushResult,
  pushSubscription,
  pushSubscriptions,
} from "../../contract/answer/index.js";
import { eventSelection, eventSelectionTexts, NAME_LENGTH_MAX } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import { shown } from "../../http/index.js";
import { visibleCameras } from "../../player/index.js";
import {
  answerJson,
  Faults,
  given,
  type InputPlace,
  type JsonSchema,
  jsonAnswer,
  members,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { AlarmNeeds } from "./alarms.js";

/* Messages to browsers (Web Push): the recorder's key, and the browsers of each user. Not in the reference. */

const checked = (accepted: string, accept: (text: string) => boolean, lengthMax: number) =>
  v.pipe(
    v.string(`accepted: ${accepted}`),
    v.maxLength(lengthMax, `accepted: ${accepted}`),
    v.check(accept, `accepted: ${accepted}`),
  );
const KEY_LENGTH_MAX = 130;
const changes = {
  Name: given(siteValues.line(NAME_LENGTH_MAX)),
  Language: given(v.picklist(LANGUAGES, `accepted: ${LANGUAGES.join(" or ")}`)),
};
const changeBody = readerOf(eventSelection, changes);
const newBody = readerOf(eventSelection, {
  Endpoint: checked("an https:// address, at most 1024 characters", isPushEndpoint, ENDPOINT_LENGTH_MAX),
  Keys: members({
    P256dh: checked("a public key of a browser, base64url", isPushKey, KEY_LENGTH_MAX),
    Auth: checked("16 bytes, base64url", isPushSecret, KEY_LENGTH_MAX),
  }),
  ...changes,
});
type ChangeInput = v.InferOutput<typeof changeBody>;

const NOTES = {
  ...notesOf(eventSelection, eventSelectionTexts),
  Name: "What the user calls the browser.",
  Language: { description: "Of the messages.", default: "en" },
};

function bodySchema(schema: v.GenericSchema, rules: readonly JsonSchema[]): JsonSchema {
  return { ...withNotes(schemaOfBody(schema), NOTES), allOf: rules };
}

const ABOUT = "An addition of nvrd's; [messages to browsers](push.md) says what is sent.";
const OWN = "Everybody the own ones; a senior administrator may see and remove all.";
const NO_SUCH = { 404: "There is no such subscription, or it is another user's." };
const ID = { id: "`Id` of the list." };
/** A browser's keys, made for the examples. */
const EXAMPLE_BODY = [
  '"Endpoint": "https://push.example.org/send/c2VjcmV0",',
  '  "Keys": { "Auth": "BTBZMqHH6r4Tts7J_aSIgg",',
  '    "P256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4" }',
];
const EXAMPLE_ID = [
  `ID=$(curl -fsSu "$AUTH" "$NVRD/api/push/subscriptions" --data '{ ${EXAMPLE_BODY[0]}`,
  ...EXAMPLE_BODY.slice(1, -1),
  `${EXAMPLE_BODY.at(-1)} }' | member Id)`,
];

const LIST = "/api/push/subscriptions";
const ONE = "/api/push/subscriptions/{id}";

export const PUSH_ROUTES: readonly Route<AlarmNeeds>[] = [
  {
    method: "GET",
    path: "/api/push",
    login: "user",
    describe: {
      topic: "system",
      summary: "Shows the key with which a browser subscribes to messages",
      text: [ABOUT],
      answer: jsonAnswer(schemaOf(pushKey), "The key. It is made when it is asked for first, and stays."),
      example: ['curl -fu "$AUTH" "$NVRD/api/push"'],
    },
    /** GET /api/push: what a browser subscribes with. */
    async endpoint({ needs, principal }) {
      const PublicKey = await needs.pushes.publicKey();
      return answerJson<PushKey>({ PublicKey, CanSubscribe: isOfConfiguration(principal) });
    },
  },
  {
    method: "GET",
    path: LIST,
    login: "user",
    describe: {
      topic: "system",
      summary: "Lists the browsers that get messages",
      access: OWN,
      answer: jsonAnswer(schemaOf(pushSubscriptions), "The subscriptions."),
      example: ['curl -fu "$AUTH" "$NVRD/api/push/subscriptions"'],
    },
    /** GET /api/push/subscriptions: the subscribed browsers. */
    endpoint({ needs, principal }) {
      return answerJson(seenBy(needs, principal).map((one) => itemOf(needs, principal, one)));
    },
  },
  {
    method: "POST",
    path: LIST,
    login: "user",
    describe: {
      topic: "system",
      summary: "Subscribes a browser to messages",
      text: [
        `${ABOUT} \`Endpoint\` and \`Keys\` are those of the browser's \`PushSubscription\`. The same \`Endpoint\` replaces what was subscribed with it. Only events that the user may see are sent, by the rights of that time.`,
      ],
      body: { required: true, schema: bodySchema(newBody, [...SELECTION_RULES, SELECTION_RULE_OF_NEW]) },
      answer: jsonAnswer(schemaOf(pushSubscription), "The subscription."),
      errors: {
        403: "Users of a directory cannot subscribe.",
        404: "The user sees no such channel.",
        409: "The user has 10 subscriptions already, or there are 256 in all.",
      },
      example: [
        'curl -fu "$AUTH" "$NVRD/api/push/subscriptions" --data \'{ "Name": "Phone", "Events": "ErrorsAndAlarms",',
        `  ${EXAMPLE_BODY[0]}`,
        ...EXAMPLE_BODY.slice(1, -1),
        `${EXAMPLE_BODY.at(-1)} }'`,
      ],
    },
    /** POST /api/push/subscriptions: notifies a browser from now on. */
    async endpoint(context) {
      const { needs, request, principal, log } = context;
      if (!isOfConfiguration(principal))
        throw new NvrdError("FORBIDDEN", "users of a directory cannot have messages sent to browsers", {
          hint: "the recorder cannot ask for their rights without their password; use a user of the recorder's own",
        });
      const input = readBody(newBody, request.body);
      const { Endpoint: endpoint, Keys: keys } = input;
      const subscription = await needs.pushes.subscribe({
        userId: principal.user.id,
        address: { endpoint, p256dh: keys.P256dh, auth: keys.Auth },
        ...choiceOf(context, input, undefined),
      });
      report(context, "pushSubscribed", subscription);
      log.info(
        { user: principal.user.name, subscription: subscription.id, host: hostOf(subscription) },
        "push: subscribed",
      );
      return answerJson(itemOf(needs, principal, subscription));
    },
  },
  {
    method: "PUT",
    path: ONE,
    login: "user",
    describe: {
      topic: "system",
      summary: "Changes what a browser is notified of",
      access: "Everybody the own ones.",
      text: ["Members that are left out stay as they are."],
      pathValues: ID,
      body: { required: true, schema: bodySchema(changeBody, SELECTION_RULES) },
      answer: jsonAnswer(schemaOf(pushSubscription), "The subscription."),
      errors: NO_SUCH,
      example: [
        ...EXAMPLE_ID,
        `curl -fu "$AUTH" -X PUT "$NVRD/api/push/subscriptions/$ID" --data '{ "Events": "Errors" }'`,
      ],
    },
    /** PUT /api/push/subscriptions/{id}: changes what it is notified of. */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const before = ownOne(context);
      const input = readBody(changeBody, request.body);
      const { quietHours: _, sendingHours: __, ...fixed } = before;
      const subscription = { ...fixed, ...choiceOf(context, input, before) };
      await needs.pushes.change(subscription);
      report(context, "pushChanged", subscription);
      return answerJson(itemOf(needs, principal, subscription));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    login: "user",
    describe: {
      topic: "system",
      summary: "Ends the messages to a browser",
      access: OWN,
      pathValues: ID,
      answer: jsonAnswer({ type: "object" }, "It is removed."),
      errors: NO_SUCH,
      example: [...EXAMPLE_ID, 'curl -fu "$AUTH" -X DELETE "$NVRD/api/push/subscriptions/$ID"'],
    },
    /** DELETE /api/push/subscriptions/{id}: ends its notifications. */
    async endpoint(context) {
      const { needs, principal, pathValues, log } = context;
      const one = oneOf(seenBy(needs, principal), pathValues.get("id"));
      await needs.pushes.remove(one.id);
      report(context, "pushUnsubscribed", one);
      log.info({ by: principal.user.name, subscription: one.id, host: hostOf(one) }, "push: unsubscribed");
      return answerJson({});
    },
  },
  {
    method: "POST",
    path: `${ONE}/test`,
    login: "user",
    describe: {
      topic: "system",
      summary: "Sends a test message to a browser",
      access: "Everybody the own ones.",
      pathValues: ID,
      answer: jsonAnswer(schemaOf(pushResult), "How it went, after at most 15 s."),
      errors: { ...NO_SUCH, 429: "More than 12 tests of a user in a minute." },
      example: [...EXAMPLE_ID, 'curl -fu "$AUTH" -X POST "$NVRD/api/push/subscriptions/$ID/test"'],
    },
    /** POST /api/push/subscriptions/{id}/test: a message that says that it is a test. */
    async endpoint(context) {
      return answerJson(resultOf(await context.needs.pushes.test(ownOne(context))));
    },
  },
];

/** Who did it, to which browser, and to whose where it is another user's. Its address is a secret. */
function report(
  { needs, principal: { user } }: RequestContext<AlarmNeeds>,
  act: "pushSubscribed" | "pushChanged" | "pushUnsubscribed",
  one: PushSubscription,
): void {
  const owner = needs.site.current.users.find(({ id }) => id === one.userId)?.name ?? one.userId;
  const parts = [one.name, hostOf(one), one.userId === user.id ? "" : owner];
  needs.events.raise({
    typeId: EVENT_TYPES[act].id,
    comment: parts.filter((part) => part !== "").join(", "),
    initiator: { type: 1, id: user.id, name: user.name },
  });
}

function seenBy({ pushes }: AlarmNeeds, { user, group }: Principal): readonly PushSubscription[] {
  return pushes.subscriptions.filter(({ userId }) => group.seniorAdministrators || userId === user.id);
}

function ownOne({ needs, principal, pathValues }: RequestContext<AlarmNeeds>): PushSubscription {
  const own = needs.pushes.subscriptions.filter(({ userId }) => userId === principal.user.id);
  return oneOf(own, pathValues.get("id"));
}

function oneOf(list: readonly PushSubscription[], id = ""): PushSubscription {
  const found = list.find((one) => one.id === id.toLowerCase());
  if (found !== undefined) return found;
  throw new NvrdError("NOT_FOUND", `there is no subscription ${shown(id)}`, {
    hint: `see GET ${LIST}`,
  });
}

/** What the input chooses, of the channels that the user sees. Throws NvrdError with all faults. */
function choiceOf(
  { needs, principal }: RequestContext<AlarmNeeds>,
  input: ChangeInput,
  base: PushSubscription | undefined,
) {
  const { current } = needs.site;
  const site = { ...current, cameras: visibleCameras(current, principal) };
  const place: InputPlace = { site, path: "", faults: new Faults() };
  const selection = selectionOf(input, base, place);
  place.faults.throwIfAny();
  return {
    ...selection,
    name: input.Name ?? base?.name ?? "",
    language: input.Language ?? base?.language ?? "en",
  };
}

function hostOf({ address }: PushSubscription): string {
  return new URL(address.endpoint).host;
}

function itemOf(needs: AlarmNeeds, principal: Principal, one: PushSubscription): PushSubscriptionItem {
  const last = needs.pushes.resultOf(one.id);
  return {
    Id: one.id,
    UserId: one.userId,
    Login: needs.site.current.users.find(({ id }) => id === one.userId)?.name ?? "",
    Name: one.name,
    Language: one.language,
    Host: hostOf(one),
    IsOwn: one.userId === principal.user.id,
    SinceTime: formatIsoTime(one.sinceUs),
    ...describeSelection(one),
    LastResult: last === undefined ? null : resultOf(last),
  };
}

function resultOf({ timeUs, isTest, problem, isReached }: PushResult): PushResultItem {
  return {
    Time: formatIsoTime(timeUs),
    IsTest: isTest,
    IsSent: problem === undefined,
    IsReached: problem === undefined || isReached === true,
    Problem: problem ?? null,
  };
}
