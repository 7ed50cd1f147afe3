import * as v from "valibot";
import { type LoginCredentials, type Principal, sessionKey, sessionLifeMs } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { type SessionState, session as sessionAnswer } from "../../contract/answer/index.js";
import {
  answerJson,
  type CookieRequest,
  choice,
  comesFromElsewhere,
  given,
  header,
  jsonAnswer,
  meaning,
  members,
  type NamedContext,
  objectOf,
  proxyHint,
  type Route,
  readBody,
  requirePrivateName,
  schemaOf,
  TEXT,
  textUpTo,
} from "../../route/index.js";
import { SESSION_STATE_EXAMPLE, type SessionNeeds, sessionState } from "./session-state.js";

/** As for credentials in a request. */
const CREDENTIAL_LENGTH_MAX = 1024;

const USER_TYPES = ["internal", "ActiveDirectory"] as const;

/** A system disk that does not answer keeps nobody out. */
export const KEPT_MS_MAX = 3000;

const text = v.pipe(
  v.string("accepted: text"),
  v.maxLength(CREDENTIAL_LENGTH_MAX, `accepted: at most ${CREDENTIAL_LENGTH_MAX} characters`),
);
const loginForm = members({
  Login: v.pipe(text, v.minLength(1, "accepted: the name of a user")),
  Password: given(text),
  UserType: given(v.picklist(USER_TYPES, `accepted: ${USER_TYPES.join(" or ")}`)),
});

export const LOGIN_ROUTE: Route<SessionNeeds> = {
  method: "POST",
  path: "/api/session",
  login: "none",

  describe: {
    topic: "session",
    summary: "Logs in by a form",
    access: "For everybody: login and password are in the body. Other credentials are not read.",
    text: [
      "The password is checked, limited and reported as everywhere. A browser that sends the cookie of another session logs out of that one.",
    ],
    parameters: [header("User-Agent", TEXT, "Shown in the list of sessions.")],
    body: {
      required: true,
      schema: objectOf(
        {
          Login: { ...textUpTo(CREDENTIAL_LENGTH_MAX), minLength: 1 },
          Password: meaning(
            "The password itself; for users of the configuration its MD5 is accepted as well.",
            textUpTo(CREDENTIAL_LENGTH_MAX),
          ),
          UserType: meaning(
            "Who checks the password. When left out, the directory is asked as well for a login with an `@`.",
            choice(USER_TYPES),
          ),
        },
        ["Login"],
      ),
    },
    answer: jsonAnswer(
      schemaOf(sessionAnswer),
      "Who is logged in. `Set-Cookie` gives the session to the browser.",
      SESSION_STATE_EXAMPLE,
    ),
    errors: {
      401: "The login or the password is wrong.",
      403: "`Origin` is another page's: it cannot log in here.",
      429: "Too many failed logins. `Retry-After` says how long to wait.",
      503: "The directory of users does not answer.",
    },
    example: [
      'curl -f -c cookies.txt "$NVRD/api/session" --data \'{"Login": "root", "Password": "\'"$PASSWORD"\'"}\'',
    ],
  },
  /** POST /api/session: begins a session. Its id is always a new one, whatever cookie the browser sends. */
  async endpoint(context) {
    const { needs, request, log } = context;
    const { content, address } = request;
    if (comesFromElsewhere(content))
      throw new NvrdError("FORBIDDEN", "another page cannot log in here", {
        hint:
          proxyHint(content) ??
          "open the recorder's own address, or send login and password with each request; behind a proxy see docs/guide/proxy.md",
      });
    const principal = await verified(context);
    if (principal.user.secret === null) requirePrivateName(content);
    const { sessions, sessionCookie } = needs;
    endSessionsOf(needs, content);
    const token = sessions.begin({ principal, address, userAgent: request.header("user-agent") ?? "" });
    const id = sessions.find(sessionKey(token) ?? "")?.id;
    log.info({ user: principal.user.name, address, session: id }, "session began");
    await sessions.kept(KEPT_MS_MAX);
    const answer = answerJson<SessionState>(sessionState(needs, principal, id));
    const cookie = sessionCookie.given(content, token, sessionLifeMs(principal));
    return { ...answer, headers: [...answer.headers, cookie] };
  },
};

/** Ends the sessions of a browser that begins another one. */
export function endSessionsOf({ sessions, sessionCookie }: SessionNeeds, request: CookieRequest): void {
  for (const { session } of sessionCookie.readAll(request)) {
    const before = sessions.find(session);
    if (before !== undefined) sessions.end(before.id);
  }
}

async function verified({ needs, request }: NamedContext<SessionNeeds>): Promise<Principal> {
  const { Login: login, Password: password, UserType: userType } = readBody(loginForm, request.body);
  const credentials: LoginCredentials = {
    login,
    password: password ?? "",
    directoryPassword: password ?? "",
    isPlainOrMd5: true,
    userType: userType ?? undefined,
    address: request.address,
  };
  try {
    return needs.access.recall(credentials) ?? (await needs.access.verify(credentials));
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "UNAUTHORIZED") throw error;
    throw new NvrdError("UNAUTHORIZED", error.message, { hint: "type them again", cause: error });
  }
}
