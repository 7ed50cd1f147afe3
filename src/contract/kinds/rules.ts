import { HOST_NAME, IPV4 } from "./host-patterns.js";
import { type Coded, coded, type Line, lines, type TextRule } from "./kinds.js";
import { DAY_MINUTES } from "./week.js";

/** Rules of texts that several resources share. */

const HTTP_ORIGIN_SAID = `^https?://(?:${HOST_NAME}|${IPV4})(?::[1-9]\\d{0,3})?`;
/** What `URL` reads and a pattern can say; others, with IPv6 addresses or credentials, are accepted too. */
export const HTTP_URL_SAID = `${HTTP_ORIGIN_SAID}(?:[/?#][!-~]*)?$`;
/** The same without a query and a fragment. */
export const BARE_HTTP_URL_SAID = `${HTTP_ORIGIN_SAID}(?:/[!"$->@-~]*)?$`;

/** An http:// or https:// URL without user and password. */
export const HTTP_URL: readonly TextRule[] = [
  { pattern: /^[hH][tT][tT][pP][sS]?:\/\/\S+$/u, accepted: "an http:// or https:// URL" },
  { check: (text) => URL.canParse(text), accepted: "an http:// or https:// URL" },
  { check: (text) => !hasLogin(text), accepted: "a URL without user and password", said: HTTP_URL_SAID },
];

/** The same, to which a path is added. */
export const BARE_HTTP_URL: readonly TextRule[] = [
  ...HTTP_URL,
  { check: (text) => !/[?#]/.test(text), accepted: "a URL without a query", said: BARE_HTTP_URL_SAID },
];

/** The same with a login, or empty. */
export const HTTP_URL_OR_EMPTY: readonly TextRule[] = [
  {
    pattern: /^(?:|[hH][tT][tT][pP][sS]?:\/\/\S+)$/u,
    accepted: "an http:// or https:// URL, or empty",
  },
  {
    check: (text) => text === "" || URL.canParse(text),
    accepted: "an http:// or https:// URL, or empty",
    said: orEmpty(HTTP_URL_SAID),
  },
];

const ORIGIN_SAID = `${HTTP_ORIGIN_SAID}/?$`;

/** Scheme, host and port of an HTTP server. */
export const HTTP_ORIGIN: readonly TextRule[] = [
  { check: isOrigin, accepted: "http:// or https://, a host and perhaps a port", said: ORIGIN_SAID },
];

/** Empty: none. Proxies that are reached over TLS are rare, and those that are not see no content of https. */
export const PROXY: readonly TextRule[] = [
  {
    check: (text) => text === "" || (isOrigin(text) && new URL(text).protocol === "http:"),
    accepted: "http://, a host and perhaps a port, or empty, without a login",
    said: orEmpty(ORIGIN_SAID).replace("https?", "http"),
  },
];

/** A beginning or an end of hours, up to `24:00`. */
export const timeOfDay: Coded = coded(
  /^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/,
  "a time of day such as 22:00",
);
/** A moment of a day, which `24:00` is not. */
export const timeOfStart = {
  ...coded(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, "a time of day such as 22:00, up to 23:59"),
  minuteMax: DAY_MINUTES - 1,
} as const;

/** Certificates as PEM (RFC 7468), or empty. */
export const certificates: Line = lines(32_768, {
  pattern: /^(?:|\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+)$/,
  accepted: "certificates as PEM, or empty",
});

function hasLogin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return username === "" && password === "" && pathname === "/" && search === "" && hash === "";
}

/** The rule, which an empty text passes too. */
export const orEmptyRule = ({ pattern, check, accepted, said }: TextRule): TextRule => ({
  accepted: `${accepted}, or empty`,
  check: (text) => text === "" || (pattern?.test(text) !== false && check?.(text) !== false),
  ...(said === undefined ? {} : { said: orEmpty(said) }),
});

/** A whole pattern that takes an empty text too. */
function orEmpty(pattern: string): string {
  return `^(?:|${pattern.slice(1, -1)})$`;
}
