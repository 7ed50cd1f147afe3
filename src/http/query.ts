import { NvrdError, parseApiTime } from "../base/index.js";

/** Most parameters a query may have; header block limits bound its bytes. */
export const QUERY_PARAMETERS_MAX = 100;

/**
 * The parameters of a request's query, by names in any case. A parameter that comes twice with one value counts once;
 * twice with different values it is refused when it is asked for. Names nobody asks for are ignored (`is_ajax`,
 * `amp;password`).
 */
export class Query {
  readonly #values = new Map<string, string | typeof CONFLICT>();

  /** `raw`: the request target's part after the first `?`. Throws NvrdError BAD_REQUEST on a broken percent escape. */
  constructor(raw: string) {
    const pairs = raw.split(/[&?]/).filter((pair) => pair !== "");
    if (pairs.length > QUERY_PARAMETERS_MAX) {
      throw new NvrdError("BAD_REQUEST", `the query has more than ${QUERY_PARAMETERS_MAX} parameters`);
    }
    for (const pair of pairs) this.#add(pair);
  }

  /** The parameter's text, undefined when it was not sent. `name` in lower case. Throws NvrdError BAD_REQUEST when sent twice with different values. */
  get(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === CONFLICT) {
      throw new NvrdError("BAD_REQUEST", `parameter "${name}" was sent twice with different values`);
    }
    return value;
  }

  /** As `get`, an empty text counting as not sent. */
  getFilled(name: string): string | undefined {
    const value = this.get(name);
    return value === "" ? undefined : value;
  }

  /** `get` of a parameter that must be there. Throws NvrdError BAD_REQUEST when it is missing or empty. */
  require(name: string): string {
    const value = this.getFilled(name);
    if (value === undefined) throw new NvrdError("BAD_REQUEST", `parameter "${name}" is missing`);
    return value;
  }

  /** A time of any accepted spelling in Unix microseconds, undefined when it was not sent. Throws NvrdError BAD_TIME on another text. */
  time(name: string): number | undefined {
    const text = this.getFilled(name);
    const timeUs = text === undefined ? undefined : parseApiTime(text);
    if (text !== undefined && timeUs === undefined) {
      throw new NvrdError("BAD_TIME", `parameter "${name}" is "${shown(text)}"`);
    }
    return timeUs;
  }

  /** `time` of a parameter that must be there. */
  requireTime(name: string): number {
    const timeUs = this.time(name);
    if (timeUs === undefined) throw new NvrdError("BAD_REQUEST", `parameter "${name}" is missing`);
    return timeUs;
  }

  /**
   * The member of `values` that the parameter spells in any case; `fallback` when it was not sent.
   * Throws NvrdError BAD_REQUEST with the values that are known.
   */
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.getFilled(name);
    if (text === undefined) return fallback;
    const lower = text.trim().toLowerCase();
    const found = values.find((value) => value.toLowerCase() === lower);
    if (found === undefined) {
      throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text)}": use ${values.join(", ")}`);
    }
    return found;
  }

  /** On or off, as `on`, `true`, `1` and their opposites in any case; off when it was not sent. Throws NvrdError BAD_REQUEST on anything else. */
  flag(name: string): boolean {
    const text = this.getFilled(name);
    const lower = text?.trim().toLowerCase() ?? "off";
    if (["on", "true", "1"].includes(lower)) return true;
    if (["off", "false", "0"].includes(lower)) return false;
    throw new NvrdError("BAD_REQUEST", `parameter "${name}" is "${shown(text ?? "")}": use on, off`);
  }

  #add(pair: string): void {
    const equals = pair.indexOf("=");
    const name = decodeQueryText(
      equals < 0 ? pair : pair.slice(0, equals),
      "a parameter's name",
    ).toLowerCase();
    // The value may be a password: the error names the parameter alone.
    const value = equals < 0 ? "" : decodeQueryText(pair.slice(equals + 1), `parameter "${shown(name)}"`);
    const known = this.#values.get(name);
    this.#values.set(name, known === undefined || known === value ? value : CONFLICT);
  }
}

const CONFLICT = Symbol("conflict");

/** A request's text as an error may show it: cut, without control characters. */
export function shown(text: string): string {
  return text.replace(/\p{Cc}/gu, "?").slice(0, 80);
}

/** `+` is a blank, `%XX` an UTF-8 byte. Throws NvrdError BAD_REQUEST on anything else after `%`. */
function decodeQueryText(text: string, where: string): string {
  return decodePercent(text.replaceAll("+", " "), where);
}

/** Strict percent decoding (RFC 3986, 2.1). `where` names the text in the error, which does not repeat it. */
export function decodePercent(text: string, where: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // The parser's message says no more.
    throw new NvrdError("BAD_REQUEST", `${where} has a broken percent escape`);
  }
}
