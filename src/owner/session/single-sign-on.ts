import { OIDC_TICKET_SECONDS, type Principal, sessionKey, sessionLifeMs } from "../../access/index.js";
import { errorText, NvrdError } from "../../base/index.js";
import { type LoginWays, loginWays } from "../../contract/answer/index.js";
import type { Answer, Headers } from "../../http/index.js";
import {
  answerJson,
  jsonAnswer,
  type NamedContext,
  type Route,
  schemaOf,
  TEXT,
  TicketCookie,
} from "../../route/index.js";
import { endSessionsOf, KEPT_MS_MAX } from "./post-session.js";
import type { OidcControl, SessionNeeds } from "./session-state.js";

const NO_PROVIDER = { 404: "There is no provider (setting `oidcIssuer`)." };
const MOVED = {
  status: 302,
  text: "`Location` says where the browser goes on.",
  content: { "*/*": TEXT },
} as const;

export const SINGLE_SIGN_ON_ROUTES: readonly Route<SessionNeeds>[] = [
  {
    method: "GET",
    path: "/api/session/ways",
    login: "none",
    describe: {
      topic: "session",
      summary: "Tells how one may log in, besides the form",
      access: "For everybody.",
      answer: jsonAnswer(schemaOf(loginWays), "The ways."),
      example: ['curl -f "$NVRD/api/session/ways"'],
    },
    /** GET /api/session/ways: whether there is a provider. */
    endpoint: ({ needs }) => {
      const oidc = needs.oidc();
      return answerJson<LoginWays>({ Oidc: oidc === undefined ? null : { Label: oidc.label } });
    },
  },
  {
    method: "GET",
    path: "/api/session/oidc",
    login: "none",
    describe: {
      topic: "session",
      summary: "Sends a browser to the provider to log in",
      access: "For everybody.",
      text: [
        "OpenID Connect, authorization code with PKCE. A browser opens this path; the provider sends it back to [`/api/session/oidc/return`](#get-apisessionoidcreturn) within ten minutes. See the [guide](../guide/single-sign-on.md).",
      ],
      answer: MOVED,
      errors: { ...NO_PROVIDER, 503: "The provider does not answer." },
      example: ["# Without a provider: 404.", 'curl -fi "$NVRD/api/session/oidc"'],
    },
    /** GET /api/session/oidc: the way to the provider. */
    async endpoint({ needs, request }) {
      const { url, ticket } = await requireProvider(needs).begin();
      return moved(url, [ticketCookie(needs).given(request.content, ticket, OIDC_TICKET_SECONDS)]);
    },
  },
  {
    method: "GET",
    path: "/api/session/oidc/return",
    login: "none",
    describe: {
      topic: "session",
      summary: "Takes a browser back from the provider, and logs it in",
      access: "For the browser that has begun the login.",
      text: [
        "What the query says is the provider's. The browser goes on to the page: with a session, or with `?login=refused` or `?login=unavailable`. A refused login is an [event](events.md) `loginFailed`.",
      ],
      answer: MOVED,
      errors: NO_PROVIDER,
      example: ["# Without a provider: 404.", 'curl -fi "$NVRD/api/session/oidc/return?code=1&state=2"'],
    },
    /** GET /api/session/oidc/return: begins a session. */
    async endpoint(context) {
      const { needs, request, log } = context;
      const oidc = requireProvider(needs);
      const cookie = ticketCookie(needs);
      const taken = cookie.given(request.content, "", 0);
      try {
        const [, query = ""] = request.content.target.split(/\?(.*)/s);
        const ticket = cookie.read(request.content);
        const principal = await oidc.finish({ ticket, query, address: request.address });
        return moved(PAGE, [taken, await begun(context, principal)]);
      } catch (error) {
        if (!(error instanceof NvrdError)) throw error;
        log.info(
          { reason: errorText(error), address: request.address },
          "nobody was logged in by the provider",
        );
        const isAway = error.code === "NOT_AVAILABLE" || error.code === "TOO_MANY_REQUESTS";
        return moved(`${PAGE}?login=${isAway ? "unavailable" : "refused"}`, [taken]);
      }
    },
  },
];

/** The page, from the path to return to: also where a proxy has it below another one. */
const PAGE = "../../../";

async function begun(
  { needs, request, log }: NamedContext<SessionNeeds>,
  principal: Principal,
): Promise<readonly [string, string]> {
  const { content, address } = request;
  endSessionsOf(needs, content);
  const { sessions, sessionCookie } = needs;
  const token = sessions.begin({ principal, address, userAgent: request.header("user-agent") ?? "" });
  const id = sessions.find(sessionKey(token) ?? "")?.id;
  log.info({ user: principal.user.name, address, session: id }, "session began");
  await sessions.kept(KEPT_MS_MAX);
  return sessionCookie.given(content, token, sessionLifeMs(principal));
}

function requireProvider(needs: SessionNeeds): OidcControl {
  const oidc = needs.oidc();
  if (oidc !== undefined) return oidc;
  throw new NvrdError("NOT_FOUND", "there is no provider of logins here", {
    hint: "the setting oidcIssuer names one",
  });
}

function ticketCookie({ sessionCookie }: SessionNeeds): TicketCookie {
  return new TicketCookie(() => sessionCookie.id);
}

function moved(location: string, cookies: Headers): Answer {
  return {
    status: 302,
    headers: [
      ["Location", location],
      ["Cache-Control", "no-store"],
      ["Referrer-Policy", "no-referrer"],
      ...cookies,
    ],
    body: new Uint8Array(0),
  };
}
