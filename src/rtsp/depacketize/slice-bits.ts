/** Bytes of a slice header that are read: the slice's type stands in its first two or three. */
const SLICE_HEADER_BYTES_MAX = 8;

/** Reads the first bits of slice headers; one object for all slices of a track. */
export class SliceBits {
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #bitsMax = 0;
  #position = 0;

  /** Begins at `buffer[start]`, behind the NAL unit's header. */
  begin(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer;
    this.#start = start;
    this.#bitsMax = Math.max(0, Math.min(end - start, SLICE_HEADER_BYTES_MAX)) * 8;
    this.#position = 0;
  }

  /** Whether more was read than there is. */
  get isOver(): boolean {
    return this.#position > this.#bitsMax;
  }

  /** Ones behind the end, so that every loop ends. */
  bit(): number {
    const at = this.#position;
    this.#position += 1;
    return at < this.#bitsMax ? ((this.#buffer[this.#start + (at >> 3)] ?? 0) >> (7 - (at & 7))) & 1 : 1;
  }

  skip(bits: number): void {
    this.#position += bits;
  }

  /** ue(v) (ITU-T H.264, 9.1). */
  golomb(): number {
    let zeros = 0;
    while (this.bit() === 0) zeros += 1;
    let value = 1;
    for (; zeros > 0; zeros -= 1) value = value * 2 + this.bit();
    return value - 1;
  }
}
