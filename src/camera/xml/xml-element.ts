import { plainText } from "./xml-text.js";
import { ATTRIBUTE, ATTRIBUTE_FIELDS, ELEMENT, ELEMENT_FIELDS, type XmlTokens } from "./xml-tokens.js";

/** Longest text of an element or attribute that is taken, in characters. */
export const TEXT_LENGTH_MAX = 256;

/** Of a document as a whole. */
const DOCUMENT = -1;

/** An element of a document that was read, or the document itself: its texts are made when they are asked for. */
export class XmlElement {
  readonly #tokens: XmlTokens;
  readonly #index: number;
  /** Of names, as the tokens have them. */

  readonly #numbers: ReadonlyMap<string, number>;

  private constructor(tokens: XmlTokens, numbers: ReadonlyMap<string, number>, index: number) {
    this.#tokens = tokens;
    this.#numbers = numbers;
    this.#index = index;
  }

  /** A document, whose only child is its outermost element. */
  static document(tokens: XmlTokens): XmlElement {
    const numbers = new Map(tokens.names.map((name, number) => [name, number]));
    return new XmlElement(tokens, numbers, DOCUMENT);
  }

  /** Names of the child elements, without prefix, each once. */
  get childNames(): string[] {
    const names = new Set<number>();
    for (const child of this.#children()) names.add(this.#field(child, ELEMENT.name));
    return [...names].map((name) => this.#tokens.names[name] ?? "");
  }

  /** The child elements in their order, with their names without prefix. */
  *elements(): Generator<readonly [name: string, element: XmlElement], void> {
    for (const child of this.#children()) {
      const name = this.#tokens.names[this.#field(child, ELEMENT.name)] ?? "";
      yield [name, new XmlElement(this.#tokens, this.#numbers, child)];
    }
  }

  child(name: string): XmlElement | undefined {
    const wanted = this.#numbers.get(name);
    if (wanted === undefined) return undefined;
    for (const child of this.#children())
      if (this.#field(child, ELEMENT.name) === wanted)
        return new XmlElement(this.#tokens, this.#numbers, child);
    return undefined;
  }

  children(name: string): XmlElement[] {
    const wanted = this.#numbers.get(name);
    const found: XmlElement[] = [];
    if (wanted === undefined) return found;
    for (const child of this.#children())
      if (this.#field(child, ELEMENT.name) === wanted)
        found.push(new XmlElement(this.#tokens, this.#numbers, child));
    return found;
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

  /** The whole text as it came, without blanks around it; only the document's size bounds it. */
  get rawText(): string {
    if (this.#index === DOCUMENT) return "";
    const { text } = this.#tokens;
    const pieces: string[] = [];
    let at = this.#field(this.#index, ELEMENT.contentStart);
    for (const child of this.#children()) {
      pieces.push(plainText(text.slice(at, this.#field(child, ELEMENT.start))));
      at = this.#field(child, ELEMENT.end);
    }
    pieces.push(plainText(text.slice(at, this.#field(this.#index, ELEMENT.contentEnd))));
    return pieces.join("").trim();
  }

  /** What is written between its tags, without blanks around it. */
  get source(): string {
    if (this.#index === DOCUMENT) return this.#tokens.text;
    const start = this.#field(this.#index, ELEMENT.contentStart);
    return this.#tokens.text.slice(start, this.#field(this.#index, ELEMENT.contentEnd)).trim();
  }

  /** The namespaces that are declared around it and by itself, by prefix, as they are written. */
  get namespaces(): ReadonlyMap<string, string> {
    const declared = new Map<string, string>();
    for (let at = 0; at <= this.#index; ) {
      const next = this.#field(at, ELEMENT.next);
      if (next <= this.#index) {
        at = next;
        continue;
      }
      for (const [prefix, value] of this.#declarations(at)) declared.set(prefix, value);
      at += 1;
    }
    return declared;
  }

  /** Empty when there is none. */
  attribute(name: string, lengthMax = TEXT_LENGTH_MAX): string {
    const { attributes } = this.#tokens;
    const wanted = this.#numbers.get(name);
    if (wanted === undefined || this.#index === DOCUMENT) return "";
    for (const at of this.#attributes(this.#index))
      if (attributes[at + ATTRIBUTE.name] === wanted)
        return clean(plainText(this.#value(at))).slice(0, lengthMax);
    return "";
  }

  /** Indexes of the child elements. */
  *#children(): Generator<number, void> {
    const all = this.#tokens.elements.length / ELEMENT_FIELDS;
    const end = this.#index === DOCUMENT ? all : this.#field(this.#index, ELEMENT.next);
    for (let at = this.#index + 1; at < end; at = this.#field(at, ELEMENT.next)) yield at;
  }

  /** Where the attributes of an element are in the table. */
  *#attributes(element: number): Generator<number, void> {
    const { elements, attributes } = this.#tokens;
    const isLast = (element + 1) * ELEMENT_FIELDS >= elements.length;
    const end = isLast ? attributes.length : this.#field(element + 1, ELEMENT.attributes) * ATTRIBUTE_FIELDS;
    const first = this.#field(element, ELEMENT.attributes) * ATTRIBUTE_FIELDS;
    for (let at = first; at < end; at += ATTRIBUTE_FIELDS) yield at;
  }

  *#declarations(element: number): Generator<readonly [string, string], void> {
    const { text, names, attributes } = this.#tokens;
    for (const at of this.#attributes(element))
      if (text.startsWith("xmlns:", attributes[at + ATTRIBUTE.start]))
        yield [names[attributes[at + ATTRIBUTE.name] ?? 0] ?? "", this.#value(at)];
  }

  #value(at: number): string {
    const { text, attributes } = this.#tokens;
    return text.slice(attributes[at + ATTRIBUTE.valueStart], attributes[at + ATTRIBUTE.valueEnd]);
  }

  #field(element: number, field: number): number {
    return this.#tokens.elements[element * ELEMENT_FIELDS + field] ?? 0;
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
