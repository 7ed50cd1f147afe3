import { statfsSync } from "node:fs";
import { diskFull, StoreError } from "./store-error.js";

/** Each object takes whole blocks of the disk. */
const BLOCK_BYTES = 4096;
const FREE_FILES_MIN = 1024;

/** What an object takes of the room. */
export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** The room that one recorder's objects may take: what they take, and what is on its way. */
export class StoreRoom {
  readonly #directory: string;
  readonly #freeBytesMin: number;
  #bytesMax: number;
  #usedBytes = 0;
  #comingBytes = 0;

  /** @param freeBytesMin The disk keeps so much free, whatever is given. */
  constructor(directory: string, { bytesMax, freeBytesMin }: { bytesMax: number; freeBytesMin: number }) {
    this.#directory = directory;
    this.#freeBytesMin = freeBytesMin;
    this.#bytesMax = bytesMax;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  allow(bytesMax: number): void {
    this.#bytesMax = bytesMax;
  }

  /** Objects have come, or gone. */
  count(bytes: number): void {
    this.#usedBytes = Math.max(0, this.#usedBytes + bytes);
  }

  /**
   * Keeps room for an object on its way, until `free` is called. Throws StoreError where there is none.
   * @param replacedBytes Of the object whose place it takes.
   */
  take(bytes: number, replacedBytes = 0): { free(): void } {
    if (this.#bytesMax === 0)
      throw new StoreError(403, "AccessDenied", "nothing more is taken of this recorder");
    const wanted = blocksOf(bytes);
    if (this.#usedBytes - blocksOf(replacedBytes) + this.#comingBytes + wanted > this.#bytesMax)
      throw new StoreError(507, "QuotaExceeded", "the share of the disk for this recorder is used up");
    this.#requireFree(wanted);
    this.#comingBytes += wanted;
    let isTaken = true;
    return {
      free: () => {
        if (isTaken) this.#comingBytes -= wanted;
        isTaken = false;
      },
    };
  }

  #requireFree(bytes: number): void {
    const { bavail, bsize, files, ffree } = statfsSync(this.#directory);
    // A file system that sets no limit on files counts 0 of them.
    const hasFiles = files === 0 || ffree > Math.min(FREE_FILES_MIN, files / 8);
    if (bavail * bsize - this.#comingBytes - bytes < this.#freeBytesMin || !hasFiles) throw diskFull();
  }
}
