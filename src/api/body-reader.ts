import { NvrdError } from "../base/index.js";

/** Most faults named in one answer. */
const FAULTS_SHOWN_MAX = 20;

/** The faults of one body, by path: a body with any changes nothing. */
export class Faults {
  readonly #texts: string[] = [];
  #count = 0;

  add(path: string, text: string): void {
    this.#count += 1;
    if (this.#texts.length < FAULTS_SHOWN_MAX) this.#texts.push(`${path}: ${text}`);
  }

  /** Throws NvrdError BAD_REQUEST with every fault, when there is one. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const more = this.#count - this.#texts.length;
    throw new NvrdError("BAD_REQUEST", this.#texts.join("; ") + (more > 0 ? `; and ${more} more` : ""));
  }
}

/** The JSON value of a body. Throws NvrdError BAD_REQUEST when it is none. */
export function parseJsonBody(body: Uint8Array): unknown {
  const text = Buffer.from(body)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NvrdError("BAD_REQUEST", "the body is not JSON", { cause });
  }
}

/** Reads the members of one JSON object of a body; what is wrong is noted with its path and answered with undefined. */
export class BodyReader {
  readonly path: string;
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #faults: Faults;

  /** `value`: a JSON value, an absent or null one reads as an empty object. */
  constructor(value: unknown, path: string, faults: Faults) {
    this.path = path;
    this.#faults = faults;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject && value !== undefined && value !== null) faults.add(path, "must be an object");
    this.#members = new Map(isObject ? Object.entries(value) : []);
  }

  /** The member's value; undefined when it is absent or null. */
  value(name: string): unknown {
    return this.#members.get(name) ?? undefined;
  }

  child(name: string): BodyReader {
    return new BodyReader(this.value(name), this.pathOf(name), this.#faults);
  }

  /** The objects of a list member; none when it is absent or null. */
  children(name: string, countMax: number): readonly BodyReader[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (!Array.isArray(value) || value.length > countMax) {
      this.fault(name, `a list of at most ${countMax} objects`);
      return [];
    }
    return value.map((item, index) => new BodyReader(item, `${this.pathOf(name)}[${index}]`, this.#faults));
  }

  /** One line of text. */
  text(name: string, lengthMax: number): string | undefined {
    return this.#text(name, lengthMax, /\p{Cc}/u);
  }

  /** Text that may have tabs and line breaks. */
  lines(name: string, lengthMax: number): string | undefined {
    return this.#text(name, lengthMax, /[^\P{Cc}\t\r\n]/u);
  }

  #text(name: string, lengthMax: number, refused: RegExp): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.fault(name, "must be a text");
    if (value.length > lengthMax) return this.fault(name, `at most ${lengthMax} characters`);
    if (refused.test(value)) return this.fault(name, "must not have control characters");
    // What XML 1.0 cannot carry, /configex could not show (section 2.2).
    if (/[\p{Cs}\ufffe\uffff]/u.test(value)) return this.fault(name, "must not have broken characters");
    return value;
  }

  /** Any value, as compact JSON in one line. */
  json(name: string, lengthMax: number): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    // Outside of strings JSON has none of these, so an escape is always in its place.
    const text = JSON.stringify(value).replace(/[\p{Cc}\ufffe\uffff]/gu, unicodeEscape);
    return text.length > lengthMax ? this.fault(name, `at most ${lengthMax} characters of JSON`) : text;
  }

  boolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.fault(name, "true or false");
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.number(name, min, max);
    return value === undefined || Number.isInteger(value)
      ? value
      : this.fault(name, "must be a whole number");
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const inRange = typeof value === "number" && value >= min && value <= max;
    return inRange ? value : this.fault(name, `${min} to ${max}`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const found = values.find((candidate) => candidate === value);
    return found ?? this.fault(name, `one of ${values.join(", ")}`);
  }

  /** A list without duplicates of members of `values`. */
  listOf<T extends string>(name: string, values: readonly T[]): readonly T[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length > values.length) {
      return this.fault(name, `a list of ${values.join(", ")}`);
    }
    const found = values.filter((candidate) => value.includes(candidate));
    return found.length === value.length
      ? found
      : this.fault(name, `a list of ${values.join(", ")}, each once`);
  }

  /** Notes a fault of a member; answers undefined. */
  fault(name: string, text: string): undefined {
    this.#faults.add(this.pathOf(name), text);
    return undefined;
  }

  pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
