/** Packets remembered; a power of two. More than a reorder buffer holds back. */
const REMEMBERED = 256;
const SLOT_MASK = REMEMBERED - 1;
const EDGE_BYTES = 16;
const RTP_HEADER_BYTES = 12;
const NOTHING = -1;
const GIVEN_UP = 0;

/**
 * The newest packets of a sequence that have passed. A number that comes again is the same packet, repeated or late, or
 * the beginning of another sequence: the packet's timestamp and contents decide which.
 */
export class PassedPackets {
  readonly #sequences = new Int32Array(REMEMBERED).fill(NOTHING);
  readonly #lengths = new Int32Array(REMEMBERED);
  readonly #timestamps = new Uint32Array(REMEMBERED);
  readonly #sources = new Uint32Array(REMEMBERED);
  /** Of payloads. */
  readonly #marks = new Int32Array(REMEMBERED);
  #newestTimestamp = 0;

  /** Another sequence begins. */
  forget(): void {
    this.#sequences.fill(NOTHING);
  }

  /** The RTP packet `buffer[start .. end)` has passed. */
  passed(sequence: number, buffer: Buffer, start: number, end: number): void {
    const slot = sequence & SLOT_MASK;
    this.#sequences[slot] = sequence;
    this.#lengths[slot] = end - start;
    this.#timestamps[slot] = buffer.readUInt32BE(start + 4);
    this.#sources[slot] = buffer.readUInt32BE(start + 8);
    this.#marks[slot] = markOf(buffer, start, end);
    this.#newestTimestamp = this.#timestamps[slot] ?? 0;
  }

  /** `count` packets from `sequence` on did not come in time. */
  gaveUp(sequence: number, count: number): void {
    for (let at = Math.max(0, count - REMEMBERED); at < count; at += 1) {
      const number = (sequence + at) & 0xffff;
      this.#sequences[number & SLOT_MASK] = number;
      this.#lengths[number & SLOT_MASK] = GIVEN_UP;
    }
  }

  /** Whether the packet belongs to the sequence: it has passed before, or comes too late. Otherwise another one begins. */
  isOf(sequence: number, buffer: Buffer, start: number, end: number): boolean {
    const slot = sequence & SLOT_MASK;
    if (this.#sequences[slot] !== sequence || this.#lengths[slot] !== GIVEN_UP)
      return this.has(sequence, buffer, start, end);
    return ((buffer.readUInt32BE(start + 4) - this.#newestTimestamp) | 0) <= 0;
  }

  /** Whether the packet itself has passed. */
  has(sequence: number, buffer: Buffer, start: number, end: number): boolean {
    const slot = sequence & SLOT_MASK;
    return (
      this.#sequences[slot] === sequence &&
      this.#sources[slot] === buffer.readUInt32BE(start + 8) &&
      this.#hasContents(slot, buffer, start, end)
    );
  }

  /** Whether a packet of the same time and contents has passed, whatever its number and source. */
  hasContents(buffer: Buffer, start: number, end: number): boolean {
    for (let slot = 0; slot < REMEMBERED; slot += 1)
      if (this.#sequences[slot] !== NOTHING && this.#hasContents(slot, buffer, start, end)) return true;
    return false;
  }

  /** The time of the newest. */
  get newestTimestamp(): number {
    return this.#newestTimestamp;
  }

  #hasContents(slot: number, buffer: Buffer, start: number, end: number): boolean {
    return (
      this.#lengths[slot] === end - start &&
      this.#timestamps[slot] === buffer.readUInt32BE(start + 4) &&
      this.#marks[slot] === markOf(buffer, start, end)
    );
  }
}

/** Of the first and last bytes of the payload: packets of one picture that differ nowhere there are one packet. */
function markOf(buffer: Buffer, start: number, end: number): number {
  const from = start + RTP_HEADER_BYTES;
  let mark = 0;
  for (let at = from; at < Math.min(from + EDGE_BYTES, end); at += 1)
    mark = (mark * 31 + (buffer[at] ?? 0)) | 0;
  for (let at = Math.max(from, end - EDGE_BYTES); at < end; at += 1)
    mark = (mark * 31 + (buffer[at] ?? 0)) | 0;
  return mark;
}
