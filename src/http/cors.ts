import type { ApiRequest } from "./request.js";
import type { Headers } from "./response.js";

/** How long a browser may cache the answer to a preflight. */
const PREFLIGHT_SECONDS_MAX = 600;

const ALLOWED_HEADERS = "Authorization, Content-Type, UserType, Accept, If-Match";
const EXPOSED_HEADERS =
  "ETag, Recordings-Incomplete, Retry-After, Sound, Strip, X-Export-Parts, X-Request-Id";

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
