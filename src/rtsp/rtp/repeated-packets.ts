import type { FragmentRun } from "./fragment-run.js";
import { packetPrint, sourcePrint } from "./packet-print.js";
import { ScatteredPackets } from "./scattered-packets.js";

/** Packets that are remembered: a large key picture that is sent once more has that many. A power of two. */
const REMEMBERED = 1024;
const SEQUENCES = 0x10000;
/** After more packets in a row with the number of the newest than this the numbers stand still, and what is equal is equal sound. */
const SAME_NUMBER_MAX = 4;
/** So many packets behind one that was repeated are compared by all their bytes, and come in no runs. */
const WATCHED = 16_384;

/**
 * Finds packets that a camera sends again although the transport loses none. Numbers say nothing, because those of some cameras
 * stand still or begin anew: a packet is an earlier one once more if it has that one's source, number and bytes. Bytes are compared
 * by a print, which costs a sane camera next to nothing; after the first packet that was repeated, and where numbers do not follow
 * each other (`ScatteredPackets`), by one of all bytes. Where two packets of one number differ, numbers stand still, and nothing is
 * left out any more.
 */
export class RepeatedPackets {
  /** By sequence number. */
  readonly #prints = new Uint32Array(REMEMBERED);
  /** So many of the newest packets came one after the other, and have their print here. */
  #known = 0;
  /** Of the newest of these, prints are of all bytes. */
  #whole = 0;
  #watched = 0;
  /** Of the newest packet's number, and of earlier ones, since a packet was taken. */
  #sameInRow = 0;
  #earlierInRow = 0;
  #repeated = 0;
  #standStill = false;
  readonly #scattered = new ScatteredPackets();

  /** Packets that were others once more. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Packets have to be looked at one by one. */
  get isWatching(): boolean {
    return this.#watched > 0 || this.#scattered.isScattered;
  }

  /**
   * Whether the packet `bytes[start .. end)` with the number `sequence` is one that was taken. `newest`: the number of the newest one;
   * undefined where that is of another source.
   */
  isRepeated(
    sequence: number,
    newest: number | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    if (this.#scattered.isScattered) return this.#isAmongScattered(sequence, bytes, start, end);
    if (newest === undefined) return false;
    const behind = (newest - sequence + SEQUENCES) % SEQUENCES;
    if (behind >= this.#known) return false;
    const print = packetPrint(bytes, start, end, behind < this.#whole);
    const isSame = this.#prints[sequence % REMEMBERED] === print;
    if (behind === 0) this.#sameInRow += 1;
    else this.#earlierInRow += 1;
    const isTooOften = this.#sameInRow > SAME_NUMBER_MAX || this.#earlierInRow > this.#known;
    if (isTooOften || (!isSame && behind === 0)) this.#giveUp();
    if (!isSame || isTooOften) return false;
    this.#repeated += 1;
    this.#watched = WATCHED;
    return true;
  }

  #isAmongScattered(sequence: number, bytes: Buffer, start: number, end: number): boolean {
    if (this.#standStill || !this.#scattered.has(sequence, sourcePrint(bytes, start, end))) return false;
    this.#earlierInRow += 1;
    if (this.#earlierInRow > REMEMBERED) {
      this.#giveUp();
      return false;
    }
    this.#repeated += 1;
    return true;
  }

  /** The packet was taken; `follows`: its number is the one after the newest. */
  took(sequence: number, follows: boolean, bytes: Buffer, start: number, end: number): void {
    if (this.#standStill) return;
    this.#endRow();
    if (follows && !this.#scattered.isScattered) this.#scattered.followed(1);
    else {
      this.#scattered.took(sequence, sourcePrint(bytes, start, end));
      this.forget();
      if (this.#scattered.isScattered) return;
    }
    const isWhole = this.#watched > 0;
    this.#prints[sequence % REMEMBERED] = packetPrint(bytes, start, end, isWhole);
    this.#known = Math.min(this.#known + 1, REMEMBERED);
    if (!isWhole) return;
    this.#whole = Math.min(this.#whole + 1, REMEMBERED);
    this.#watched -= 1;
    // Prints of both kinds are not distinguished any more.
    if (this.#watched === 0) this.forget();
  }

  /** As `took` of each packet of the run; `sequence`: of its first. */
  noteRun(sequence: number, run: FragmentRun): void {
    if (this.#standStill) return;
    this.#endRow();
    this.#scattered.followed(run.packets);
    run.copyPrints(this.#prints, sequence);
    this.#known = Math.min(this.#known + run.packets, REMEMBERED);
  }

  /** What comes next follows nothing that is known. */
  forget(): void {
    this.#known = 0;
    this.#whole = 0;
  }

  #endRow(): void {
    this.#sameInRow = 0;
    this.#earlierInRow = 0;
  }

  #giveUp(): void {
    this.#standStill = true;
    this.#watched = 0;
    this.forget();
  }
}
