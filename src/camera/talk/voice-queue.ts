/** What was said and not yet sent, bounded: bytes of G.711, a sample each. */
export class VoiceQueue {
  readonly #bytesMax: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that were left out since the beginning. */
  get dropped(): number {
    return this.#dropped;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  /** Adds a copy. What does not fit pushes out the oldest: who listens wants to hear what is said now. */
  push(bytes: Uint8Array): void {
    const kept = bytes.length > this.#bytesMax ? bytes.subarray(bytes.length - this.#bytesMax) : bytes;
    this.#dropped += bytes.length - kept.length;
    const over = this.#bytes + kept.length - this.#bytesMax;
    if (over > 0) this.#dropped += this.take(over).length;
    if (kept.length === 0) return;
    this.#pieces.push(Buffer.from(kept));
    this.#bytes += kept.length;
  }

  /** The oldest bytes, at most `count`. */
  take(count: number): Buffer {
    const taken: Buffer[] = [];
    let missing = Math.min(count, this.#bytes);
    this.#bytes -= missing;
    while (missing > 0) {
      const [first = Buffer.alloc(0)] = this.#pieces;
      taken.push(first.subarray(0, missing));
      if (first.length > missing) this.#pieces[0] = first.subarray(missing);
      else this.#pieces.shift();
      missing -= Math.min(missing, first.length);
    }
    return Buffer.concat(taken);
  }
}
