import type { Still } from "./still-types.js";

/** Memory of an entry besides its JPEG: key, map entry, headers. */
const ENTRY_BYTES = 1024;
/** A picture larger than this share of the cache is not kept: it would evict all the small ones. */
const ENTRY_SHARE_MAX = 0.25;

/** A cache of stills with limited memory; the least recently used one is evicted. */
export class StillCache {
  readonly #entries = new Map<string, Still>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** `bytesMax`: of all entries, including ENTRY_BYTES each. 0: nothing is kept. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Memory of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The still of `key`; marks it as just used. */
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
