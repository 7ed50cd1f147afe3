/** The buffers of one writev; neighbouring ranges of scratch memory become one. */
export class PieceList {
  readonly #scratch: Buffer;
  readonly #pieces: Buffer[] = [];
  #start = 0;
  #end = 0;

  constructor(scratch: Buffer) {
    this.#scratch = scratch;
  }

  addScratch(start: number, end: number): void {
    if (start !== this.#end || this.#end === this.#start) {
      this.#flush();
      this.#start = start;
    }
    this.#end = end;
  }

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#flush();
    this.#pieces.push(bytes);
  }

  finish(): Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    if (this.#end > this.#start) this.#pieces.push(this.#scratch.subarray(this.#start, this.#end));
    this.#start = 0;
    this.#end = 0;
  }
}
