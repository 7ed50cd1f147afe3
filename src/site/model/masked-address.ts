import { MASK } from "../../base/index.js";

/* Addresses of the configuration as they are shown: what lets a sender in is recognized by its place, not by its look. */

/** Of a webhook: what follows the host is a token at many services. */
export function maskedPath(url: string): string {
  const [, origin = "", rest = ""] = /^([a-z]+:\/\/[^/?#\\]*)(.*)$/is.exec(url) ?? [];
  return rest === "" || rest === "/" ? url : `${origin}/${MASK}`;
}

/** Of a service with a password of its own: a login and the query. */
export function maskedQuery(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#\\]*@/i, "$1").replace(/([?#]).+$/s, `$1${MASK}`);
}

/**
 * The address that is meant by one: what was shown means what is there, and changes nothing. Undefined: it is masked, and not
 * as that was shown.
 */
export function knownAddress(
  given: string | null | undefined,
  before: string,
  shown: (url: string) => string,
): string | undefined {
  if (given === null || given === undefined || given === shown(before)) return before;
  return given.includes(MASK) ? undefined : given;
}
