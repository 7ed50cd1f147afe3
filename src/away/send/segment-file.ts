import type { Hash } from "node:crypto";
import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { type Clock, openPlainSync, US_PER_MS } from "../../base/index.js";
import type { ObjectBody } from "../s3/object-body.js";
import { digestedBody } from "./digested-body.js";

const CHUNK_BYTES = 256 * 1024;
/** So much is read before the disk is left to others for as long as it took. */
const TURN_BYTES = 4 * CHUNK_BYTES;
/** Or reads took so long: a disk that must seek for each of them reads little. */
const TURN_US = 50 * US_PER_MS;

/** The file is not what the index says of it, or not there. */
export class SegmentFileError extends Error {
  /** Nothing is at any of its paths. */
  readonly isGone: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isGone: boolean }) {
    super(message, options);
    this.name = "SegmentFileError";
    this.isGone = options.isGone;
  }
}

/**
 * A closed segment, open for reading: it can be read to its end though retention removes it meanwhile. Reads block their thread,
 * which sends and does nothing else, and take at most half of the disk's time.
 */
export class SegmentFile {
  readonly bytes: number;
  readonly #fd: number;
  readonly #clock: Clock;
  /** Read since the disk was left to others, and for how long. */
  #turnBytes = 0;
  #turnUs = 0;

  private constructor(fd: number, bytes: number, clock: Clock) {
    this.#fd = fd;
    this.bytes = bytes;
    this.#clock = clock;
  }

  /** @param paths Where it may be, in the order in which they are tried. Throws SegmentFileError. */
  static open(paths: readonly string[], bytes: number, clock: Clock): SegmentFile {
    const fd = openFirst(paths);
    const found = fstatSync(fd).size;
    if (found === bytes) return new SegmentFile(fd, bytes, clock);
    closeSync(fd);
    throw new SegmentFileError(`a segment has ${found} bytes instead of ${bytes}`, { isGone: false });
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** The first bytes, as many as there are up to `bytes`. */
  head(bytes: number): Buffer {
    const head = Buffer.alloc(Math.min(bytes, this.bytes));
    const read = readSync(this.#fd, head, 0, head.length, 0);
    return head.subarray(0, read);
  }

  /** Up to `length` bytes of a small part; fewer at the end of the file. */
  read(position: number, length: number): Buffer {
    const part = Buffer.alloc(Math.max(0, Math.min(length, this.bytes - position)));
    const beginUs = this.#clock.monotonicUs();
    const read = readSync(this.#fd, part, 0, part.length, position);
    this.#turnUs += this.#clock.monotonicUs() - beginUs;
    return part.subarray(0, read);
  }

  /** The digests of `[from, to)`; `whole` takes the same bytes. The bytes are read again when they are sent. */
  async body(from: number, to: number, whole?: Hash): Promise<ObjectBody> {
    return await digestedBody(to - from, () => this.chunks(from, to), whole);
  }

  /** Bytes `[from, to)`, in order. */
  async *chunks(from: number, to: number): AsyncGenerator<Uint8Array> {
    for (let at = from; at < to; ) {
      // A new one each time: the socket still holds the last one.
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at));
      const beginUs = this.#clock.monotonicUs();
      const read = readSync(this.#fd, chunk, 0, chunk.length, at);
      this.#turnUs += this.#clock.monotonicUs() - beginUs;
      if (read === 0) throw new SegmentFileError("a segment ended while it was read", { isGone: false });
      at += read;
      this.#turnBytes += read;
      yield chunk.subarray(0, read);
      await this.#leaveToOthers();
    }
  }

  /** Counted over all of its reads: key frames are many small ones. */
  async #leaveToOthers(): Promise<void> {
    if (this.#turnBytes < TURN_BYTES && this.#turnUs < TURN_US) return;
    const pauseMs = this.#turnUs / US_PER_MS;
    this.#turnBytes = 0;
    this.#turnUs = 0;
    if (pauseMs >= 1) await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, pauseMs));
  }
}

function openFirst(paths: readonly string[]): number {
  let last: unknown;
  for (const path of paths) {
    try {
      return openPlainSync(path, constants.O_RDONLY);
    } catch (error) {
      last = error;
      if (!isMissing(error)) break;
    }
  }
  throw new SegmentFileError("a segment cannot be opened", { cause: last, isGone: isMissing(last) });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
