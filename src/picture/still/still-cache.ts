import type { Still } from "./still-types.js";

/** What an entry costs beside its JPEG: its key, its place in the map, its headers. */
const ENTRY_BYTES = 1024;
/** A picture larger than this share of the cache is not kept: it would drive out all the small ones. */
const ENTRY_SHARE_MAX = 0.25;

/** Stills within a bound of memory; the one unused for longest gives way. */
export class StillCache {
  readonly #entries = new Map<string, Still>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** `bytesMax`: of all entries together, what they cost beside their JPEGs included. 0: nothing is kept. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that all entries cost now. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The still of `key`, which now counts as just used. */
  get(key: string): Still | undefined {
    const still = this.#entries.get(key);
    if (still === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, still);
    return still;
  }

  set(key: string, still: Still): void {
    this.#remove(key);
    const bytes = still.jpeg.byteLength + ENTRY_BYTES;
    if (bytes > this.#bytesMax * ENTRY_SHARE_MAX) return;
    this.#entries.set(key, still);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const still = this.#entries.get(key);
    if (still === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= still.jpeg.byteLength + ENTRY_BYTES;
  }
}
