/** What is wrong with a document; the message has no text of it. */
export class XmlError extends Error {}

/** Deepest nesting that is taken; ONVIF's own messages stay below 20. */
const DEPTH_MAX = 64;
/** Most elements of a document: an encoder of 64 channels stays below 10 000. */
const ELEMENTS_MAX = 25_000;
/** Most attributes of a document, and of one tag: some envelopes declare 80 namespaces. */
const ATTRIBUTES_MAX = 20_000;
const TAG_ATTRIBUTES_MAX = 256;
/** Longest tag with its attributes, and longest name, in characters. */
const TAG_LENGTH_MAX = 8192;
const NAME_LENGTH_MAX = 256;
/** Most different names of elements and attributes: ONVIF's answers have some hundred. */
const NAMES_MAX = 2048;
/** Most comments, CDATA sections and processing instructions. */
const ASIDES_MAX = 5000;

/** Fields of an element in `XmlTokens.elements`: positions in the text, except for name, first attribute and next. */
export const ELEMENT = {
  name: 0,
  /** Index of its first attribute; they end where those of the next element begin. */
  attributes: 1,
  start: 2,
  contentStart: 3,
  contentEnd: 4,
  end: 5,
  /** Index of the first element behind it that does not lie within it. */
  next: 6,
} as const;
export const ELEMENT_FIELDS = 7;
/** Fields of an attribute in `XmlTokens.attributes`: name, then positions in the text. */
export const ATTRIBUTE = { name: 0, start: 1, valueStart: 2, valueEnd: 3 } as const;
export const ATTRIBUTE_FIELDS = 4;

/** Where what is in a document: its elements in the order of their starts. Plain data, which can go to another thread. */
export interface XmlTokens {
  readonly text: string;
  /** Local names of elements and attributes, each once. */
  readonly names: readonly string[];
  readonly elements: Int32Array;
  readonly attributes: Int32Array;
}

/** What may be in a document at the most. */
export interface XmlBounds {
  readonly elements: number;
  readonly attributes: number;
}

export const XML_BOUNDS: XmlBounds = { elements: ELEMENTS_MAX, attributes: ATTRIBUTES_MAX };

/**
 * Finds the elements and attributes of a document in one pass, each character looked at a bounded number of times.
 * Throws XmlError on what is not well-formed, on a document type, and beyond the bounds, as soon as it gets there.
 */
export function readTokens(text: string, bounds: XmlBounds): XmlTokens {
  return new TokenReader(text, bounds).read();
}

