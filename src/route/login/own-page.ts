import { NvrdError } from "../../base/index.js";
import { type Answer, type RequestContent, shown } from "../../http/index.js";

/** What of a request says which page has sent it. */
export type BrowserRequest = Pick<RequestContent, "header" | "secure" | "proxied" | "address">;

/**
 * Throws NvrdError FORBIDDEN unless a request that is authorized by a cookie alone comes from the service's own page: a browser
 * adds the cookie to whatever any page asks for. A browser says where a request comes from in `Origin`, and over HTTPS in
 * `Sec-Fetch-Site`; over plain HTTP it says nothing for reading requests.
 * @param change Whether the request changes something: then it must be said, otherwise it must not be another page.
 */
export function requireOwnPage(request: BrowserRequest, change: boolean): void {
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (origin !== undefined && !isOwnOrigin(origin, request))
    throw foreign(`Origin: ${shown(origin)}`, request);
  if (site !== undefined && site !== "same-origin" && (site !== "none" || change))
    throw foreign(`Sec-Fetch-Site: ${shown(site)}`, request);
  if (change && origin === undefined && site === undefined)
    throw foreign("neither Origin nor Sec-Fetch-Site", request);
}

/** Whether a browser's request comes from another page; false for programs, which say nothing of a page. */
export function comesFromElsewhere(request: BrowserRequest): boolean {
  const origin = request.header("origin");
  return origin !== undefined && !isOwnOrigin(origin, request);
}

/**
 * Host and port must be those of the request. The origin may have HTTPS where the request has not: a proxy that is not trusted
 * ends it. The reverse is another page. A trusted proxy may name the host that it was asked for in X-Forwarded-Host, or
 * pass on Host without its port: then a browser that says more must say that it is the same page.
 */
export function isOwnOrigin(origin: string, request: BrowserRequest): boolean {
  const [, scheme = "", host = ""] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (host === "" || (request.secure && scheme !== "https")) return false;
  // Some proxies write the usual port out.
  const usualPort = scheme === "https" ? /:443$/ : /:80$/;
  const own = host.replace(usualPort, "");
  const mayLackPort =
    request.proxied && (request.header("sec-fetch-site") ?? "same-origin") === "same-origin";
  return askedHosts(request).some((asked) => {
    const plain = asked.replace(usualPort, "");
    return plain === own || (mayLackPort && asked === own.replace(PORT, ""));
  });
}

const PORT = /:\d+$/;

/** The hosts that the browser may have asked for, in lower case. */
function askedHosts(request: BrowserRequest): readonly string[] {
  const host = request.header("host")?.toLowerCase() ?? "";
  if (!request.proxied) return [host];
  // The last one is what the trusted proxy has written itself.
  const forwarded = request.header("x-forwarded-host")?.split(",").at(-1)?.trim().toLowerCase() ?? "";
  return [forwarded, host].filter((asked) => asked !== "");
}

function foreign(what: string, request: BrowserRequest): NvrdError {
  return new NvrdError("FORBIDDEN", `a session is for the recorder's own page, and the request has ${what}`, {
    hint:
      proxyHint(request) ?? "other pages and programs send login and password, or set Origin to this address",
  });
}

/** Headers that proxies add, and browsers never. */
const PROXY_HEADERS = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded", "via"];

/** What to do where the request has come through a proxy: it has hidden which address the browser has. */
export function proxyHint(request: BrowserRequest): string | undefined {
  const asked = shown(request.header("host") ?? "");
  if (request.proxied)
    return `the proxy has asked for ${asked}: it must pass on the browser's Host, see docs/guide/proxy.md`;
  if (!PROXY_HEADERS.some((name) => request.header(name) !== undefined)) return undefined;
  return `if the proxy at ${request.address} is yours, name it in the setting trustedProxies: see docs/guide/proxy.md`;
}

/** Whether a 401 goes to a script or a picture of the own page, where the browser's dialog for a password has no place. */
export function isOfPage(request: BrowserRequest): boolean {
  if (request.header("x-requested-with") !== undefined) return true;
  const mode = request.header("sec-fetch-mode");
  const site = request.header("sec-fetch-site");
  // Programs send the mode alone (Node's fetch does): they get the challenge as ever.
  if (mode === undefined || site === undefined || mode === "navigate") return false;
  return mode !== "no-cors" || site === "same-origin";
}

/** The answer without the challenge that makes a browser ask for a password itself. */
export function withoutDialog(answer: Answer): Answer {
  return { ...answer, headers: answer.headers.filter(([name]) => name !== "WWW-Authenticate") };
}
