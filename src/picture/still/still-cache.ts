import { type Clock, type ClockTimer, freeMemory, US_PER_MS } from "../../base/index.js";
import type { Still } from "./still-types.js";

/** Memory of an entry besides its JPEG: key, map entry, headers. */
const ENTRY_BYTES = 1024;
/** A picture larger than this share of the cache is not kept: it would evict all the small ones. */
const ENTRY_SHARE_MAX = 0.25;
/** A still that nobody asks for goes after this long, or twice that: after a burst its memory is free within a minute. */
export const UNUSED_KEPT_MS = 20_000;

interface Entry {
  /** Its bytes are the cache's own. */
  readonly still: Still;
  usedUs: number;
}

/**
 * A cache of stills with limited memory and time; the least recently used one is evicted. It keeps copies: what nobody asked for for long
 * is nobody else's, so its memory is freed at once. V8 would free it with one of its rare full collections.
 */
export class StillCache {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #bytesMax: number;
  readonly #clock: Clock;
  #bytes = 0;
  #timer: ClockTimer | undefined;

  /** `bytesMax`: of all entries, including ENTRY_BYTES each. 0: nothing is kept. */
  constructor(bytesMax: number, clock: Clock) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
  }

  /** Memory of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The still of `key`; marks it as just used. Its bytes are to be used within UNUSED_KEPT_MS: see `take`. */
  get(key: string): Still | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.usedUs = this.#clock.monotonicUs();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.still;
  }

  /** As `get`, with bytes of its own, which may be kept. */
  take(key: string): Still | undefined {
    const still = this.get(key);
    return still === undefined ? undefined : copyOf(still);
  }

  /** Keeps a copy. */
  set(key: string, still: Still): void {
    this.#remove(key);
    const bytes = still.jpeg.byteLength + ENTRY_BYTES;
    if (bytes > this.#bytesMax * ENTRY_SHARE_MAX) return;
    this.#entries.set(key, { still: copyOf(still), usedUs: this.#clock.monotonicUs() });
    this.#bytes += bytes;
    this.#timer ??= this.#clock.setTimeout(() => this.#dropUnused(), UNUSED_KEPT_MS);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#remove(oldest);
    }
  }

  stop(): void {
    this.#timer?.clear();
  }

  #dropUnused(): void {
    const sinceUs = this.#clock.monotonicUs() - UNUSED_KEPT_MS * US_PER_MS;
    for (const [key, { still, usedUs }] of this.#entries) {
      if (usedUs > sinceUs) break;
      this.#remove(key);
      freeMemory?.(still.jpeg);
    }
    this.#timer =
      this.#entries.size === 0 ? undefined : this.#clock.setTimeout(() => this.#dropUnused(), UNUSED_KEPT_MS);
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.still.jpeg.byteLength + ENTRY_BYTES;
  }
}

function copyOf(still: Still): Still {
  // Not of Node's pool, which other memory lies in.
  const jpeg = Buffer.allocUnsafeSlow(still.jpeg.byteLength);
  jpeg.set(still.jpeg);
  return { ...still, jpeg };
}
