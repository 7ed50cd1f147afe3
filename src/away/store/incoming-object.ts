import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { type Clock, openFileOrFolderSync, openPlainSync, US_PER_MS } from "../../base/index.js";

const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;
/** So much is written before it is synced, and the disk left to others for as long as that took. */
const TURN_BYTES = 4 * 1024 * 1024;

export interface ObjectDigests {
  readonly bytes: number;
  /** Hexadecimal, as an ETag has it. */
  readonly md5: string;
  readonly sha256: string;
}

/**
 * An object that is arriving: a file under a name of its own, which takes the object's place when it is whole and on the disk. Writes
 * block their thread, which does nothing else, and take at most half of the disk's time.
 */
export class IncomingObject {
  readonly #file: string;
  readonly #fd: number;
  readonly #clock: Clock;
  readonly #md5 = createHash("md5");
  readonly #sha256 = createHash("sha256");
  #bytes = 0;
  #turnBytes = 0;
  #isOpen = true;

  /** Throws the disk's error. */
  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    mkdirSync(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    this.#fd = openPlainSync(file, O_WRONLY | O_CREAT | O_EXCL, FILE_MODE);
  }

  /** Resolves when the disk may be used again. Rejects with the disk's error. */
  async write(piece: Uint8Array): Promise<void> {
    this.#md5.update(piece);
    this.#sha256.update(piece);
    const beginUs = this.#clock.monotonicUs();
    for (let at = 0; at < piece.length; ) at += writeSync(this.#fd, piece, at);
    this.#bytes += piece.length;
    this.#turnBytes += piece.length;
    if (this.#turnBytes < TURN_BYTES) return;
    this.#turnBytes = 0;
    fdatasyncSync(this.#fd);
    const pauseMs = Math.floor((this.#clock.monotonicUs() - beginUs) / US_PER_MS);
    if (pauseMs >= 1) await new Promise<void>((resolve) => void this.#clock.setTimeout(resolve, pauseMs));
  }

  digests(): ObjectDigests {
    return { bytes: this.#bytes, md5: this.#md5.digest("hex"), sha256: this.#sha256.digest("hex") };
  }

  /** Makes it the object at `target`: after a power cut the old one is there or this one, whole. Throws the disk's error. */
  settle(target: string): void {
    fsyncSync(this.#fd);
    closeSync(this.#fd);
    this.#isOpen = false;
    makeFolder(path.dirname(target));
    renameSync(this.#file, target);
    syncFolder(path.dirname(target));
  }

  /** Gives up what has not settled. */
  discard(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
    rmSync(this.#file, { force: true });
  }
}

/** Makes a folder and those above it, each durable. Throws the disk's error. */
function makeFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  if (made === undefined) return;
  for (let at = folder; at.length >= made.length; at = path.dirname(at)) syncFolder(path.dirname(at));
}

/** Makes created, renamed and removed entries of a folder durable. Throws the disk's error. */
export function syncFolder(folder: string): void {
  const fd = openFileOrFolderSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
