import { HOST_NAME, IPV4 } from "./host-patterns.js";
import type { TextRule } from "./kinds.js";

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

/** Certificates as PEM (RFC 7468), or empty. */
export const CERTIFICATES: readonly TextRule[] = [
  {
    pattern: /^(?:|\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+)$/,
    accepted: "certificates as PEM, or empty",
  },
];

function hasLogin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}
