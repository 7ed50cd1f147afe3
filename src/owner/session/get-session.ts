import { type SessionState, session } from "../../contract/answer/index.js";
import { sessionQuery } from "../../contract/query/index.js";
import {
  answerJson,
  describeQuery,
  jsonAnswer,
  orNull,
  type Route,
  readParameter,
  schemaOf,
} from "../../route/index.js";
import { SESSION_STATE_EXAMPLE, type SessionNeeds, sessionIdOf, sessionState } from "./session-state.js";

export const WHO_ROUTE: Route<SessionNeeds> = {
  method: "GET",
  path: "/api/session",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,

  nobody: ({ query: asked }) =>
    readParameter(asked, sessionQuery, "anonymous") ? answerJson<SessionState | null>(null) : undefined,
  describe: {
    topic: "session",
    summary: "Returns who is logged in",
    text: ["Also for requests with login and password; `SessionId` is null then."],
    parameters: describeQuery(sessionQuery),
    answer: jsonAnswer(
      orNull(schemaOf(session)),
      "Who is logged in; null only with `anonymous=true`.",
      SESSION_STATE_EXAMPLE,
    ),
    example: ['curl -fu "$AUTH" "$NVRD/api/session"', 'curl -f "$NVRD/api/session?anonymous=true"'],
  },
  /** GET /api/session: who is logged in. */
  endpoint({ needs, request, principal, credentials }) {
    // Refused where it is neither true nor false, whoever asks.
    readParameter(request.query, sessionQuery, "anonymous");
    return answerJson<SessionState>(sessionState(needs, principal, sessionIdOf(needs, credentials)));
  },
};
