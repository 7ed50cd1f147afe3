import type { Headers } from "../../http/index.js";

/** Functions of the browser that the page does not use, nor anything in it may. */
const UNUSED_FUNCTIONS = ["camera", "geolocation", "payment", "usb"];

/**
 * What a browser allows the page: its own files and streams, no code in its text, and no other page around it, unless the
 * settings name one. The one address of a script that it makes itself is that of its service worker.
 * @param frameAncestors Origins that may show the page in a frame, and `self`; none when empty.
 */
export function pageHeaders(frameAncestors: readonly string[]): Headers {
  const ancestors = frameAncestors.map((origin) => (origin === "self" ? "'self'" : origin));
  const policy = [
    "default-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
    "require-trusted-types-for 'script'",
    "trusted-types worker",
  ].join("; ");
  return [
    ["Content-Security-Policy", policy],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["Permissions-Policy", [...UNUSED_FUNCTIONS.map((name) => `${name}=()`), "microphone=(self)"].join(", ")],
    ...frameOptions(frameAncestors),
  ];
}

/**
 * Keeps other pages' windows apart from this one. A browser heeds it from trustworthy origins alone, and complains about it
 * from others.
 */
export const OPENER_POLICY: Headers = [["Cross-Origin-Opener-Policy", "same-origin"]];

/** Addresses of the browser's own machine, which it trusts over HTTP too. */
const OWN_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

export function isTrustworthy(host: string | undefined, isSecure: boolean): boolean {
  return isSecure || (host !== undefined && OWN_MACHINE.test(host));
}

/** The page and its files, however a request writes them. */
const PAGE_PATHS = /^\/*(?:index\.html|worker\.js|icon\.png|manifest\.webmanifest|page(?:\/.*)?)?$/i;

/** Whether a path, in lower case, is that of the page or of a file of it. */
export function isPagePath(path: string): boolean {
  return PAGE_PATHS.test(path);
}

/** What an error says at the page's paths: a browser shows it as a page of this origin. */
export function pageErrorHeaders(frameAncestors: readonly string[]): (path: string) => Headers {
  const headers = pageHeaders(frameAncestors);
  return (path) => (PAGE_PATHS.test(path) ? headers : []);
}

/** For browsers that do not know `frame-ancestors`; there is no such header for other origins. */
function frameOptions(frameAncestors: readonly string[]): Headers {
  if (frameAncestors.length === 0) return [["X-Frame-Options", "DENY"]];
  return frameAncestors.every((origin) => origin === "self") ? [["X-Frame-Options", "SAMEORIGIN"]] : [];
}
