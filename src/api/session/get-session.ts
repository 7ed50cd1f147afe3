import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  type RouteDescription,
} from "../route/index.js";
import type { SessionNeeds } from "./needs.js";
import { SESSION_STATE, SESSION_STATE_EXAMPLE, sessionIdOf, sessionState } from "./session-state.js";

const DESCRIPTION: RouteDescription = {
  topic: "session",
  summary: "Tells who is logged in",
  text: ["Also for requests with login and password; `SessionId` is null then."],
  answer: jsonAnswer(SESSION_STATE, "Who is logged in.", SESSION_STATE_EXAMPLE),
  example: ['curl -fu "$AUTH" "$NVR/api/session"'],
};

export const WHO_ROUTE: Route<SessionNeeds> = {
  method: "GET",
  path: "/api/session",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,
  endpoint: getSession,
  describe: DESCRIPTION,
};

/** GET /api/session: who is logged in. */
function getSession({ needs, principal, credentials }: RequestContext<SessionNeeds>): EndpointResult {
  return answerJson(sessionState(needs, principal, sessionIdOf(needs, credentials)));
}
