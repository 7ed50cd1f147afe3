import { readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";

/** Files of the kernel are small; a larger one is ignored. */
const TEXT_BYTES_MAX = 1024 * 1024;
const NAMES_MAX = 4096;

/** The contents of /sys and /proc. Reading them does not access a disk. Missing files are undefined or empty: kernels differ. */
export class SystemFiles {
  readonly #root: string;

  constructor(root = "/") {
    this.#root = root;
  }

  async bytes(file: string): Promise<Buffer | undefined> {
    try {
      const data = await readFile(path.join(this.#root, file));
      return data.length > TEXT_BYTES_MAX ? undefined : data;
    } catch {
      return undefined; // this kernel, or this kind of disk, has no such file
    }
  }

  /** The text without blanks around it. */
  async text(file: string): Promise<string | undefined> {
    return (await this.bytes(file))?.toString("utf8").trim();
  }

  async names(directory: string): Promise<readonly string[]> {
    try {
      return (await readdir(path.join(this.#root, directory))).slice(0, NAMES_MAX).sort();
    } catch {
      return []; // as above
    }
  }

  /** Where a link of /sys leads, below the root. */
  async target(link: string): Promise<string | undefined> {
    try {
      const real = await realpath(path.join(this.#root, link));
      const root = await realpath(this.#root);
      return `/${path.relative(root, real)}`;
    } catch {
      return undefined; // as above
    }
  }
}
