import type { IncomingHttpHeaders as Http2Headers } from "node:http2";
import { HUB_USER_HEADER } from "../../contract/index.js";
import type { HubUser } from "./identity.js";

/** Headers of a request through the hub that the box's API gets; anything else stays here: cookies and logins above all. */
const PASSED_ON: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "accept-language", "content-type", "content-length", "user-agent"],
  ...["range", "if-range", "if-match", "if-none-match", "if-modified-since", "x-requested-with"],
  "sec-websocket-protocol",
]);
/** Headers of its answer that do not go to the hub: they concern the connection, or a browser of another server. */
const KEPT_BACK: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "transfer-encoding", "upgrade", "set-cookie", "www-authenticate"],
  ...["sec-websocket-accept", "sec-websocket-extensions", "proxy-authenticate", "strict-transport-security"],
]);
/** Names of a login in the query. */
const LOGIN_NAMES: ReadonlySet<string> = new Set(["login", "password", "usertype"]);

/** Whether the query of a path has a login, in whatever spelling the API reads: it takes further question marks as `&`. */
export function hasLogin(path: string): boolean {
  const [, ...parts] = path.split("?");
  return [...new URLSearchParams(parts.join("&")).keys()].some((name) =>
    LOGIN_NAMES.has(name.trim().toLowerCase()),
  );
}

/** The headers of the request to the API. */
export function requestHeaders(headers: Http2Headers, user: HubUser): Record<string, string> {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    PASSED_ON.has(name) && typeof value === "string" ? [[name, value] as const] : [],
  );
  const named = Buffer.from(JSON.stringify(user)).toString("base64url");
  return { ...Object.fromEntries(passed), host: "box", [HUB_USER_HEADER]: named };
}

/** The headers of its answer, for the hub. */
export function answerHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      KEPT_BACK.has(name) || value === undefined ? [] : [[name, value] as const],
    ),
  );
}
