import { mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { readPlainSync, writePlainSync } from "../../base/index.js";

const CRC_BYTES = 4;
/** The disk keeps so much free: it is the system's. */
const FREE_BYTES_MIN = 1024 * 1024 * 1024;
/** Segments of several boxes have their box before them. */
const NAME = /^(?:[0-9a-f]{16}-)?[0-9a-f]{14}-k?\d+-\d+$/;

export interface BlockCacheOptions {
  readonly directory: string;
  readonly bytesMax: number;
}

/**
 * Blocks that were fetched, in files within a bound; what was used longest ago goes first. It is a cache: a block that is torn is
 * fetched again, and a disk that refuses one is no error. Its calls wait for the disk: it belongs on a thread of its own.
 */
export class BlockCache {
  readonly #options: BlockCacheOptions;
  /** Bytes of each file, the one used longest ago first. */
  readonly #files = new Map<string, number>();
  #bytes = 0;

  constructor(options: BlockCacheOptions) {
    this.#options = options;
    for (const { name, bytes } of filesIn(options.directory)) {
      this.#files.set(name, bytes);
      this.#bytes += bytes;
    }
  }

  get(name: string): Uint8Array | undefined {
    const bytes = this.#files.get(name);
    if (bytes === undefined) return undefined;
    this.#files.delete(name);
    this.#files.set(name, bytes);
    try {
      const content = readPlainSync(this.#path(name), bytes);
      const block = content.subarray(0, -CRC_BYTES);
      if (content.length > CRC_BYTES && content.readUInt32LE(block.length) === crc32(block)) return block;
    } catch {
      // The disk fails, or somebody has tidied up: it is fetched again.
    }
    this.#remove(name);
    return undefined;
  }

  put(name: string, block: Uint8Array): void {
    const { directory, bytesMax } = this.#options;
    const bytes = block.length + CRC_BYTES;
    if (bytes > bytesMax) return;
    try {
      mkdirSync(directory, { recursive: true });
      const { bavail, bsize } = statfsSync(directory);
      const isFull = bavail * bsize < FREE_BYTES_MIN + bytes;
      for (const old of [...this.#files.keys()]) {
        if (!isFull && this.#bytes + bytes <= bytesMax) break;
        this.#remove(old);
      }
      if (isFull) return;
      const crc = Buffer.alloc(CRC_BYTES);
      crc.writeUInt32LE(crc32(block));
      const unfinished = this.#path("unfinished");
      writePlainSync(unfinished, Buffer.concat([block, crc]));
      renameSync(unfinished, this.#path(name));
      this.#bytes += bytes - (this.#files.get(name) ?? 0);
      this.#files.set(name, bytes);
    } catch {
      // On a full or failing disk nothing is kept.
    }
  }

  #remove(name: string): void {
    this.#bytes -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
    try {
      rmSync(this.#path(name), { force: true });
    } catch {
      // It counts no more; the next start finds it again.
    }
  }

  #path(name: string): string {
    return path.join(this.#options.directory, name);
  }
}

/** The one used longest ago first, as far as the disk knows. */
function filesIn(directory: string): readonly { readonly name: string; readonly bytes: number }[] {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => NAME.test(name));
  } catch {
    return []; // nothing was fetched yet
  }
  const found = names.flatMap((name) => {
    try {
      const { size, mtimeMs } = statSync(path.join(directory, name));
      return [{ name, bytes: size, mtimeMs }];
    } catch {
      return []; // gone just now
    }
  });
  return found.sort((a, b) => a.mtimeMs - b.mtimeMs);
}
