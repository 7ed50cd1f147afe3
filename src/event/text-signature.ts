import { LANGUAGES, type Language } from "../base/index.js";
import { EVENT_SEARCH_LENGTH_MIN } from "../contract/index.js";
import type { CommentWords } from "./comment-words.js";
import { eventNameIn, isEventName } from "./event-names.js";
import type { EventRecord } from "./types.js";

/** Letters in a row that texts are compared by. */
const GRAM_LENGTH = EVENT_SEARCH_LENGTH_MIN;
const BITS_A_GRAM = 10;
const HASHES = 4;
const BYTES_MIN = 32;
export const SIGNATURE_BYTES_MAX = 8192;
/** Pictures among an event's members are no text. */
const TEXT_LENGTH_MAX = 1024;
/** The signature of nothing; one for all, as most hours may be empty. */
export const NO_TEXT = new Uint8Array(0);

/** More grams take a signature of the greatest size. */
const GRAMS_MAX = (SIGNATURE_BYTES_MAX * 8) / BITS_A_GRAM / 2;

/** The grams of all texts of some events, hashed. However many there are, they take no more than a signature. */
export class GramSet {
  readonly #grams = new Set<number>();
  /** Of the greatest size, once there are so many. */
  #bits: Uint8Array | undefined;

  add(text: string): void {
    const grams = gramsOf(text);
    if (this.#bits === undefined) for (const gram of grams) this.#grams.add(gram);
    else addGrams(this.#bits, grams);
    if (this.#grams.size <= GRAMS_MAX) return;
    this.#bits = new Uint8Array(SIGNATURE_BYTES_MAX);
    addGrams(this.#bits, this.#grams);
    this.#grams.clear();
  }

  get isEmpty(): boolean {
    return this.#bits === undefined && this.#grams.size === 0;
  }

  /** Which grams there may be, as bits (a Bloom filter); empty: there are none at all. */
  signature(): Uint8Array {
    if (this.#bits !== undefined) return this.#bits;
    if (this.#grams.size === 0) return NO_TEXT;
    const wanted = (this.#grams.size * BITS_A_GRAM) / 8;
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(BYTES_MIN, wanted)));
    const signature = new Uint8Array(Math.min(SIGNATURE_BYTES_MAX, bytes));
    addGrams(signature, this.#grams);
    return signature;
  }
}

export function addGrams(signature: Uint8Array, grams: Iterable<number>): void {
  const mask = signature.length * 8 - 1;
  for (const gram of grams)
    for (let at = 0; at < HASHES; at++) {
      const bit = bitOf(gram, at) & mask;
      signature[bit >>> 3] = (signature[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
}

/** False: one of them is certainly not among those of the signature. */
export function mayHave(signature: Uint8Array, grams: readonly number[]): boolean {
  if (signature.length === 0) return false;
  const mask = signature.length * 8 - 1;
  for (const gram of grams)
    for (let at = 0; at < HASHES; at++) {
      const bit = bitOf(gram, at) & mask;
      if (((signature[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
  return true;
}

/** The hashes of all three letters in a row, in any case. */
export function gramsOf(text: string): number[] {
  const letters = text.toLowerCase();
  const grams: number[] = [];
  for (let at = 0; at + GRAM_LENGTH <= letters.length; at++)
    grams.push(
      mixed(
        letters.charCodeAt(at) +
          letters.charCodeAt(at + 1) * 0x1_0001 +
          letters.charCodeAt(at + 2) * 0x105_0193,
      ),
    );
  return grams;
}

function bitOf(gram: number, at: number): number {
  return mixed(gram + Math.imul(at, 0x9e37_79b9));
}

/** Spreads a number over 32 bits (the end of MurmurHash3). */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** What is shown of an event as text in a language. */
export function shownTexts(event: EventRecord, language: Language, words: CommentWords): readonly string[] {
  const { typeId, description, channelName } = event;
  const isName = isEventName(typeId, description);
  const members = Object.values(event.fields ?? {}).filter(isText);
  return [
    isName ? eventNameIn(typeId, language) : description,
    channelName,
    words.of(event, language),
    members.join(" "),
  ];
}

/** The same in every language. */
export function allTexts(event: EventRecord, words: CommentWords): readonly string[] {
  return LANGUAGES.flatMap((language) => shownTexts(event, language, words));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_LENGTH_MAX;
}
