/** Counts bytes that several hold together, against one bound. Who holds asks first, and gives back. */
export class ByteBudget {
  readonly bytesMax: number;
  #bytes = 0;
  #refusals = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether more is held than the bound allows, by those who cannot ask before. */
  get isExceeded(): boolean {
    return this.#bytes > this.bytesMax;
  }

  /** How often there was no room. */
  get refusals(): number {
    return this.#refusals;
  }

  /** A no is counted. */
  hasRoom(bytes: number): boolean {
    const fits = this.#bytes + bytes <= this.bytesMax;
    if (!fits) this.#refusals += 1;
    return fits;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}
