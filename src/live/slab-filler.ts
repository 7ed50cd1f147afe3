import { SlabRange } from "./frame.js";
import type { Slab, SlabPool } from "./slab.js";

/** Copies bytes into slabs of a pool, one after the other, so that no slab is left half empty. */
export class SlabFiller {
  readonly #pool: SlabPool;
  #slab: Slab | undefined;
  #usedBytes = 0;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /** Calls `use` with where the bytes are now: their slabs are leased during the call. False when the pool has no slab. */
  add(bytes: Uint8Array, use: (ranges: SlabRange[]) => void): boolean {
    const left: Slab[] = [];
    const ranges: SlabRange[] = [];
    try {
      for (let at = 0; at < bytes.length; ) {
        const slab = this.#slabWithRoom(left);
        if (slab === undefined) return false;
        const length = Math.min(bytes.length - at, slab.bytes.length - this.#usedBytes);
        slab.bytes.set(bytes.subarray(at, at + length), this.#usedBytes);
        ranges.push(new SlabRange(slab, this.#usedBytes, length));
        this.#usedBytes += length;
        at += length;
      }
      use(ranges);
      return true;
    } finally {
      for (const slab of left) slab.release();
    }
  }

  /** Frames that were made keep their own leases. */
  close(): void {
    this.#slab?.release();
    this.#slab = undefined;
  }

  #slabWithRoom(left: Slab[]): Slab | undefined {
    const slab = this.#slab;
    if (slab !== undefined && this.#usedBytes < slab.bytes.length) return slab;
    if (slab !== undefined) left.push(slab);
    this.#slab = this.#pool.take();
    this.#usedBytes = 0;
    return this.#slab;
  }
}
