/** Packets that are kept at the most, and their bytes. */
const PACKETS_MAX = 256;
const BYTES_MAX = 1024 * 1024;
const FIRST_BYTES = 64 * 1024;
/** A number so far behind the one before is the next of the sequence, others having been lost. */
const AHEAD_MAX = 16;
const SEQUENCES = 0x10000;

/**
 * Copies of packets of one payload type that is not the track's, with the numbers that follow it: error correction if the track goes
 * on, the track itself if it does not.
 */
export class WithheldPackets {
  #bytes = Buffer.alloc(0);
  readonly #ends: number[] = [];
  /** When each came, monotonic. */
  readonly #arrivedUs: number[] = [];
  #payloadType = -1;
  #sequence = 0;

  get count(): number {
    return this.#ends.length;
  }

  /**
   * Takes `buffer[start .. end)`, which comes at `nowUs`, where it follows on `highest`, or on the packets before it. False: there is
   * no room for it.
   */
  add(buffer: Buffer, packet: { start: number; end: number; highest: number; nowUs: number }): boolean {
    const { start, end, highest, nowUs } = packet;
    const payloadType = (buffer[start + 1] ?? 0) & 0x7f;
    const sequence = buffer.readUInt16BE(start + 2);
    const ahead = (sequence - (this.count === 0 ? highest : this.#sequence) + SEQUENCES) % SEQUENCES;
    if (ahead === 0 || ahead > AHEAD_MAX) return true;
    const from = this.#ends.at(-1) ?? 0;
    const to = from + end - start;
    if (this.count >= PACKETS_MAX || to > BYTES_MAX) return false;
    if (to > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(FIRST_BYTES, to, Math.min(2 * this.#bytes.length, BYTES_MAX)));
      this.#bytes.copy(larger, 0, 0, from);
      this.#bytes = larger;
    }
    buffer.copy(this.#bytes, from, start, end);
    this.#ends.push(to);
    this.#arrivedUs.push(nowUs);
    this.#payloadType = payloadType;
    this.#sequence = sequence;
    return true;
  }

  /** Whether there are packets, and of another payload type. */
  isOfOther(payloadType: number): boolean {
    return this.count > 0 && payloadType !== this.#payloadType;
  }

  /** Calls `each` with all of them, in order, and when they came: the memory is not used again. */
  take(each: (buffer: Buffer, start: number, end: number, arrivedUs: number) => void): void {
    for (const [at, end] of this.#ends.entries())
      each(this.#bytes, this.#ends[at - 1] ?? 0, end, this.#arrivedUs[at] ?? 0);
    this.#bytes = Buffer.alloc(0);
    this.#forget();
  }

  /** Forgets all, and calls back with their numbers, in order. */
  drop(each: (sequence: number) => void): void {
    for (let at = 0; at < this.count; at += 1) each(this.#bytes.readUInt16BE((this.#ends[at - 1] ?? 0) + 2));
    this.#forget();
  }

  #forget(): void {
    this.#ends.length = 0;
    this.#arrivedUs.length = 0;
  }
}
