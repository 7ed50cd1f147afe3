import { answerJson, jsonAnswer, type Route } from "../../route/index.js";
import { type SessionNeeds, sessionIdOf } from "./session-state.js";

export const LOGOUT_ROUTE: Route<SessionNeeds> = {
  method: "DELETE",
  path: "/api/session",
  login: "user",
  leavesNothing: true,
  evenForbidden: true,
  withFirstPassword: true,

  describe: {
    topic: "session",
    summary: "Logs out",
    text: [
      "Ends the session that authorized the request, and what it is watching. With login and password there is nothing to end.",
    ],
    answer: jsonAnswer({ type: "object" }, "The session has ended. `Set-Cookie` takes the cookie away."),
    example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/session"'],
  },
  /** DELETE /api/session: logs out. */
  endpoint(context) {
    const { needs, request, principal, credentials, log } = context;
    const id = sessionIdOf(needs, credentials);
    if (id !== undefined) {
      needs.sessions.end(id);
      log.info({ user: principal.user.name, session: id }, "session ended by logging out");
    }
    const answer = answerJson({});
    return { ...answer, headers: [...answer.headers, needs.sessionCookie.taken(request.content)] };
  },
};
