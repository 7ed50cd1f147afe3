/** Payloads are compared by their last bytes. */
const TAIL_BYTES = 8;
/** After more in a row than this the numbers stand still, and equal payloads are those of equal sound or pictures. */
const REPEATED_MAX = 4;

/**
 * Finds packets that a camera sends twice where the transport repeats none. Numbers and times alone say nothing, because those of
 * some cameras stand still: a packet is the one before once more if its payload ends as that one's did. Where two packets of the
 * same numbers differ, the camera's numbers stand still, and nothing is left out any more.
 */
export class RepeatedPackets {
  #isKnown = false;
  #isExact = false;
  /** Of a payload that is shorter than what is compared; -1: it is not. */
  #shortBytes = -1;
  #low = 0;
  #high = 0;
  #inRow = 0;
  #repeated = 0;
  #standStill = false;

  /** Packets that were the one before once more. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Whether the payload `bytes[start .. end)` of the SSRC, number and timestamp of the packet before is that packet's. */
  isRepeated(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#standStill) return false;
    const isEqual =
      this.#isKnown &&
      this.#shortBytes === shortBytes(start, end) &&
      wordAt(bytes, end - 4, start) === this.#high &&
      wordAt(bytes, end - TAIL_BYTES, start) === this.#low;
    this.#inRow += 1;
    this.#standStill = (this.#isExact && !isEqual) || this.#inRow > REPEATED_MAX;
    if (!isEqual || this.#standStill) return false;
    this.#repeated += 1;
    return true;
  }

  /**
   * The packet that was taken last has the payload `bytes[start .. end)`.
   * @param isExact False if the payload begins there or later, as after a run: it proves nothing that another one differs.
   */
  took(bytes: Uint8Array, start: number, end: number, isExact: boolean): void {
    this.#inRow = 0;
    this.#isKnown = true;
    this.#isExact = isExact;
    this.#shortBytes = shortBytes(start, end);
    this.#high = wordAt(bytes, end - 4, start);
    this.#low = wordAt(bytes, end - TAIL_BYTES, start);
  }
}

function shortBytes(start: number, end: number): number {
  return end - start < TAIL_BYTES ? end - start : -1;
}

/** 32 bits, signed; bytes before `start` count as 0. */
function wordAt(bytes: Uint8Array, at: number, start: number): number {
  let word = 0;
  for (let place = Math.max(at, start); place < at + 4; place += 1)
    word |= (bytes[place] ?? 0) << (8 * (place - at));
  return word;
}