/** How many elements and attributes were read. */
export function tokensIn({ elements, attributes }: XmlTokens): number {
  return elements.length / ELEMENT_FIELDS + attributes.length / ATTRIBUTE_FIELDS;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const EXCLAMATION = 0x21;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const DASH = 0x2d;
const SLASH = 0x2f;
const NINE = 0x39;
const COLON = 0x3a;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

class TokenReader {
  readonly #text: string;
  readonly #bounds: XmlBounds;
  readonly #names = new Map<string, number>();
  readonly #elements = new Table(ELEMENT_FIELDS);
  readonly #attributes = new Table(ATTRIBUTE_FIELDS);
  /** The elements that are open, outermost first, and where the whole name of each begins and ends. */
  readonly #open: { readonly element: number; readonly from: number; readonly to: number }[] = [];
  #at = 0;
  #asides = 0;

  constructor(text: string, bounds: XmlBounds) {
    this.#text = text;
    this.#bounds = bounds;
  }

  read(): XmlTokens {
    const text = this.#text;
    for (this.#at = this.#nextMark(); this.#at < text.length; this.#at = this.#nextMark()) {
      const next = text.charCodeAt(this.#at + 1);
      if (next === SLASH) this.#endTag();
      else if (next === QUESTION) this.#aside("<?", "?>");
      else if (next === EXCLAMATION) this.#declaration();
      else this.#startTag();
    }
    if (this.#open.length > 0) throw cutShort();
    if (this.#elements.count === 0) throw malformed();
    return {
      text,
      names: [...this.#names.keys()],
      elements: this.#elements.rows(),
      attributes: this.#attributes.rows(),
    };
  }

  /** The next `<`, or the end. Outside of the outermost element, only blanks may be skipped. */
  #nextMark(): number {
    const text = this.#text;
    if (this.#open.length === 0) {
      const at = skipBlanks(text, this.#at);
      if (at < text.length && text.charCodeAt(at) !== LESS) throw malformed();
      return at;
    }
    const at = text.indexOf("<", this.#at);
    if (at < 0) throw cutShort();
    return at;
  }

  #declaration(): void {
    if (this.#text.startsWith("<!--", this.#at)) this.#aside("<!--", "-->");
    else if (this.#open.length > 0 && this.#text.startsWith("<![CDATA[", this.#at))
      this.#aside("<![CDATA[", "]]>");
    else throw new XmlError("it holds a document type, which is not taken");
  }

  /** A comment, CDATA section or processing instruction: what is in it means nothing, quotes included. */
  #aside(opening: string, closing: string): void {
    const end = this.#text.indexOf(closing, this.#at + opening.length);
    if (end < 0) throw cutShort();
    this.#asides += 1;
    if (this.#asides > ASIDES_MAX) throw new XmlError("it holds too many comments");
    this.#at = end + closing.length;
  }

  #endTag(): void {
    const text = this.#text;
    const open = this.#open.pop();
    const from = this.#at + 2;
    if (open === undefined || !isSame(text, { at: from, ...open })) throw malformed();
    const close = skipBlanks(text, from + open.to - open.from);
    if (text.charCodeAt(close) !== GREATER) throw malformed();
    this.#elements.set(open.element, ELEMENT.contentEnd, this.#at);
    this.#at = close + 1;
    this.#finish(open.element);
  }

  #finish(element: number): void {
    this.#elements.set(element, ELEMENT.end, this.#at);
    this.#elements.set(element, ELEMENT.next, this.#elements.count);
  }

  #startTag(): void {
    const text = this.#text;
    const start = this.#at;
    const from = start + 1;
    // One outermost element.
    if (this.#open.length === 0 && this.#elements.count > 0) throw malformed();
    if (this.#elements.count >= this.#bounds.elements) throw tooMuch();
    const to = this.#nameEnd(from);
    const element = this.#elements.add();
    this.#elements.set(element, ELEMENT.name, this.#name(from, to));
    this.#elements.set(element, ELEMENT.attributes, this.#attributes.count);
    this.#elements.set(element, ELEMENT.start, start);
    const close = this.#readAttributes(to, start + TAG_LENGTH_MAX);
    const isEmpty = text.charCodeAt(close) === SLASH;
    if (isEmpty && text.charCodeAt(close + 1) !== GREATER) throw malformed();
    this.#at = close + (isEmpty ? 2 : 1);
    if (this.#at - start > TAG_LENGTH_MAX) throw overlong();
    this.#elements.set(element, ELEMENT.contentStart, this.#at);
    if (isEmpty) {
      this.#elements.set(element, ELEMENT.contentEnd, this.#at);
      this.#finish(element);
      return;
    }
    if (this.#open.length >= DEPTH_MAX) throw new XmlError("its elements are nested too deep");
    this.#open.push({ element, from, to });
  }

  /** Takes the attributes behind a tag's name; returns where its `>` or `/` is. */
  #readAttributes(from: number, max: number): number {
    const text = this.#text;
    for (let at = from, count = 0; ; count += 1) {
      const name = skipBlanks(text, at);
      const code = text.charCodeAt(name);
      if (name >= text.length) throw cutShort();
      if (code === GREATER || code === SLASH) return name;
      if (name === at) throw malformed();
      if (name > max) throw overlong();
      if (count >= TAG_ATTRIBUTES_MAX || this.#attributes.count >= this.#bounds.attributes) throw tooMuch();
      at = this.#attribute(name, max);
    }
  }

  /** Takes the attribute whose name is at `from`; returns where it ends. */
  #attribute(from: number, max: number): number {
    const text = this.#text;
    const to = this.#nameEnd(from);
    const equals = skipBlanks(text, to);
    if (equals >= text.length) throw cutShort();
    if (text.charCodeAt(equals) !== EQUALS) throw malformed();
    const opening = skipBlanks(text, equals + 1);
    const quote = text.charCodeAt(opening);
    if (opening >= text.length) throw cutShort();
    if (quote !== QUOTE && quote !== APOSTROPHE) throw malformed();
    const closing = text.indexOf(quote === QUOTE ? '"' : "'", opening + 1);
    if (closing < 0) throw cutShort();
    if (closing > max) throw overlong();
    const attribute = this.#attributes.add();
    this.#attributes.set(attribute, ATTRIBUTE.name, this.#name(from, to));
    this.#attributes.set(attribute, ATTRIBUTE.start, from);
    this.#attributes.set(attribute, ATTRIBUTE.valueStart, opening + 1);
    this.#attributes.set(attribute, ATTRIBUTE.valueEnd, closing);
    return closing + 1;
  }

  #nameEnd(from: number): number {
    const text = this.#text;
    const first = text.charCodeAt(from);
    if (first >= DASH && first <= NINE) throw malformed();
    let at = from;
    while (at < text.length && !endsName(text.charCodeAt(at))) {
      at += 1;
      if (at - from > NAME_LENGTH_MAX) throw new XmlError("it holds an overlong name");
    }
    if (at >= text.length) throw cutShort();
    if (at === from) throw malformed();
    return at;
  }

  /** The number of a name without its prefix. */
  #name(from: number, to: number): number {
    const text = this.#text;
    let local = to;
    while (local > from && text.charCodeAt(local - 1) !== COLON) local -= 1;
    const name = text.slice(local, to);
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const number = this.#names.size;
    if (number >= NAMES_MAX) throw tooMuch();
    this.#names.set(name, number);
    return number;
  }
}

/** Rows of whole numbers that grow. */
class Table {
  readonly #fields: number;
  #values: Int32Array;
  #count = 0;

  constructor(fields: number) {
    this.#fields = fields;
    this.#values = new Int32Array(fields * 64);
  }

  get count(): number {
    return this.#count;
  }

  add(): number {
    const index = this.#count;
    this.#count += 1;
    if (this.#count * this.#fields > this.#values.length) {
      const larger = new Int32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    return index;
  }

  set(index: number, field: number, value: number): void {
    this.#values[index * this.#fields + field] = value;
  }

  rows(): Int32Array {
    return this.#values.slice(0, this.#count * this.#fields);
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

/** Blanks end a name, and so does each character that XML's own signs consist of. */
function endsName(code: number): boolean {
  if (code > QUESTION) return false;
  return (
    code <= QUOTE ||
    code === SLASH ||
    code === GREATER ||
    code === EQUALS ||
    code === LESS ||
    code === APOSTROPHE ||
    code === AMPERSAND ||
    code === QUESTION
  );
}

/** Whether `text` has at `at` what it has from `from` to `to`. */
function isSame(text: string, range: { at: number; from: number; to: number }): boolean {
  const { at, from, to } = range;
  for (let index = 0; index < to - from; index += 1)
    if (text.charCodeAt(at + index) !== text.charCodeAt(from + index)) return false;
  return true;
}

function malformed(): XmlError {
  return new XmlError("its XML is incomplete or malformed");
}

function cutShort(): XmlError {
  return new XmlError("its XML is cut short");
}

function overlong(): XmlError {
  return new XmlError("it holds an overlong tag");
}

function tooMuch(): XmlError {
  return new XmlError("it holds too many elements or attributes");
}
