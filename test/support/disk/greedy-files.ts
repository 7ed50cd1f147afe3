import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Empty files of some other program that take all the inodes a disk has, and none of its bytes. */
export class GreedyFiles {
  readonly #directory: string;
  #files = 0;

  constructor(directory: string) {
    this.#directory = join(directory, "somebody-elses-files");
    mkdirSync(this.#directory, { recursive: true });
  }

  /** Takes what is free now. May be called again when some came free. */
  take(): void {
    for (;;) {
      try {
        closeSync(openSync(join(this.#directory, `${this.#files}`), "w"));
        this.#files += 1;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        return;
      }
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
