import { NvrdError } from "../../base/index.js";
import { shown } from "../../http/index.js";
import { type BrowserRequest, isOwnOrigin, proxyHint } from "./own-page.js";

/**
 * Throws NvrdError FORBIDDEN where a browser says that a page of another site sends the request, unless that site is among
 * `origins` by name. A browser adds a remembered login to whatever any page asks for, and lets any page send forms and open
 * sockets, so the login proves nothing of the page. `*` names nobody. What no browser sends says nothing of a page, and passes.
 * Source: Fetch Standard, `Origin`; Fetch Metadata Request Headers, `Sec-Fetch-Site`.
 */
export function requireWelcomePage(request: BrowserRequest, origins: readonly string[]): void {
  const origin = request.header("origin");
  const site = request.header("sec-fetch-site");
  if (origin !== undefined) {
    if (isNamed(origin, origins) || isOwnOrigin(origin, request)) return;
    throw foreign(`Origin: ${shown(origin)}`, request);
  }
  // Another port of the same host is the same site, and another page all the same.
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw foreign(`Sec-Fetch-Site: ${shown(site)}`, request);
}

function isNamed(origin: string, origins: readonly string[]): boolean {
  return origins.some((named) => named.toLowerCase() === origin.toLowerCase());
}

function foreign(what: string, request: BrowserRequest): NvrdError {
  return new NvrdError("FORBIDDEN", `a page of another site may not do this (${what})`, {
    hint:
      proxyHint(request) ??
      "add the page's origin, such as https://panel.example, to the setting corsOrigins; behind a proxy, see docs/guide/proxy.md",
  });
}
