import { NvrdError, parseApiTime } from "../base/index.js";

/** Maximum number of parameters in a query; its bytes are limited by `HEADER_BYTES_MAX`. */
export const QUERY_PARAMETERS_MAX = 100;

/**
 * The parameters of a request's query; names are case-insensitive. A parameter repeated with the same value counts once; one
 * repeated with different values is refused when it is read. Unknown names are ignored (`is_ajax`, `amp;password`).
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

  /**
   * The parameter's text, undefined if absent. `name` in lower case. Throws NvrdError BAD_REQUEST if sent twice with different
   * values.
   */
  get(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === CONFLICT) {
      throw new NvrdError("BAD_REQUEST", `parameter "${name}" was sent twice with different values`);
    }
    return value;
  }

  /** Like `get`, but an empty text counts as absent. */
  getFilled(name: string): string | undefined {
    const value = this.get(name);
    return value === "" ? undefined : value;
  }

  /** `get` of a mandatory parameter. Throws NvrdError BAD_REQUEST if it is missing or empty. */
  require(name: string): string {
    const value = this.getFilled(name);
    if (value === undefined) throw new NvrdError("BAD_REQUEST", `parameter "${name}" is missing`);
    return value;
  }

  /** A time in any accepted format, as Unix microseconds; undefined if absent. Throws NvrdError BAD_TIME for any other text. */
  time(name: string): number | undefined {
    const text = this.getFilled(name);
    const timeUs = text === undefined ? undefined : parseApiTime(text);
    if (text !== undefined && timeUs === undefined) {
      throw new NvrdError("BAD_TIME", `parameter "${name}" is "${shown(text)}"`);
    }
    return timeUs;
  }

  /** `time` of a mandatory parameter. */
  requireTime(name: string): number {
    const timeUs = this.time(name);
    if (timeUs === undefined) throw new NvrdError("BAD_REQUEST", `parameter "${name}" is missing`);
    return timeUs;
  }

  /**
   * The member of `values` that equals the parameter, ignoring case; `fallback` if absent. Throws NvrdError BAD_REQUEST with
   * the known values.
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

  /**
   * A boolean: `on`, `true`, `1` or their opposites in any case; false if absent. Throws NvrdError BAD_REQUEST for anything
   * else.
   */
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
    // The value may be a password, so the error names only the parameter.
    const value = equals < 0 ? "" : decodeQueryText(pair.slice(equals + 1), `parameter "${shown(name)}"`);
    const known = this.#values.get(name);
    this.#values.set(name, known === undefined || known === value ? value : CONFLICT);
  }
}

const CONFLICT = Symbol("conflict");

/** Text of a request for use in an error: truncated, without control characters. */
export function shown(text: string): string {
  return text.replace(/\p{Cc}/gu, "?").slice(0, 80);
}

/** Decodes `+` as a blank and `%XX` as a UTF-8 byte. Throws NvrdError BAD_REQUEST on anything else after `%`. */
function decodeQueryText(text: string, where: string): string {
  return decodePercent(text.replaceAll("+", " "), where);
}

/** Strict percent decoding (RFC 3986, 2.1). The error contains `where`, not the text itself. */
export function decodePercent(text: string, where: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // The message of decodeURIComponent adds nothing.
    throw new NvrdError("BAD_REQUEST", `${where} has a broken percent escape`);
  }
}
