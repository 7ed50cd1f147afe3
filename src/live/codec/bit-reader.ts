/** Longest prefix of zeros an Exp-Golomb code may have: the codes of H.264 and H.265 end at 32 bits. */
const GOLOMB_ZEROS_MAX = 32;

/**
 * Reads bits, most significant first. Beyond the end it reads zeros and sets `overrun`: a parser checks that once,
 * at its end, instead of after each field.
 */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  #overrun = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether more was read than there is, or a code was malformed. */
  get overrun(): boolean {
    return this.#overrun;
  }

  /** Bits read so far. */
  get position(): number {
    return this.#position;
  }

  get bitsLeft(): number {
    return this.#bytes.length * 8 - this.#position;
  }

  bit(): number {
    const byte = this.#bytes[this.#position >> 3];
    if (byte === undefined) {
      this.#overrun = true;
      return 0;
    }
    const bit = (byte >> (7 - (this.#position & 7))) & 1;
    this.#position += 1;
    return bit;
  }

  flag(): boolean {
    return this.bit() === 1;
  }

  /** An unsigned number of `count` bits, 0 to 32. */
  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index += 1) value = value * 2 + this.bit();
    return value;
  }

  skip(count: number): void {
    this.#position += count;
    if (this.#position > this.#bytes.length * 8) {
      this.#overrun = true;
      this.#position = this.#bytes.length * 8;
    }
  }

  /** ue(v): an unsigned Exp-Golomb code (ITU-T H.264, 9.1). */
  unsignedGolomb(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros += 1;
      if (zeros > GOLOMB_ZEROS_MAX || this.#overrun) {
        this.#overrun = true;
        return 0;
      }
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** se(v): a signed Exp-Golomb code (ITU-T H.264, 9.1.1). */
  signedGolomb(): number {
    const code = this.unsignedGolomb();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}

/**
 * The payload of a NAL unit without its emulation prevention bytes (ITU-T H.264, 7.4.1), up to a start code: some
 * cameras append another NAL unit with its start code. The first `headerBytes` bytes are left out.
 */
export function rawPayload(nal: Uint8Array, headerBytes: number): Uint8Array {
  const payload = new Uint8Array(Math.max(0, nal.length - headerBytes));
  let length = 0;
  let zeros = 0;
  for (let index = headerBytes; index < nal.length; index += 1) {
    const byte = nal[index] ?? 0;
    if (zeros >= 2 && byte === 1) break;
    const prevention = zeros >= 2 && byte === 3;
    zeros = byte === 0 ? zeros + 1 : 0;
    if (prevention) continue;
    payload[length] = byte;
    length += 1;
  }
  return payload.subarray(0, length);
}
