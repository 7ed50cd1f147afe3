/** A large set of segment ids in eight bytes each: filled first, asked after. */
export class SegmentIdSet {
  #ids = new Float64Array(1024);
  #count = 0;
  #sorted = true;

  add(id: number): void {
    if (this.#count === this.#ids.length) {
      const larger = new Float64Array(this.#ids.length * 2);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#count++] = id;
    this.#sorted = false;
  }

  /** Ids that were added more than once. */
  *repeated(): Generator<number> {
    this.#sort();
    for (let at = 1; at < this.#count; at++) {
      const id = this.#ids[at] ?? 0;
      const isLast = at + 1 === this.#count || this.#ids[at + 1] !== id;
      if (this.#ids[at - 1] === id && isLast) yield id;
    }
  }

  has(id: number): boolean {
    this.#sort();
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && this.#ids[low] === id;
  }

  #sort(): void {
    if (this.#sorted) return;
    this.#ids.subarray(0, this.#count).sort();
    this.#sorted = true;
  }
}
