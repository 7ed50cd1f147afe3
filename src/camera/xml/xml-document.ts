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

/** By byte order mark, else by the declaration or `charset`, else by what the bytes look like. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(256, bytes.byteLength));
  const declared = /^[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start.toString("latin1"))?.[1];
  return decodeText(bytes, declared, charset);
}
