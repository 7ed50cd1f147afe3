/**
 * LDAP names: text from a client is escaped before it is inserted into a filter (RFC 4515, section 3) or a distinguished name
 * (RFC 4514, section 2.4), so that it is always taken literally.
 */

/** The values for templates: the whole login, and its parts before and after the last `@`. */
export interface LoginNames {
  readonly login: string;
  readonly user: string;
  /** Empty if the login has no `@`. */
  readonly domain: string;
}

export function loginNames(login: string): LoginNames {
  const at = login.lastIndexOf("@");
  return at < 0
    ? { login, user: login, domain: "" }
    : { login, user: login.slice(0, at), domain: login.slice(at + 1) };
}

const PLACE = /\{(login|user|domain|dn)\}/g;

/** Replaces the `{…}` placeholders of a template. A placeholder without a value is kept. */
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

/** Escapes a value for a filter: special bytes become `\XX`. */
export function escapeFilterValue(value: string): string {
  return value.replace(/[\\*()\0]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Escapes a value for a distinguished name. */
export function escapeDnValue(value: string): string {
  return value
    .replace(/[\\,+"<>;=]/g, (sign) => `\\${sign}`)
    .replaceAll("\0", "\\00")
    .replace(/^[ #]|(?<!^) $/g, (sign) => `\\${sign}`);
}

/**
 * Normalizes a distinguished name for comparison: lower case, no blanks around the parts, escapes resolved. Undefined if the
 * text is not a distinguished name.
 */
export function normalizeDn(dn: string): string | undefined {
  const parts = splitUnescaped(dn, ",").map((part) => splitUnescaped(part, "+").map(normalizePair));
  if (parts.flat().includes(undefined)) return undefined;
  return JSON.stringify(parts.map((pairs) => pairs.sort()));
}

/** The value of a name's first part: `Guards` of `CN=Guards,OU=Groups,DC=example`. Undefined if the text is not a name. */
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

/** `\2C` is a byte, `\,` a character; surrounding blanks are removed unless escaped. */
function unescapeDnValue(value: string): string {
  const trimmed = value.replace(/^ +/, "").replace(/(?<!\\) +$/, "");
  const bytes: Buffer[] = [];
  for (const [, hex, sign, plain] of trimmed.matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\]+|\\$)/gisu)) {
    bytes.push(hex === undefined ? Buffer.from(sign ?? plain ?? "") : Buffer.from(hex, "hex"));
  }
  return Buffer.concat(bytes).toString("utf8");
}
