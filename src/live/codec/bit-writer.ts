/** Writes bits, most significant first, into memory that grows. */
export class BitWriter {
  #bytes: Uint8Array;
  #bits = 0;

  constructor(bytesExpected = 256) {
    this.#bytes = new Uint8Array(bytesExpected);
  }

  get bitLength(): number {
    return this.#bits;
  }

  /** The low `count` bits of `value`, 0 to 32. */
  bits(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit -= 1) this.bit((value >>> bit) & 1);
  }

  bit(bit: number): void {
    const at = this.#bits >> 3;
    if (at >= this.#bytes.length) this.#grow();
    if (bit === 1) this.#bytes[at] = (this.#bytes[at] ?? 0) | (0x80 >> (this.#bits & 7));
    this.#bits += 1;
  }

  /** So many zeros, then a one. */
  unary(zeros: number): void {
    for (let zero = 0; zero < zeros; zero += 1) this.bit(0);
    this.bit(1);
  }

  /** ue(v): an unsigned Exp-Golomb code (ITU-T H.264, 9.1), for numbers below 2^32 - 1. */
  unsignedGolomb(value: number): void {
    const code = value + 1;
    const length = Math.floor(Math.log2(code));
    for (let zero = 0; zero < length; zero += 1) this.bit(0);
    this.bits(code, length + 1);
  }

  /** Zeros up to a whole byte. */
  align(): void {
    this.#bits = (this.#bits + 7) & ~7;
  }

  /** What was written, as a view, the last byte filled up with zeros. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, (this.#bits + 7) >> 3);
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** A payload with emulation prevention bytes (ITU-T H.264, 7.4.1), as it stands in a NAL unit. */
export function preventEmulation(payload: Uint8Array): Buffer {
  const bytes: number[] = [];
  let zeros = 0;
  for (const byte of payload) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
