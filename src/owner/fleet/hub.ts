import { formatIsoTime } from "../../base/index.js";
import { HUB_PROBLEMS, type HubState, hubState } from "../../contract/answer/index.js";
import {
  changed,
  defaultsOf,
  hubJoin,
  hubJoinTexts,
  hubLimitMembers,
  hubLimits,
  hubLimitsTexts,
  hubStorage,
  hubStorageTexts,
  shown,
  shownWord,
} from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import type { MembershipState } from "../../fleet/index.js";
import {
  answerJson,
  jsonAnswer,
  orNull,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { FleetNeeds } from "./fleet-control.js";

const joinBody = readerOfValue(hubJoin);
const limitsBody = readerOfValue(hubLimits);
const storageBody = readerOfValue(hubStorage);

const STATE = jsonAnswer(orNull(schemaOf(hubState)), "The hub; null: the recorder belongs to none.");

export const HUB_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    path: "/api/hub",
    login: "administrator",
    method: "GET",
    describe: {
      topic: "fleet",
      summary: "Shows the hub that this recorder belongs to",
      answer: STATE,
      example: ['curl -fu "$AUTH" "$NVRD/api/hub"'],
    },
    /** GET /api/hub: whether there is a connection, and how far the hub may go. */
    endpoint: ({ needs }) => answerState(needs),
  },
  {
    path: "/api/hub",
    login: "administrator",
    method: "POST",
    describe: {
      topic: "fleet",
      summary: "Joins a hub",
      text: [
        "The recorder makes a key of its own, gets a certificate from the hub's authority, and connects. It is an [event](events.md) `hubJoined`.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(joinBody), notesOf(hubJoin.members, hubJoinTexts)),
      },
      answer: STATE,
      errors: {
        403: "The code was used, or is too old; or what answers at its address is not its hub.",
        409: "The recorder belongs to a hub already, or the hub has it already.",
        503: "The hub does not answer.",
      },
      example: [
        "# What the hub's page shows.",
        "CODE=nvrd-hub://hub.example:7443/0wYk1n2o3p4q5r6s7t8u9v0wYk1n2o3p4q5r6s7t8u9/0wYk1n2o3p4q5r6s7t8u9v",
        "# Where the hub does not answer: 503.",
        'curl -fu "$AUTH" "$NVRD/api/hub" --data \'{ "Code": "\'$CODE\'", "Ceiling": "Look" }\'',
      ],
    },
    /** POST /api/hub: joins the hub of a code. */
    async endpoint(context) {
      const { needs, request } = context;
      const { Code, ...limits } = readBody(joinBody, request.body);
      await needs.hub.join(Code, changed(hubLimitMembers, limits, defaultsOf(hubLimitMembers)));
      raise(context, "hubJoined");
      return answerState(needs);
    },
  },
  {
    path: "/api/hub",
    login: "administrator",
    method: "PUT",
    describe: {
      topic: "fleet",
      summary: "Changes how far and how fast the hub goes at this recorder",
      text: [
        "What is left out stays. It counts at once, also for what is being watched. It is an [event](events.md) `hubLimitsChanged`.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(limitsBody), notesOf(hubLimitMembers, hubLimitsTexts)),
      },
      answer: STATE,
      errors: { 404: "The recorder belongs to no hub." },
      example: [
        "# Where the recorder belongs to no hub: 404.",
        'curl -fu "$AUTH" -X PUT "$NVRD/api/hub" --data \'{ "Ceiling": "Operate", "KilobitsPerSecondMax": 4000 }\'',
      ],
    },
    /** PUT /api/hub: how far and how fast it goes. */
    async endpoint(context) {
      const { needs, request } = context;
      const input = readBody(limitsBody, request.body);
      const before = needs.hub.state ?? defaultsOf(hubLimitMembers);
      await needs.hub.change(changed(hubLimitMembers, input, before));
      raise(context, "hubLimitsChanged");
      return answerState(needs);
    },
  },
  {
    path: "/api/hub",
    login: "administrator",
    method: "DELETE",
    describe: {
      topic: "fleet",
      summary: "Leaves the hub",
      text: [
        "What is open through the hub ends. The hub is notified; where it cannot be reached, remove the recorder there too. It is an [event](events.md) `hubLeft`.",
      ],
      answer: STATE,
      errors: { 404: "The recorder belongs to no hub." },
      example: ["# Where the recorder belongs to no hub: 404.", 'curl -fu "$AUTH" -X DELETE "$NVRD/api/hub"'],
    },
    /** DELETE /api/hub: the recorder belongs to no hub any more. */
    async endpoint(context) {
      const { needs } = context;
      const left = needs.hub.state?.hub;
      await needs.hub.leave();
      raise(context, "hubLeft", left);
      return answerState(needs);
    },
  },
  {
    path: "/api/hub/storage",
    login: "administrator",
    method: "PUT",
    describe: {
      topic: "fleet",
      summary: "Lets the hub read what this recorder has sent to off-site storage",
      text: [
        "The hub shows these recordings while this recorder is not connected to it. The key is tried first: it has to read, and may not write or delete. The hub keeps it sealed, and forgets it when the recorder leaves. It is an [event](events.md) `hubLimitsChanged`.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(storageBody), notesOf(hubStorage.members, hubStorageTexts)),
      },
      answer: STATE,
      errors: {
        400: "The key cannot read there, or can do more than read.",
        404: "The recorder belongs to no hub, or has no such target.",
      },
      example: [
        "# Where the recorder belongs to no hub: 404.",
        `curl -fu "$AUTH" -X PUT "$NVRD/api/hub/storage" --data '{ "Target": "22222222-0000-4000-8000-00000000000c", "AccessKeyId": "hub-reads", "SecretAccessKey": "a-secret" }'`,
      ],
    },
    /** PUT /api/hub/storage: with a key that can only read. */
    async endpoint(context) {
      const { needs, request } = context;
      const body = readBody(storageBody, request.body);
      const { Target, AccessKeyId, SecretAccessKey, WithPrivateKey } = body;
      await needs.hub.handStorage({
        ...{ targetId: Target, accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey },
        handsKey: WithPrivateKey === true,
      });
      raise(context, "hubLimitsChanged");
      return answerState(needs);
    },
  },
  {
    path: "/api/hub/storage",
    login: "administrator",
    method: "DELETE",
    describe: {
      topic: "fleet",
      summary: "Lets the hub read nothing of this recorder's off-site storage any more",
      text: [
        "Delete the key at the storage too: the hub forgets it as soon as the recorder is connected to it. It is an [event](events.md) `hubLimitsChanged`.",
      ],
      answer: STATE,
      errors: { 404: "The recorder belongs to no hub." },
      example: [
        "# Where the recorder belongs to no hub: 404.",
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/hub/storage"',
      ],
    },
    /** DELETE /api/hub/storage: its recordings are its own again. */
    async endpoint(context) {
      await context.needs.hub.handStorage(undefined);
      raise(context, "hubLimitsChanged");
      return answerState(context.needs);
    },
  },
];

