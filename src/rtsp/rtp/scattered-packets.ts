/** Packets that are remembered. */
const REMEMBERED = 1024;
const SEQUENCES = 0x10000;
/** Packets before it is known that numbers do not follow each other: a power of two. */
const FIRST_PACKETS = 16;
/** A number that follows none counts so much, and one that follows takes one back; */
const STRAY_WEIGHT = 4;
/** from so much on, numbers of the track do not follow each other. */
const STRAYS_MAX = 32;
const NOTHING = -1;

/**
 * The newest packets of a track whose numbers do not follow each other: they count down, have their bytes swapped, or come from
 * several counters. The memory for them is taken when that is so.
 */
export class ScatteredPackets {
  readonly #firstSequences = new Int32Array(FIRST_PACKETS).fill(NOTHING);
  readonly #firstPrints = new Uint32Array(FIRST_PACKETS);
  #strays = 0;
  #taken = 0;
  /** By sequence number; of each, how many packets were taken until then, itself included. */
  #prints: Uint32Array | undefined;
  #places: Uint32Array | undefined;

  /** Whether numbers have proven not to follow each other. */
  get isScattered(): boolean {
    return this.#places !== undefined;
  }

  /** Whether a packet with this number and this print of all its bytes and its source is among the newest. */
  has(sequence: number, print: number): boolean {
    const place = this.#places?.[sequence] ?? 0;
    return place > 0 && this.#taken - place < REMEMBERED && this.#prints?.[sequence] === print;
  }

  /** So many packets were taken whose numbers follow that of the one before. */
  followed(packets: number): void {
    if (this.#strays > 0) this.#strays = Math.max(0, this.#strays - packets);
  }

  /** A packet was taken whose number follows none, or any one where numbers are scattered. */
  took(sequence: number, print: number): void {
    if (this.#places === undefined) {
      this.#firstSequences[this.#taken % FIRST_PACKETS] = sequence;
      this.#firstPrints[this.#taken % FIRST_PACKETS] = print;
      this.#strays += STRAY_WEIGHT;
      this.#taken += 1;
      if (this.#strays >= STRAYS_MAX) this.#scatter();
      return;
    }
    this.#taken += 1;
    this.#put(sequence, print);
  }

  #scatter(): void {
    this.#prints = new Uint32Array(SEQUENCES);
    this.#places = new Uint32Array(SEQUENCES);
    for (const [at, sequence] of this.#firstSequences.entries())
      if (sequence !== NOTHING) this.#put(sequence, this.#firstPrints[at] ?? 0);
  }

  #put(sequence: number, print: number): void {
    if (this.#places === undefined || this.#prints === undefined) return;
    this.#places[sequence] = this.#taken;
    this.#prints[sequence] = print;
  }
}
