import { returnPages } from "../base/index.js";
import { type Frame, SlabRange } from "./frame.js";
import type { Slab, SlabPool } from "./slab.js";

/**
 * A copy of a stream's newest key frame, in slabs of its own: a frame where it arrived keeps all that came into its slab with it. The
 * next key frame takes the same memory, of which only what key frames need has pages.
 */
export class KeyFrameCopy {
  readonly #pool: SlabPool;
  #slabs: Slab[] = [];
  #frame: Frame | undefined;

  constructor(pool: SlabPool) {
    this.#pool = pool;
  }

  /** Whether this frame is the newest copy. */
  isCopy(frame: Frame): boolean {
    return frame === this.#frame;
  }

  /** A copy with one lease, the caller's; undefined when the pool has no slab. */
  of(frame: Frame): Frame | undefined {
    // Somebody still has the one before.
    if (this.#slabs.some(({ leases }) => leases > 1)) this.release();
    if (!this.#takeSlabs(Math.ceil(frame.byteLength / this.#pool.slabBytes))) {
      this.release();
      return undefined;
    }
    this.#frame = frame.inRanges(this.#fill(frame));
    return this.#frame;
  }

  /** Gives its memory back. Copies that somebody has stay valid. */
  release(): void {
    for (const slab of this.#slabs.splice(0)) slab.release();
    this.#frame = undefined;
  }

  #takeSlabs(count: number): boolean {
    for (const slab of this.#slabs.splice(count)) slab.release();
    while (this.#slabs.length < count) {
      const slab = this.#pool.take();
      if (slab === undefined) return false;
      returnPages?.(slab.bytes);
      this.#slabs.push(slab);
    }
    return true;
  }

  #fill({ ranges }: Frame): SlabRange[] {
    const filled: SlabRange[] = [];
    const { slabBytes } = this.#pool;
    let at = 0;
    for (const { bytes } of ranges) {
      for (let from = 0; from < bytes.length; ) {
        const slab = this.#slabs[Math.floor(at / slabBytes)];
        if (slab === undefined) throw new Error("a key frame is longer than it says");
        const start = at % slabBytes;
        const part = bytes.subarray(from, from + slabBytes - start);
        slab.bytes.set(part, start);
        filled.push(new SlabRange(slab, start, part.length));
        from += part.length;
        at += part.length;
      }
    }
    return filled;
  }
}
