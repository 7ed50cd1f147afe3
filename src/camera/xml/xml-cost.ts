import { tokensIn, XML_BOUNDS, type XmlTokens } from "./xml-tokens.js";

/** Bytes that cost as much to read as an element: a third of a microsecond on a small machine. */
const BYTES_PER_UNIT = 64;

/** What it costs to look at so many bytes, in units. */
export function bytesCost(bytes: number): number {
  return bytes / BYTES_PER_UNIT;
}

/** What it cost to read a document, in units: each element and each attribute is one. */
export function documentCost(bytes: number, tokens: XmlTokens): number {
  return bytesCost(bytes) + tokensIn(tokens);
}

/** The same before it is read, and of one that was refused, of which nobody counted how far: the most there may be. */
export function worstCost(bytes: number): number {
  return (
    bytesCost(bytes) + Math.min(bytes / SMALLEST_TOKEN_BYTES, XML_BOUNDS.elements + XML_BOUNDS.attributes)
  );
}

/** Of an element: `<a/>`. */
export const SMALLEST_TOKEN_BYTES = 4;
