/** Longest text of an element or attribute that is taken, in characters. */
export const TEXT_LENGTH_MAX = 256;

/** An element of a parsed document, as plain values of fast-xml-parser: nothing in it is trusted. */
export class XmlElement {
  readonly #node: unknown;

  constructor(node: unknown) {
    this.#node = node;
  }

  /** Names of the child elements, without prefix. */
  get childNames(): string[] {
    const members = this.#members();
    return members === undefined
      ? []
      : Object.keys(members).filter((name) => !name.startsWith("@") && name !== "#text");
  }

  child(name: string): XmlElement | undefined {
    return this.children(name)[0];
  }

  children(name: string): XmlElement[] {
    const members = this.#members();
    if (members === undefined || !Object.hasOwn(members, name)) return [];
    const value = members[name];
    return (Array.isArray(value) ? value : [value]).map((node: unknown) => new XmlElement(node));
  }

  /** The element at the end of a path of child names. */
  at(...path: readonly string[]): XmlElement | undefined {
    return path.reduce<XmlElement | undefined>((element, name) => element?.child(name), this);
  }

  /** Text of the element at the end of `path`; empty when there is none, cut at `TEXT_LENGTH_MAX`. */
  text(...path: readonly string[]): string {
    return clean(this.at(...path)?.rawText ?? "").slice(0, TEXT_LENGTH_MAX);
  }

  /** A whole or decimal number at the end of `path`; undefined when it is none. */
  number(...path: readonly string[]): number | undefined {
    return numberOf(this.text(...path));
  }

  /** The whole text as it came; only the document's size bounds it. */
  get rawText(): string {
    if (typeof this.#node === "string") return this.#node;
    const text = this.#members()?.["#text"];
    return typeof text === "string" ? text : "";
  }

  /** Empty when there is none. */
  attribute(name: string): string {
    const members = this.#members();
    const key = `@${name}`;
    if (members === undefined || !Object.hasOwn(members, key)) return "";
    const value = members[key];
    return typeof value === "string" ? clean(value).slice(0, TEXT_LENGTH_MAX) : "";
  }

  #members(): Readonly<Record<string, unknown>> | undefined {
    return typeof this.#node === "object" && this.#node !== null && !Array.isArray(this.#node)
      ? (this.#node as Readonly<Record<string, unknown>>)
      : undefined;
  }
}

/** Undefined unless `text` is a plain decimal number. */
export function numberOf(text: string): number | undefined {
  return /^-?\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : undefined;
}

/** `true` and `1` of xs:boolean; everything else is false. */
export function isTrue(text: string): boolean {
  return text === "1" || text.toLowerCase() === "true";
}

/** Without control characters, which would break lines of a log or table, and blanks around. */
export function clean(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim();
}
