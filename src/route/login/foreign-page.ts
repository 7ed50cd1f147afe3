import { isIP } from "node:net";
import { hostname } from "node:os";
import { NvrdError } from "../../base/index.js";
import { EMPTY_PASSWORD_MD5 } from "../../contract/index.js";
import { type RequestContent, shown } from "../../http/index.js";
import { findCredentials } from "./credentials.js";
import { type BrowserRequest, isOwnOrigin, proxyHint } from "./own-page.js";

/** What says which page has sent a request, and whether the page can have known the login. */
type GuardedRequest = BrowserRequest & Pick<RequestContent, "method" | "query">;

/**
 * Throws NvrdError FORBIDDEN where a browser says that a page of another site sends the request, unless that site is among
 * `origins` by name. A browser adds a remembered login to whatever any page asks for, and lets any page send forms and open
 * sockets, so the login proves nothing of the page. `*` names nobody. What no browser sends says nothing of a page, and passes.
 * Over plain HTTP browsers say neither of a GET, as pictures, frames and links send it; there the page that `Referer` names counts.
 * Source: Fetch Standard, `Origin`; Fetch Metadata Request Headers, `Sec-Fetch-Site`, which is for trustworthy addresses alone.
 */
export function requireWelcomePage(request: GuardedRequest, origins: readonly string[]): void {
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (origin !== undefined) {
    if (isNamed(origin, origins)) return;
    if (isOwnOrigin(origin, request)) {
      if (isWithoutPassword(request)) requirePrivateName(request);
      return;
    }
    throw foreign(`Origin: ${shown(origin)}`, request);
  }
  // Another port of the same host is the same site, and another page all the same.
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw foreign(`Sec-Fetch-Site: ${shown(site)}`, request);
  if (site === undefined && isBrowserByItself(request)) requireWelcomeReferer(request, origins);
}

/** A page may forbid the browser to name it: then nobody knows which one it is. */
function requireWelcomeReferer(request: GuardedRequest, origins: readonly string[]): void {
  const referer = request.header("referer");
  const [from] = /^https?:\/\/[^/?#]+/i.exec(referer ?? "") ?? [];
  if (from !== undefined && (isNamed(from, origins) || isOwnOrigin(from, request))) return;
  throw foreign(referer === undefined ? "it is not said which" : `Referer: ${shown(referer)}`, request);
}

/**
 * Throws NvrdError FORBIDDEN where a browser has asked for a name of the Internet, for a user who has no password: any page can have
 * its own name lead to this recorder (DNS rebinding), and is then its own page by all that a browser says. Names of the local
 * network, and addresses, are nobody's page.
 */
export function requirePrivateName(request: BrowserRequest): void {
  const origin = request.header("origin");
  if (origin === undefined) return;
  const host = /^https?:\/\/([^/:]+)(?::\d+)?$/i.exec(origin)?.[1] ?? "";
  if (isIP(host) !== 0 || !host.includes(".")) return;
  if (PRIVATE_NAME.test(host) || host.toLowerCase() === hostname().toLowerCase()) return;
  throw new NvrdError("FORBIDDEN", `a user without a password cannot be used at the name ${shown(host)}`, {
    hint: "give the user a password, or open the recorder by its address",
  });
}

/** RFC 6762, RFC 8375, RFC 6761, and what home routers and ICANN (`internal`) have for it. */
const PRIVATE_NAME = /\.(?:local|home\.arpa|localhost|internal|lan|home|localdomain|fritz\.box)$/i;

/** Whether a request lets somebody in by name alone. */
function isWithoutPassword(request: GuardedRequest): boolean {
  const login = findCredentials(request);
  return login !== undefined && ["", EMPTY_PASSWORD_MD5].includes(login.password?.toLowerCase() ?? "");
}

const BROWSER = /^Mozilla\/.*\b(?:AppleWebKit|Gecko|Trident)\b/;

/**
 * Whether a browser may have sent it for any page, without a word of which. It says so of all but what reads. What no page can have
 * sent is a password in the address, or a header of its own.
 */
function isBrowserByItself(request: GuardedRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (request.header("upgrade") !== undefined) return false;
  if (request.header("x-requested-with") !== undefined) return false;
  if (!BROWSER.test(request.header("user-agent") ?? "")) return false;
  if (request.query.getFilled("login") !== undefined) return isWithoutPassword(request);
  return request.header("authorization") !== undefined;
}

function isNamed(origin: string, origins: readonly string[]): boolean {
  return origins.some((named) => named.toLowerCase() === origin.toLowerCase());
}

function foreign(what: string, request: BrowserRequest): NvrdError {
  return new NvrdError("FORBIDDEN", `a page of another site may not do this (${what})`, {
    hint:
      proxyHint(request) ??
      "add the page's origin, such as https://panel.example, to the setting corsOrigins; a program sends X-Requested-With; behind a proxy, see docs/guide/proxy.md",
  });
}
