import { formatIsoTime } from "../../base/index.js";
import {
  type FleetPartner,
  type FleetPartners,
  fleetPartners,
  PARTNER_PROBLEMS,
  type PartnerCodeAnswer,
  partnerCode,
  STAND_IN_LIMITS,
} from "../../contract/answer/index.js";
import { partnerJoin, partnerJoinTexts, shownWord } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import type { PartnerState } from "../../fleet/index.js";
import {
  answerJson,
  jsonAnswer,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { FleetNeeds, ReserveStates } from "./fleet-control.js";

const joinBody = readerOfValue(partnerJoin);
const LIST = jsonAnswer(schemaOf(fleetPartners), "The partners, by name.");

export const PARTNERS_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: "/api/fleet/partners",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Lists the partners: recorders of the LAN that stand by this one",
      answer: LIST,
      example: ['curl -fu "$AUTH" "$NVRD/api/fleet/partners"'],
    },
    /** GET /api/fleet/partners: each partner, where it is, and why it is silent. */
    endpoint: ({ needs }) => answerList(needs),
  },
  {
    method: "POST",
    path: "/api/fleet/partners/code",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Makes a code that makes one recorder a partner of this one",
      text: [
        "For 15 minutes and one use. It is pasted at the other recorder's page, or sent to its [`/api/fleet/partners`](#post-apifleetpartners). The port of the setting [`partnerPort`](settings.md#partnerport) is open from then on. It is an [event](events.md) `partnerCodeMade`.",
      ],
      answer: jsonAnswer(schemaOf(partnerCode), "The code."),
      errors: {
        409: "Partners are switched off (setting `partnerPort`), or there are eight already.",
        503: "The port is not available.",
      },
      example: ['curl -fu "$AUTH" -X POST "$NVRD/api/fleet/partners/code"'],
    },
    /** POST /api/fleet/partners/code: lets one recorder become a partner. */
    async endpoint(context) {
      const { code, untilUs } = await context.needs.partners.makeCode();
      raise(context, "partnerCodeMade", "");
      return answerJson<PartnerCodeAnswer>({ Code: code, UntilTime: formatIsoTime(untilUs) });
    },
  },
  {
    method: "POST",
    path: "/api/fleet/partners",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Makes another recorder a partner of this one",
      text: [
        "Each keeps the other's id, addresses and the hash of its certificate; from then on both hear each other twice a second. It is an [event](events.md) `partnerJoined` at both.",
      ],
      body: {
        required: true,
        schema: withNotes(schemaOfBody(joinBody), notesOf(partnerJoin.members, partnerJoinTexts)),
      },
      answer: LIST,
      errors: {
        403: "The code was used, or is too old; or what answers at its address is another machine.",
        409: "It is a partner already, there are eight already, or partners are switched off (setting `partnerPort`).",
        503: "The other recorder does not answer.",
      },
      example: [
        "# What the other recorder's page shows.",
        "CODE=nvrd-box://192.0.2.9:7444/0wYk1n2o3p4q5r6s7t8u9v0wYk1n2o3p4q5r6s7t8u9/0wYk1n2o3p4q5r6s7t8u9v",
        "# Where the other recorder does not answer: 503.",
        'curl -fu "$AUTH" "$NVRD/api/fleet/partners" --data \'{ "Code": "\'$CODE\'" }\'',
      ],
    },
    /** POST /api/fleet/partners: becomes a partner of the recorder of a code. */
    async endpoint(context) {
      const { needs, request } = context;
      await needs.partners.join(readBody(joinBody, request.body).Code);
      return answerList(needs);
    },
  },
  {
    method: "DELETE",
    path: "/api/fleet/partners/{id}",
    login: "administrator",
    describe: {
      topic: "fleet",
      summary: "Ends the partnership with a recorder",
      text: [
        "The other is notified; where it cannot be reached, remove this recorder there too. It is an [event](events.md) `partnerLeft` at both.",
      ],
      pathValues: { id: "The recorder's id." },
      answer: LIST,
      errors: { 404: "There is no such partner." },
      example: [
        "# Where there is no such partner: 404.",
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/fleet/partners/22222222-0000-4000-8000-00000000000c"',
      ],
    },
    /** DELETE /api/fleet/partners/{id}: trusts it no more. */
    async endpoint({ needs, pathValues }) {
      await needs.partners.leave((pathValues.get("id") ?? "").toLowerCase());
      return answerList(needs);
    },
  },
];

function raise(
  { needs, principal, log }: RequestContext<FleetNeeds>,
  what: "partnerCodeMade",
  comment: string,
): void {
  const { id, name } = principal.user;
  log.info({ user: name }, EVENT_TYPES[what].name);
  needs.events.raise({ typeId: EVENT_TYPES[what].id, comment, initiator: { type: 1, id, name } });
}

function answerList({ partners, reserve }: FleetNeeds) {
  const [owners, reserves] = [reserve.owners(), reserve.reserves()];
  const list = partners.states().map((state) => ({
    ...partnerObject(state),
    Owner: ownerObject(owners.find(({ ownerId }) => ownerId === state.id)),
    Reserve: reserveObject(reserves.find(({ reserveId }) => reserveId === state.id)),
  }));
  const byName = list.sort((a, b) => a.Name.localeCompare(b.Name));
  return answerJson<FleetPartners>({
    ...{ Partners: byName, Problem: partners.problem ?? null },
    StandIn: standInObject(reserve.forecast),
  });
}

const MEGABIT_BYTES = 125_000;
const PERCENT = 100;

function standInObject(forecast: ReserveStates["forecast"]): FleetPartners["StandIn"] {
  if (forecast === undefined) return null;
  const { cameras, bytesPerSecond, daysNow, daysThen, busyThen, limits } = forecast;
  return {
    Cameras: cameras,
    MegabitsPerSecond: bytesPerSecond === undefined ? null : rounded(bytesPerSecond / MEGABIT_BYTES),
    DaysNow: daysNow === undefined ? null : rounded(daysNow),
    DaysThen: daysThen === undefined ? null : rounded(daysThen),
    ProcessorPercentThen: busyThen === undefined ? null : Math.round(busyThen * PERCENT),
    Limits: limits.map((limit) => shownWord(STAND_IN_LIMITS, limit)),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function ownerObject(owner: ReturnType<ReserveStates["owners"]>[number] | undefined): FleetPartner["Owner"] {
  if (owner === undefined) return null;
  const { cameras, recorded, sinceUs } = owner;
  const since = sinceUs === undefined ? null : formatIsoTime(sinceUs);
  return { Cameras: cameras, Recorded: recorded, SinceTime: since };
}

function reserveObject(
  reserve: ReturnType<ReserveStates["reserves"]>[number] | undefined,
): FleetPartner["Reserve"] {
  if (reserve === undefined) return null;
  return { Cameras: reserve.cameras, IsKept: reserve.isKept, Problem: reserve.problem ?? null };
}

function partnerObject(state: PartnerState): Omit<FleetPartner, "Owner" | "Reserve"> {
  const { id, name, version, hosts, port, addedUs, isConnected, sinceUs, isRelayed, problem, detail } = state;
  return {
    ...{ Id: id, Name: name, Version: version, Hosts: hosts, Port: port, AddedTime: formatIsoTime(addedUs) },
    ...{ IsConnected: isConnected, SinceTime: formatIsoTime(sinceUs), IsThroughHub: isRelayed },
    Problem: problem === undefined ? null : shownWord(PARTNER_PROBLEMS, problem),
    Detail: detail === "" ? null : detail,
  };
}
