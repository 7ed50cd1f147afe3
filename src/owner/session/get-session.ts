import { type SessionState, session } from "../../contract/answer/index.js";
import { answerJson, FLAG, jsonAnswer, orNull, query, type Route, schemaOf } from "../../route/index.js";
import type { SessionNeeds } from "./needs.js";
import { SESSION_STATE_EXAMPLE, sessionIdOf, sessionState } from "./session-state.js";

export const WHO_ROUTE: Route<SessionNeeds> = {
  method: "GET",
  path: "/api/session",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,

  nobody: ({ query: asked }) => (asked.flag("anonymous") ? answerJson<SessionState | null>(null) : undefined),
  describe: {
    topic: "session",
    summary: "Tells who is logged in",
    text: ["Also for requests with login and password; `SessionId` is null then."],
    parameters: [
      query(
        "anonymous",
        { ...FLAG, default: false },
        "`true`: a request without credentials, or with a session that is over, is answered with 200 and `null` instead of 401. A page asks so before it shows its login: a browser reports each 401 as an error. Wrong credentials stay 401.",
      ),
    ],
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
    request.query.flag("anonymous");
    return answerJson<SessionState>(sessionState(needs, principal, sessionIdOf(needs, credentials)));
  },
};
