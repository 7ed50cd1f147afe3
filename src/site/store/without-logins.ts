import { redactUrl } from "../../base/index.js";

/** A login and a password at the beginning of an address. */
export const URL_LOGIN = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#\s:@]*):([^/?#\s@]*)@/i;

const EACH = "*";

/**
 * Where a configuration holds addresses, which may have a login in them. Names and descriptions are nowhere here: they are the
 * owner's, and whatever they look like, they stay as they are.
 */
export const ADDRESS_PLACES: readonly (readonly string[])[] = [
  ["cameras", EACH, "connection", "hostname"],
  ["cameras", EACH, "connection", "streams", EACH, "additionalParams"],
  ["monitoring", "url"],
  ["monitoring", "proxyUrl"],
  ["alarmTargets", EACH, "delivery", "url"],
  ["alarmTargets", EACH, "delivery", "pageUrl"],
  ["awayTargets", EACH, "endpoint"],
  ["awayTargets", EACH, "proxy"],
  ["analysers", EACH, "source", "url"],
  ["directory", "url"],
];

/** The site of an exported configuration with the logins removed from its addresses. */
export function withoutLogins(site: unknown): unknown {
  return ADDRESS_PLACES.reduce((done, place) => atPlace(done, undefined, place, withoutLogin), site);
}

/** Takes back `withoutLogins`: an address that is that of `known` but for its login gets it again. Items are those of one `id`. */
export function withKnownLogins(site: unknown, known: unknown): unknown {
  const knownLogin: Change = (address, one) =>
    typeof one === "string" && address !== one && withoutLogin(one) === address ? one : address;
  return ADDRESS_PLACES.reduce((done, place) => atPlace(done, known, place, knownLogin), site);
}

/** The addresses of an item of one of the site's lists, such as `cameras`. */
export function addressesOf(list: string, item: unknown): readonly string[] {
  const found: string[] = [];
  const collect: Change = (address) => {
    found.push(address);
    return address;
  };
  for (const place of ADDRESS_PLACES)
    if (place[0] === list) atPlace(item, undefined, place.slice(2), collect);
  return found;
}

function withoutLogin(address: string): string {
  return redactUrl(address).replace(URL_LOGIN, "");
}

type Change = (address: string, known: unknown) => string;

/** The value with the texts at the place changed; `known` is walked beside it. Data of another shape stays as it is. */
function atPlace(value: unknown, known: unknown, place: readonly string[], change: Change): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return typeof value === "string" ? change(value, known) : value;
  if (Array.isArray(value)) {
    if (step !== EACH) return value;
    const items: readonly unknown[] = Array.isArray(known) ? known : [];
    return value.map((item: unknown) => atPlace(item, items.find(isSame(item)), rest, change));
  }
  if (!isObject(value)) return value;
  const others = isObject(known) ? known : {};
  const steps = step === EACH ? Object.keys(value) : Object.hasOwn(value, step) ? [step] : [];
  const changed = steps.map((name) => [name, atPlace(value[name], others[name], rest, change)]);
  return { ...value, ...Object.fromEntries(changed) };
}

function isSame(item: unknown): (other: unknown) => boolean {
  return (other) => isObject(item) && isObject(other) && item.id !== undefined && item.id === other.id;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
