import { XMLParser, XMLValidator } from "fast-xml-parser";
import { XmlElement } from "./xml-element.js";

/** Maximum nesting; ONVIF messages stay below 20. */
const DEPTH_MAX = 64;
/** Maximum number of tags in a document: an encoder of 64 channels needs less than 20 000. */
const TAGS_MAX = 50_000;
/** Maximum length of a tag with its attributes, in characters: the parser's time grows with the square of their number. */
const TAG_LENGTH_MAX = 8192;
/** Maximum number of attributes and of bare ampersands in a document: each costs the parser several microseconds. */
const ATTRIBUTES_MAX = 20_000;
const BARE_AMPERSANDS_MAX = 5000;

const PARSER = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: true,
  // Needed for numeric character references. Other names never get here, see escapeBareAmpersands.
  htmlEntities: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEPTH_MAX,
});

/** A fault of a document; the message contains no text of the document. */
export class XmlError extends Error {}

/**
 * Parses an untrusted document of a device. Strips surrounding blanks and byte order marks, and accepts bare ampersands. Throws
 * XmlError for a document type (which allows entity bombs), excessive depth or size, and malformed XML: a truncated document
 * must not be taken for a complete one.
 */
export function parseXml(bytes: Buffer, charset?: string): XmlElement {
  const text = escapeBareAmpersands(trimmed(decode(bytes, charset)));
  if (!text.startsWith("<")) throw new XmlError("it is not XML");
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

/** Strips byte order marks, blanks and zeros, because devices often send buffers that are longer than their content. */
function trimmed(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && isFiller(text.charCodeAt(from))) from += 1;
  while (to > from && isFiller(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isFiller(code: number): boolean {
  return code <= 0x20 || code === 0xfeff;
}

/** One pass in linear time, before slower parsers read the text. */
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
    if (next === EXCLAMATION) throw new XmlError("it has a document type, which is not allowed");
    const end = text.indexOf(">", at);
    if (end < 0) throw new XmlError("its XML is cut short");
    if (end - at > TAG_LENGTH_MAX) throw new XmlError("it has a tag that is too long");
    tags += 1;
    attributes += attributesOf(text, at, end);
    if (next === SLASH) depth -= 1;
    else if (text.charCodeAt(end - 1) !== SLASH && next !== QUESTION) depth += 1;
    if (depth > DEPTH_MAX) throw new XmlError("its elements are nested too deeply");
    if (tags > TAGS_MAX || attributes > ATTRIBUTES_MAX)
      throw new XmlError("it has too many elements or attributes");
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

/** The end of the comment or CDATA section that starts at `at`; -1 if it is not closed; undefined if none starts there. */
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

/** Cameras write unescaped query strings into URIs. Names that XML does not define are escaped too. */
function escapeBareAmpersands(text: string): string {
  if (text.includes("<![CDATA[")) return text;
  let count = 0;
  return text.replace(/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/gi, () => {
    count += 1;
    if (count > BARE_AMPERSANDS_MAX) throw new XmlError("it has too many ampersands");
    return "&amp;";
  });
}

/** Encoding by byte order mark, otherwise by the declaration or `charset`, otherwise UTF-8. */
function decode(bytes: Buffer, charset: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const declared = /^[^>]{0,200}encoding=["']([\w.:-]{1,40})["']/.exec(bytes.toString("latin1", 0, 256))?.[1];
  const label = declared ?? charset ?? "utf-8";
  try {
    // A declaration that is readable as bytes cannot be in UTF-16, whatever it says.
    return new TextDecoder(/^utf-?16/i.test(label) ? "utf-8" : label).decode(bytes);
  } catch {
    // RangeError: unknown encoding label.
    return new TextDecoder("utf-8").decode(bytes);
  }
}
