import type { Principal, Session } from "../../access/index.js";
import { formatIsoTime, NvrdError } from "../../base/index.js";
import { type SessionItem, type Sessions, sessions } from "../../contract/answer/index.js";
import { shown } from "../../http/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import { type SessionNeeds, sessionIdOf } from "./session-state.js";

export const SESSIONS_ROUTES: readonly Route<SessionNeeds>[] = [
  {
    login: "user",
    withFirstPassword: true,
    method: "GET",
    path: "/api/sessions",
    describe: {
      topic: "session",
      summary: "Lists sessions",
      access: "Everybody sees the own ones, senior administrators all.",
      answer: jsonAnswer(schemaOf(sessions), "The sessions, the one used last first."),
      example: ['curl -fu "$AUTH" "$NVRD/api/sessions"'],
    },
    /** GET /api/sessions: who is logged in where. */
    endpoint({ needs, principal, credentials }) {
      const thisId = sessionIdOf(needs, credentials);
      return answerJson<Sessions>(seenBy(needs, principal).map((session) => itemOf(session, thisId)));
    },
  },
  {
    login: "user",
    withFirstPassword: true,
    method: "DELETE",
    path: "/api/sessions/{id}",

    describe: {
      topic: "session",
      summary: "Ends a session",
      access: "Everybody may end the own ones, senior administrators all.",
      text: ["What it is watching ends within a second."],
      pathValues: { id: "`Id` of the list." },
      answer: jsonAnswer({ type: "object" }, "The session has ended."),
      errors: { 404: "There is no such session, or it is another user's." },
      example: [
        'ID=$(curl -fsS "$NVRD/api/session" --data \'{"Login": "root", "Password": "\'"$PASSWORD"\'"}\' | member SessionId)',
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/sessions/$ID"',
      ],
    },
    /** DELETE /api/sessions/{id}: ends a session. */
    endpoint({ needs, principal, pathValues, log }) {
      const id = pathValues.get("id") ?? "";
      const session = seenBy(needs, principal).find((one) => one.id === id);
      if (session === undefined)
        throw new NvrdError("NOT_FOUND", `there is no session ${shown(id)}`, {
          hint: "see GET /api/sessions",
        });
      needs.sessions.end(session.id);
      log.info({ by: principal.user.name, user: session.userName, session: id }, "session ended");
      return answerJson({});
    },
  },
];

function seenBy({ sessions }: SessionNeeds, { user, group }: Principal): readonly Session[] {
  return sessions.list().filter((session) => group.seniorAdministrators || session.userId === user.id);
}

function itemOf(session: Session, thisId: string | undefined): SessionItem {
  return {
    Id: session.id,
    UserId: session.userId,
    Login: session.userName,
    Address: session.address,
    UserAgent: session.userAgent,
    SinceTime: formatIsoTime(session.sinceUs),
    LastUsedTime: formatIsoTime(session.lastUsedUs),
    IsThis: session.id === thisId,
  };
}
