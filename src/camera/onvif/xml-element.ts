/** Maximum length of the text of an element or attribute, in characters. */
export const TEXT_LENGTH_MAX = 256;

/** An element of a parsed document, wrapping the values of fast-xml-parser. The content is untrusted. */
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

  /** Text of the element at the end of `path`; empty if there is none, truncated to `TEXT_LENGTH_MAX`. */
  text(...path: readonly string[]): string {
    return clean(this.at(...path)?.rawText ?? "").slice(0, TEXT_LENGTH_MAX);
  }

  /** The integer or decimal number at the end of `path`; undefined if it is not a number. */
  number(...path: readonly string[]): number | undefined {
    return numberOf(this.text(...path));
  }

  /** The complete, unmodified text; only the document's size limits it. */
  get rawText(): string {
    if (typeof this.#node === "string") return this.#node;
    const text = this.#members()?.["#text"];
    return typeof text === "string" ? text : "";
  }

  /** Empty if absent. */
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

/** Strips surrounding blanks and all control characters, which would break lines of a log or table. */
export function clean(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").trim();
}
