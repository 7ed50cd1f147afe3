/** RFC 3550, 5.1. */
const RTP_HEADER_BYTES = 12;
/** Bytes before the words of a header extension. */
const EXTENSION_HEAD_BYTES = 4;
/** A list of contributing sources that changes this often in a row is none. */
const LISTS_CHANGED_MAX = 2;
/** Padding up to a word may hold anything. */
const WORD_BYTES = 4;

/**
 * What the bits of a track's headers say of an extension and of padding (RFC 3550, 5.1 and 5.3.1). Some cameras set them and send
 * neither: bytes of the payload stand where the length should. A length that cannot be shows that; from then on the bit says nothing.
 */
export class HeaderBits {
  readonly #zerosBegin: boolean;
  #extensions = 0;
  #extensionsInVain = 0;
  #isPaddedInVain = false;
  #areSourcesInVain = false;
  #areSourcesKnown = false;
  /** Of the list before, and how often in a row it was another one. */
  #sources = Number.NaN;
  #sourcesChanged = 0;

  /** `zerosBegin`: payloads may begin with four zeros, as pictures of JPEG do (RFC 2435, 3.1). Elsewhere that is an extension without words. */
  constructor(zerosBegin: boolean) {
    this.#zerosBegin = zerosBegin;
  }

  /**
   * Whether earlier packets have shown, or this one does, if the sources that headers count are listed: two equal lists in a row are
   * some. Of packets with a list in doubt nothing may be read yet: there are two at most.
   */
  knowsSources(buffer: Buffer, start: number, end: number): boolean {
    const count = (buffer[start] ?? 0) & 0x0f;
    if (count === 0 || this.#areSourcesKnown) return true;
    this.#seeSources(buffer, start + RTP_HEADER_BYTES, count, end);
    this.#areSourcesKnown = this.#sourcesChanged === 0 || this.#areSourcesInVain;
    return this.#areSourcesKnown;
  }

  /**
   * The end of the list of `count` contributing sources at `at` of a packet that ends at `end`, beyond it where the packet is cut; `at`
   * where packets have no list.
   */
  sourcesEnd(buffer: Buffer, at: number, count: number, end: number): number {
    if (count === 0 || this.#areSourcesInVain) return at;
    this.#seeSources(buffer, at, count, end);
    return this.#areSourcesInVain ? at : at + 4 * count;
  }

  #seeSources(buffer: Buffer, at: number, count: number, end: number): void {
    const sourcesEnd = at + 4 * count;
    const sources =
      sourcesEnd > end
        ? Number.NaN
        : buffer.readUInt32BE(at) * 2 ** 20 + (buffer.readUInt32BE(sourcesEnd - 4) >>> 12);
    this.#sourcesChanged = sources === this.#sources ? 0 : this.#sourcesChanged + 1;
    this.#sources = sources;
    // The first list is another one, too.
    this.#areSourcesInVain = this.#sourcesChanged > LISTS_CHANGED_MAX;
  }

  /** The end of the header extension at `at` of a packet that ends at `end`; `at` where there is none. */
  extensionEnd(buffer: Buffer, at: number, end: number): number {
    const extensionEnd = endOfExtension(buffer, at, end);
    const isPayload = extensionEnd === at || (this.#zerosBegin && buffer.readUInt32BE(at) === 0);
    if (isPayload) this.#extensionsInVain += 1;
    else if (this.#extensionsInVain <= this.#extensions) {
      this.#extensions += 1;
      return extensionEnd;
    }
    return at;
  }

  /** Where the padding of the payload `buffer[start .. end)` begins; `end` where there is none. */
  paddingStart(buffer: Buffer, start: number, end: number): number {
    const count = end > start ? (buffer[end - 1] ?? 0) : 0;
    const from = end - count;
    const mayBe = count > 0 && from >= start && (count <= WORD_BYTES || isUniform(buffer, from, end - 1));
    if (!mayBe && end > start) this.#isPaddedInVain = true;
    return mayBe && !this.#isPaddedInVain ? from : end;
  }
}

/** Where a header extension at `at` ends by its own words; `at` if the packet, which ends at `end`, has no room for that. */
export function endOfExtension(buffer: Buffer, at: number, end: number): number {
  const words = at + EXTENSION_HEAD_BYTES;
  const extensionEnd = words <= end ? words + 4 * buffer.readUInt16BE(at + 2) : end + 1;
  return extensionEnd <= end ? extensionEnd : at;
}

/** Padding is of one byte, mostly 0. */
function isUniform(buffer: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (buffer[at] !== buffer[start]) return false;
  return true;
}