function raise(
  { needs, principal, log }: RequestContext<FleetNeeds>,
  what: "hubJoined" | "hubLimitsChanged" | "hubLeft",
  hub = needs.hub.state?.hub ?? "",
): void {
  const { id, name } = principal.user;
  const { ceiling } = needs.hub.state ?? {};
  const comment =
    ceiling === undefined ? hub : `${hub}: ${shown(hubLimitMembers, { ...NO_LIMITS, ceiling }).Ceiling}`;
  log.info({ user: name, hub: comment }, EVENT_TYPES[what].name);
  needs.events.raise({ typeId: EVENT_TYPES[what].id, comment, initiator: { type: 1, id, name } });
}

const NO_LIMITS = defaultsOf(hubLimitMembers);

function answerState({ hub }: FleetNeeds) {
  return answerJson<HubState | null>(hub.state === undefined ? null : stateObject(hub.state));
}

function stateObject(state: MembershipState): HubState {
  const { hub, joinedUs, isConnected, sinceUs, problem, detail, storage } = state;
  return {
    Hub: hub,
    JoinedTime: formatIsoTime(joinedUs),
    ...shown(hubLimitMembers, state),
    Storage: storage === undefined ? null : storageObject(storage),
    IsConnected: isConnected,
    SinceTime: formatIsoTime(sinceUs),
    Problem: problem === undefined ? null : shownWord(HUB_PROBLEMS, problem),
    Detail: detail === "" ? null : detail,
    Hubs: state.hubs.map(({ hub: Hub, isConnected: IsConnected }) => ({ Hub, IsConnected })),
  };
}

function storageObject({
  targetId,
  accessKeyId,
  handsKey,
}: NonNullable<MembershipState["storage"]>): HubState["Storage"] {
  return { Target: targetId, AccessKeyId: accessKeyId, WithPrivateKey: handsKey };
}
