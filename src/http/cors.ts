import type { ApiRequest } from "./request.js";
import type { Headers } from "./response.js";

/** How long a browser may cache the answer to a preflight. */
const PREFLIGHT_SECONDS_MAX = 600;

const ALLOWED_HEADERS = "Authorization, Content-Type, UserType, Accept, If-Match";
const EXPOSED_HEADERS = "ETag, Retry-After, Sound, Strip, X-Export-Parts, X-Request-Id";

/**
 * The CORS headers of an answer: none without an Origin header, or if `origins` contains neither it nor `*`. The answer to a
 * preflight lists the headers that browser clients send.
 */
export function corsHeaders(
  origins: readonly string[],
  request: ApiRequest,
  preflightMethods?: readonly string[],
): Headers {
  const origin = request.header("origin");
  if (origin === undefined) return [];
  const any = origins.includes("*");
  const vary: Headers = any ? [] : [["Vary", "Origin"]];
  if (!any && !origins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())) return vary;
  const headers: Headers = [["Access-Control-Allow-Origin", any ? "*" : origin], ...vary];
  if (preflightMethods === undefined) return [...headers, ["Access-Control-Expose-Headers", EXPOSED_HEADERS]];
  return [
    ...headers,
    ["Access-Control-Allow-Methods", preflightMethods.join(", ")],
    ["Access-Control-Allow-Headers", ALLOWED_HEADERS],
    ["Access-Control-Max-Age", String(PREFLIGHT_SECONDS_MAX)],
  ];
}

/**
 * Whether a page may open a WebSocket, which browsers allow to any page: one that this server served, or of `origins`. Other
 * programs send no Origin. `*` does not let a foreign page use the cookies of its visitor.
 */
export function isWelcomeOrigin(origins: readonly string[], request: ApiRequest): boolean {
  const origin = request.header("origin")?.toLowerCase();
  if (origin === undefined) return true;
  if (origins.some((allowed) => allowed.toLowerCase() === origin)) return true;
  if (origins.includes("*") && request.header("cookie") === undefined) return true;
  const host = request.header("host")?.toLowerCase();
  return host !== undefined && hostOf(origin) === host.replace(/:(80|443)$/, "");
}

/** `https://recorder:8443` gives `recorder:8443`; the port is left out where it is the usual one. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/?#@]+)$/.exec(origin)?.[1]?.replace(/:(80|443)$/, "");
}
