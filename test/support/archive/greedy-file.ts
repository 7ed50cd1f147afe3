import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

const SMALLEST_WRITE_BYTES = 512;
const BLOCK_BYTES = 64 * 1024;

/** A file of some other program that takes all the room a disk has. */
export class GreedyFile {
  readonly #path: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, "somebody-elses-file");
  }

  /** Takes what is free now, but for `leftBytes`; with 0 up to the last byte. May be called again when room came back. */
  take(leftBytes = 0): void {
    const { bavail, bsize } = statfsSync(this.#directory);
    const bytes = bavail * bsize - leftBytes;
    // Allocated, not written: a disk of some size is full at once. Where the file system refuses, writing fills it.
    if (bytes > 0) spawnSync("fallocate", ["-o", `${this.#bytes()}`, "-l", `${bytes}`, this.#path]);
    if (leftBytes === 0) this.#writeToTheEnd();
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #bytes(): number {
    const fd = openSync(this.#path, "a");
    closeSync(fd);
    return statSync(this.#path).size;
  }

  #writeToTheEnd(): void {
    const fd = openSync(this.#path, "a");
    try {
      for (let bytes = BLOCK_BYTES; bytes >= SMALLEST_WRITE_BYTES; bytes /= 2) this.#writeWhole(fd, bytes);
    } finally {
      closeSync(fd);
    }
  }

  /** Appends pieces of `bytes` until there is no room for one. */
  #writeWhole(fd: number, bytes: number): void {
    const piece = Buffer.alloc(bytes);
    try {
      while (writeSync(fd, piece) === bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}
