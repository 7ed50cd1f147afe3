import { type SessionState, session } from "../../contract/answer/index.js";
import { sessionQuery } from "../../contract/query/index.js";
import {
  answerJson,
  describeQuery,
  type EndpointResult,
  jsonAnswer,
  orNull,
  type RequestContext,
  type Route,
  type RouteDescription,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import type { SessionNeeds } from "./needs.js";
import { SESSION_STATE_EXAMPLE, sessionIdOf, sessionState } from "./session-state.js";

const DESCRIPTION: RouteDescription = {
  topic: "session",
  summary: "Tells who is logged in",
  text: ["Also for requests with login and password; `SessionId` is null then."],
  parameters: describeQuery(sessionQuery),
  answer: jsonAnswer(
    orNull(schemaOf(session)),
    "Who is logged in; null only with `anonymous=true`.",
    SESSION_STATE_EXAMPLE,
  ),
  example: ['curl -fu "$AUTH" "$NVRD/api/session"', 'curl -f "$NVRD/api/session?anonymous=true"'],
};

export const WHO_ROUTE: Route<SessionNeeds> = {
  method: "GET",
  path: "/api/session",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,
  endpoint: getSession,
  nobody: ({ query: asked }) =>
    readParameter(asked, sessionQuery, "anonymous") ? answerJson<SessionState | null>(null) : undefined,
  describe: DESCRIPTION,
};

/** GET /api/session: who is logged in. */
function getSession({
  needs,
  request,
  principal,
  credentials,
}: RequestContext<SessionNeeds>): EndpointResult {
  // Refused where it is neither true nor false, whoever asks.
  readParameter(request.query, sessionQuery, "anonymous");
  return answerJson<SessionState>(sessionState(needs, principal, sessionIdOf(needs, credentials)));
}
