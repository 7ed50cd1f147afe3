/**
 * Names in the spellings of LDAP: what comes from a client is escaped before it stands in a filter (RFC 4515,
 * section 3) or a distinguished name (RFC 4514, section 2.4), so that it is text there and nothing else.
 */

/** What a template may name: the whole login, and its parts before and after the last `@`. */
export interface LoginNames {
  readonly login: string;
  readonly user: string;
  /** Empty when the login has no `@`. */
  readonly domain: string;
}

export function loginNames(login: string): LoginNames {
  const at = login.lastIndexOf("@");
  return at < 0
    ? { login, user: login, domain: "" }
    : { login, user: login.slice(0, at), domain: login.slice(at + 1) };
}

const PLACE = /\{(login|user|domain|dn)\}/g;

/** Puts values into the `{…}` places of a template. A place without a value stays as it is. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  escapeValue: (value: string) => string,
): string {
  return template.replace(PLACE, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : escapeValue(value);
  });
}

/** A value as it stands in a filter: the bytes that mean something there as `\XX`. */
export function escapeFilterValue(value: string): string {
  return value.replace(/[\\*()\0]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A value as it stands in a distinguished name. */
export function escapeDnValue(value: string): string {
  return value
    .replace(/[\\,+"<>;=]/g, (sign) => `\\${sign}`)
    .replaceAll("\0", "\\00")
    .replace(/^[ #]|(?<!^) $/g, (sign) => `\\${sign}`);
}

/**
 * One spelling for each distinguished name, for comparing: case folded, blanks around the parts left out, escapes
 * resolved. Undefined for text that is none.
 */
export function normalizeDn(dn: string): string | undefined {
  const parts = splitUnescaped(dn, ",").map((part) => splitUnescaped(part, "+").map(normalizePair));
  if (parts.flat().includes(undefined)) return undefined;
  return JSON.stringify(parts.map((pairs) => pairs.sort()));
}

/** The value of a name's first part: `Guards` of `CN=Guards,OU=Groups,DC=example`. Undefined for text that is no name. */
export function firstDnValue(dn: string): string | undefined {
  const [first = ""] = splitUnescaped(dn, ",");
  const [pair = ""] = splitUnescaped(first, "+");
  const equals = pair.indexOf("=");
  return equals < 1 ? undefined : unescapeDnValue(pair.slice(equals + 1));
}

/** `attribute=value` of a part; a part may have several, with `+` between them. */
function normalizePair(pair: string): string | undefined {
  const equals = pair.indexOf("=");
  if (equals < 1) return undefined;
  const attribute = pair.slice(0, equals).trim().toLowerCase();
  return `${attribute}=${unescapeDnValue(pair.slice(equals + 1))
    .normalize("NFC")
    .toLowerCase()}`;
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** `\2C` is a byte, `\,` a sign; blanks around the value go, escaped ones stay. */
function unescapeDnValue(value: string): string {
  const trimmed = value.replace(/^ +/, "").replace(/(?<!\\) +$/, "");
  const bytes: Buffer[] = [];
  for (const [, hex, sign, plain] of trimmed.matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\]+|\\$)/gisu)) {
    bytes.push(hex === undefined ? Buffer.from(sign ?? plain ?? "") : Buffer.from(hex, "hex"));
  }
  return Buffer.concat(bytes).toString("utf8");
}
