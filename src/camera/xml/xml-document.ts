import { decodeText } from "./text-encoding.js";
import { readTokens, XML_BOUNDS, XmlError, type XmlTokens } from "./xml-tokens.js";

/**
 * The tokens of a document of a device, hostile or broken as it may be. Blanks, zeros and byte order marks around it are left
 * out. Throws XmlError.
 */
export function readDocument(bytes: Uint8Array, charset?: string, bounds = XML_BOUNDS): XmlTokens {
  const text = trimmed(decode(bytes, charset));
  if (!text.startsWith("<")) throw new XmlError("it is not XML");
  return readTokens(text, bounds);
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

/** The bytes of `<` in UTF-16: documents without a byte order mark begin with it. */
const LITTLE_ENDIAN = [0x3c, 0x00];
const BIG_ENDIAN = [0x00, 0x3c];

function beginsWith(bytes: Uint8Array, [first, second]: readonly number[]): boolean {
  return bytes[0] === first && bytes[1] === second;
}

/** By byte order mark, else by the declaration or `charset`, else by what the bytes look like. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  if (beginsWith(bytes, [0xff, 0xfe]) || beginsWith(bytes, LITTLE_ENDIAN))
    return new TextDecoder("utf-16le").decode(bytes);
  if (beginsWith(bytes, [0xfe, 0xff]) || beginsWith(bytes, BIG_ENDIAN))
    return new TextDecoder("utf-16be").decode(bytes);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(256, bytes.byteLength));
  const declared = /^[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start.toString("latin1"))?.[1];
  return decodeText(bytes, declared, charset);
}
