/**
 * Counts the bytes that several holders use together, against one limit. A holder asks first, and gives back what it
 * releases.
 */
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

  /** Whether more bytes are held than allowed: some holders cannot ask first. */
  get isExceeded(): boolean {
    return this.#bytes > this.bytesMax;
  }

  /** How often `hasRoom` was false. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Whether `bytes` more fit. Counts a refusal if not. */
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
