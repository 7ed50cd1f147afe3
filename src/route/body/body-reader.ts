import { type ErrorCode, type Guid, NvrdError } from "../../base/index.js";

/** Maximum number of faults listed in one answer. */
const FAULTS_SHOWN_MAX = 20;
/** The error code caused by a fault in a body. */
export type FaultCode = Extract<ErrorCode, "BAD_REQUEST" | "CONFLICT" | "NOT_FOUND">;

/** The first of them that a body has is the code of its answer. */
const FAULT_CODES: readonly FaultCode[] = ["BAD_REQUEST", "CONFLICT", "NOT_FOUND"];

/** The code of an id that names nothing: what is no id at all is malformed. */
export function unknownId(id: Guid | undefined): FaultCode {
  return id === undefined ? "BAD_REQUEST" : "NOT_FOUND";
}

function sentence(path: string, text: string): string {
  const at = path.replace(/^\./, "");
  return at === "" ? text : `${at}: ${text}`;
}

/** The faults of one body, by path, and what it is warned of. A body with faults changes nothing. */
export class Faults {
  readonly #texts: string[] = [];
  readonly #warnings: string[] = [];
  #count = 0;
  readonly #codes = new Set<FaultCode>();

  /**
   * `code`: NOT_FOUND for references to something that does not exist, CONFLICT for what is well formed but does not go with
   * another object, with the present state, or with the rest of the body.
   */
  add(path: string, text: string, code: FaultCode = "BAD_REQUEST"): void {
    this.#count += 1;
    this.#codes.add(code);
    if (this.#texts.length < FAULTS_SHOWN_MAX) this.#texts.push(sentence(path, text));
  }

  /** What is accepted, and yet not what the sender may expect. */
  warn(path: string, text: string): void {
    if (this.#warnings.length < FAULTS_SHOWN_MAX) this.#warnings.push(sentence(path, text));
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Throws NvrdError with all faults if there are any: BAD_REQUEST if one of them is, else CONFLICT, else NOT_FOUND; the first
   * two without a hint, because the faults say what to correct.
   */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const more = this.#count - this.#texts.length;
    const text = this.#texts.join("; ") + (more > 0 ? `; and ${more} more` : "");
    const code = FAULT_CODES.find((each) => this.#codes.has(each)) ?? "BAD_REQUEST";
    throw new NvrdError(code, text, code === "NOT_FOUND" ? {} : { hint: "" });
  }
}

interface Member {
  readonly value: unknown;
  /** Its path, if that is not the reader's own. */
  readonly path?: string;
}

/**
 * Reads the members of one JSON object of a body; names are case-insensitive. Faults are collected with their path, and
 * undefined is returned.
 */
export class BodyReader {
  readonly path: string;
  readonly #members = new Map<string, Member>();
  /** Members given more than once, in another case or under a flattened name, with different values: by key, the other path. */
  readonly #rivals = new Map<string, string>();
  readonly #faults: Faults;

  /** `value`: a JSON value; absent or null counts as an empty object. */
  constructor(value: unknown, path: string, faults: Faults) {
    this.path = path;
    this.#faults = faults;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject && value !== undefined && value !== null) faults.add(path, "must be an object");
    for (const [name, member] of isObject ? Object.entries(value) : []) this.#take(name, { value: member });
  }

  /** The member's value; undefined if absent or null. */
  value(name: string): unknown {
    return this.#member(name)?.value ?? undefined;
  }

  /** Whether the member was sent as null. */
  isNull(name: string): boolean {
    return this.#member(name)?.value === null;
  }

  /** `flattened`: members that may also be on the parent, with a combined name (`MapSettingsLatitude`). */
  child(name: string, flattened: readonly string[] = []): BodyReader {
    const child = new BodyReader(this.value(name), this.pathOf(name), this.#faults);
    for (const inner of flattened) {
      const outer = this.#member(name + inner);
      if (outer !== undefined) child.#take(inner, { value: outer.value, path: this.pathOf(name + inner) });
    }
    return child;
  }

  #take(name: string, member: Member): void {
    const key = name.toLowerCase();
    const known = this.#members.get(key);
    if (known === undefined) this.#members.set(key, member);
    else if (JSON.stringify(known.value) !== JSON.stringify(member.value)) {
      this.#rivals.set(key, member.path ?? `${this.#prefix}${name}`);
    }
  }

  #member(name: string): Member | undefined {
    const key = name.toLowerCase();
    const rival = this.#rivals.get(key);
    if (rival !== undefined) {
      this.#rivals.delete(key);
      this.fault(name, `contradicts ${rival}`);
    }
    return this.#members.get(key);
  }

  get #prefix(): string {
    return this.path === "" ? "" : `${this.path}.`;
  }

  /** The objects of a list member; empty if absent or null. */
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
    // /configex could not show characters that XML 1.0 does not allow (section 2.2).
    if (/[\p{Cs}\ufffe\uffff]/u.test(value)) return this.fault(name, "must not have broken characters");
    return value;
  }

  /** Any value, as compact JSON in one line. */
  json(name: string, lengthMax: number): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    // Outside of strings JSON has none of these, so the escape is always valid.
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
    // Adding 0 turns -0 into 0, because JSON has no -0.
    return inRange ? value + 0 : this.fault(name, `${min} to ${max}`);
  }

  /** The member of `values` that equals the text, ignoring case. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    return spelled(value, values) ?? this.fault(name, `one of ${values.join(", ")}`);
  }

  /** A list without duplicates of members of `values`, in their order. */
  listOf<T extends string>(name: string, values: readonly T[]): readonly T[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const given: readonly unknown[] = Array.isArray(value) ? value.slice(0, values.length + 1) : [undefined];
    const found = new Set(given.map((item) => spelled(item, values)));
    return found.size === given.length && !found.has(undefined)
      ? values.filter((candidate) => found.has(candidate))
      : this.fault(name, `a list of ${values.join(", ")}, each once`);
  }

  /** Adds a fault of a member; returns undefined. */
  fault(name: string, text: string, code?: FaultCode): undefined {
    this.#faults.add(this.pathOf(name), text, code);
    return undefined;
  }

  /** Warns of a member that is accepted all the same. */
  warn(name: string, text: string): void {
    this.#faults.warn(this.pathOf(name), text);
  }

  pathOf(name: string): string {
    return this.#members.get(name.toLowerCase())?.path ?? `${this.#prefix}${name}`;
  }
}

function spelled<T extends string>(value: unknown, values: readonly T[]): T | undefined {
  if (typeof value !== "string") return undefined;
  const lower = value.toLowerCase();
  return values.find((candidate) => candidate.toLowerCase() === lower);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
