import { memoryUsage, type ProcessHeap } from "../../base/index.js";

/** Less than this is not worth the work: programs that run need some room. */
export const HEAP_FREE_BYTES_MIN = 2 * 1024 * 1024;
/** A heap whose free part changed by more between two looks is being used. */
export const HEAP_QUIET_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Gives back what a burst of pictures or exports left behind. malloc keeps freed memory for the next burst, and what lies between two
 * pieces in use stays with the process for good; so when the burst is over, its pages are given back.
 *
 * How much that would be is not known from the free bytes, whose pages may have gone back before. It is known from what the process has and
 * nobody has of malloc: that grows when memory is freed, and falls when the pages of free memory go back.
 */
export class HeapTrim {
  readonly #heap: ProcessHeap | undefined;
  readonly #residentBytes: () => number;
  #freeBytes = 0;
  /** Least of resident memory beyond what is used of the heap, since the heap was last trimmed. */
  #restingBytes = Number.NEGATIVE_INFINITY;

  constructor(heap: ProcessHeap | undefined, residentBytes = residentOutsideScripts) {
    this.#heap = heap;
    this.#residentBytes = residentBytes;
  }

  /** Called every few seconds. */
  look(): void {
    if (this.#heap === undefined) return;
    const freeBytes = this.#heap.freeBytes();
    const isQuiet = Math.abs(freeBytes - this.#freeBytes) <= HEAP_QUIET_BYTES_MAX;
    this.#freeBytes = freeBytes;
    if (!isQuiet || freeBytes < HEAP_FREE_BYTES_MIN) return;
    const unusedBytes = this.#unusedBytes(this.#heap);
    this.#restingBytes = Math.min(this.#restingBytes, unusedBytes);
    if (unusedBytes - this.#restingBytes < HEAP_FREE_BYTES_MIN) return;
    this.#heap.trim();
    this.#restingBytes = this.#unusedBytes(this.#heap);
  }

  #unusedBytes(heap: ProcessHeap): number {
    return this.#residentBytes() - heap.usedBytes();
  }
}

/** V8's own heap grows and shrinks all the time, by as much as is looked for here. */
function residentOutsideScripts(): number {
  const { rss, heapTotal } = memoryUsage();
  return rss - heapTotal;
}
