import { XMLParser, XMLValidator } from "fast-xml-parser";
import { XmlElement } from "./xml-element.js";

/** Deepest nesting that is taken; ONVIF's own messages stay below 20. */
const DEPTH_MAX = 64;
/** Most tags of a document: an encoder of 64 channels stays below 20 000. */
const TAGS_MAX = 50_000;
/** Longest tag with its attributes, in characters: the parser's time grows with the square of their number. */
const TAG_LENGTH_MAX = 8192;
/** Most attributes of a document, and bare ampersands: each costs the parser several microseconds. */
const ATTRIBUTES_MAX = 20_000;
const BARE_AMPERSANDS_MAX = 5000;

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  // Numbered character references are among these; other names never get here, see escapeBareAmpersands.
  htmlEntities: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEPTH_MAX,
});

/** What is wrong with a document; the message has no text of it. */
export class XmlError extends Error {}

/**
 * Parses a document of a device, hostile or broken as it may be. Blanks and byte order marks around it are left out, bare
 * ampersands taken for what they mean. Throws XmlError on a document type (the way to entity bombs), on what is too deep
 * or too much, and on what is not well-formed: a document cut short must not pass for a whole one.
 */
export function parseXml(bytes: Buffer, charset?: string): XmlElement {
  const text = escapeBareAmpersands(trimmed(decode(bytes, charset)));
  if (!text.startsWith("<")) throw new XmlError("it is no XML");
  checkShape(text);
  if (XMLValidator.validate(text) !== true) throw new XmlError("its XML is incomplete or malformed");
  let document: unknown;
  try {
    document = PARSER.parse(text);
  } catch (error) {
    throw new XmlError("its XML cannot be read", { cause: error });
  }
  return new XmlElement(document);
}

/** Without byte order marks, blanks and zeros around: buffers of devices are often longer than what is in them. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isFiller(text.charCodeAt(from))) from += 1;
  while (to > from && isFiller(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isFiller(code: number): boolean {
  return code <= 0x20 || code === 0xfeff;
}

/** One pass in linear time, before anything slower looks at the text. */
function checkShape(text: string): void {
  let depth = 0;
  let tags = 0;
  let attributes = 0;
  for (let at = text.indexOf("<"); at >= 0; ) {
    const next = text.charCodeAt(at + 1);
    const opaque = opaqueEnd(text, at);
    if (opaque !== undefined) {
      at = opaque < 0 ? -1 : text.indexOf("<", opaque);
      continue;
    }
    if (next === EXCLAMATION) throw new XmlError("it holds a document type, which is not taken");
    const end = text.indexOf(">", at);
    if (end < 0) throw new XmlError("its XML is cut short");
    if (end - at > TAG_LENGTH_MAX) throw new XmlError("it holds an overlong tag");
    tags += 1;
    attributes += attributesOf(text, at, end);
    if (next === SLASH) depth -= 1;
    else if (text.charCodeAt(end - 1) !== SLASH && next !== QUESTION) depth += 1;
    if (depth > DEPTH_MAX) throw new XmlError("its elements are nested too deep");
    if (tags > TAGS_MAX || attributes > ATTRIBUTES_MAX)
      throw new XmlError("it holds too many elements or attributes");
    at = text.indexOf("<", end);
  }
}

function attributesOf(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === EQUALS) count += 1;
  return count;
}

const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const QUESTION = 0x3f;

/** Where a comment or CDATA section that opens at `at` ends; -1 when it does not; undefined when none opens. */
function opaqueEnd(text: string, at: number): number | undefined {
  for (const [open, close] of [
    ["<!--", "-->"],
    ["<![CDATA[", "]]>"],
  ] as const) {
    if (text.startsWith(open, at)) {
      const end = text.indexOf(close, at + open.length);
      return end < 0 ? -1 : end + close.length;
    }
  }
  return undefined;
}

/** Cameras write query strings into URIs as they are. Names that XML does not define are no references either. */
function escapeBareAmpersands(text: string): string {
  if (text.includes("<![CDATA[")) return text;
  let count = 0;
  return text.replace(/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/gi, () => {
    count += 1;
    if (count > BARE_AMPERSANDS_MAX) throw new XmlError("it holds too many ampersands");
    return "&amp;";
  });
}

/** By byte order mark, else by the declaration or `charset`; what that does not name is read as UTF-8. */
function decode(bytes: Buffer, charset: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const declared = /^[^>]{0,200}encoding=["']([\w.:-]{1,40})["']/.exec(bytes.toString("latin1", 0, 256))?.[1];
  const label = declared ?? charset ?? "utf-8";
  try {
    // A document that is read as bytes cannot be in UTF-16, whatever it declares.
    return new TextDecoder(/^utf-?16/i.test(label) ? "utf-8" : label).decode(bytes);
  } catch {
    // A label that is no encoding's: RangeError.
    return new TextDecoder("utf-8").decode(bytes);
  }
}
