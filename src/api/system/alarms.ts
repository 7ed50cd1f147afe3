import * as v from "valibot";
import type { AlarmTargetState } from "../../alarm/index.js";
import { formatIsoTime } from "../../base/index.js";
import {
  answerJson,
  type EndpointResult,
  FLAG,
  GUID,
  guidOrNone,
  jsonAnswer,
  listOf,
  members,
  NUMBER,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  readBody,
  schemaOfBody,
  TEXT,
} from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/* How alarms go, and a message to try their way; our addition to rest-api.md. The targets: /configure/alarms. */

const testBody = v.optional(members({ Id: guidOrNone }), {});

/** GET /api/alarms: each target, and how its messages go. */
export function getAlarms({ needs }: RequestContext<SystemNeeds>): EndpointResult {
  return answerJson(needs.alarms.states().map(describeState));
}

function describeState(state: AlarmTargetState): Record<string, unknown> {
  return {
    Id: state.id,
    Name: state.name,
    IsEnabled: state.isEnabled,
    IsFailing: state.isFailing,
    IsLimited: state.isLimited,
    WaitingEvents: state.waitingEvents,
    OmittedEvents: state.omittedEvents,
    LastSentTime: state.lastSentUs === undefined ? null : formatIsoTime(state.lastSentUs),
    Problem: state.problem ?? null,
  };
}

/** POST /api/alarms/test: sends a message now, to the target of `Id` or to all that are enabled. */
export async function postAlarmTest(context: RequestContext<SystemNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, log } = context;
  const { Id } = request.body.length === 0 ? {} : readBody(testBody, request.body);
  const results = await needs.alarms.test(Id ?? undefined);
  log.info({ user: principal.user.name, targets: results.length }, "alarms tested");
  return answerJson({
    Results: results.map(({ id, name, problem }) => ({
      Id: id,
      Name: name,
      IsSent: problem === undefined,
      Problem: problem ?? null,
    })),
  });
}

const ALARM_STATE = objectOf({
  Id: GUID,
  Name: TEXT,
  IsEnabled: FLAG,
  IsFailing: FLAG,
  IsLimited: FLAG,
  WaitingEvents: NUMBER,
  OmittedEvents: NUMBER,
  LastSentTime: orNull(TEXT),
  Problem: orNull(TEXT),
});
const TEST_RESULT = objectOf({ Id: GUID, Name: TEXT, IsSent: FLAG, Problem: orNull(TEXT) });

export const ALARM_ROUTES: readonly Route<SystemNeeds>[] = [
  {
    method: "GET",
    path: "/api/alarms",
    login: "administrator",
    endpoint: getAlarms,
    describe: {
      summary: "How the alarm targets are",
      answer: jsonAnswer(listOf(ALARM_STATE), "All targets."),
    },
  },
  {
    method: "POST",
    path: "/api/alarms/test",
    login: "administrator",
    endpoint: postAlarmTest,
    describe: {
      summary: "Sends a message to try the way of alarms",
      body: { required: false, schema: schemaOfBody(testBody) },
      answer: jsonAnswer(
        objectOf({ Results: listOf(TEST_RESULT) }),
        "What each way brought, after 15 s at the most.",
      ),
      errors: [404, 429],
    },
  },
];
