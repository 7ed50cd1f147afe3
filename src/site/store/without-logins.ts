import { redactUrl } from "../../base/index.js";

/** A login and a password at the beginning of an address. */
export const URL_LOGIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#\s:@]*):([^/?#\s@]*)@/i;

/** The value with the logins removed from its texts: any text may be an address. */
export function withoutLogins(value: unknown): unknown {
  if (typeof value === "string") return redactUrl(value).replace(URL_LOGIN, "");
  if (Array.isArray(value)) return value.map(withoutLogins);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLogins(member)]));
}

/**
 * Takes back `withoutLogins`: a text that is that of `known` but for its login gets it again. Lists of objects are compared by
 * `id`.
 */
export function withKnownLogins(value: unknown, known: unknown): unknown {
  if (typeof value === "string" && typeof known === "string")
    return value !== known && withoutLogins(known) === value ? known : value;
  if (Array.isArray(value) && Array.isArray(known))
    return value.map((item: unknown) => withKnownLogins(item, known.find(isSame(item))));
  if (!isObject(value) || !isObject(known)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withKnownLogins(member, known[name])]),
  );
}

function isSame(item: unknown): (other: unknown) => boolean {
  return (other) => isObject(item) && isObject(other) && item.id !== undefined && item.id === other.id;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
