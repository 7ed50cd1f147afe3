import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, statfs } from "node:fs/promises";
import path from "node:path";
import { type Clock, errorText, NvrdError } from "../../base/index.js";

/** Most bytes of a bundle: a slot has a gigabyte, and bundles are compressed. */
export const BUNDLE_BYTES_MAX = 2 * 1024 ** 3;
/** Free bytes kept on the data partition: recording, index and events continue during an update. */
export const FREE_BYTES_MIN = 64 * 1024 * 1024;
/** A slow line takes half an hour for a bundle; a longer upload would block others. */
export const RECEIVE_US_MAX = 3_600_000_000;
const RECEIVED_FILE = "received.part";
/** Bundles put here by the command line. */
const LOCAL_FILE = /^local-[0-9a-f-]{36}\.raucb$/;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

export interface InboxOptions {
  /** A directory owned by the service. */
  readonly directory: string;
  readonly clock: Pick<Clock, "monotonicUs">;
  readonly bytesMax?: number;
  /** Free bytes in a directory; default: from the system. */
  readonly freeBytes?: (directory: string) => Promise<number>;
}

/** A bundle being uploaded. */
export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Its announced length in bytes; undefined if not announced. */
  readonly bytes?: number;
}

/** Writes one bundle at a time to disk, within limits. */
export class Inbox {
  readonly #options: Required<InboxOptions>;

  constructor(options: InboxOptions) {
    this.#options = { bytesMax: BUNDLE_BYTES_MAX, freeBytes: freeBytesOf, ...options };
  }

  /** Where `receive` puts it: a fixed name, whatever the sender calls it. */
  get file(): string {
    return path.join(this.#options.directory, RECEIVED_FILE);
  }

  /** Creates the directory, and removes what an interrupted upload left. */
  async prepare(): Promise<void> {
    const { directory } = this.#options;
    await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    await rm(this.file, { force: true });
    for (const name of await readdir(directory))
      if (LOCAL_FILE.test(name)) await rm(path.join(directory, name), { force: true });
  }

  /**
   * Takes over a bundle that the command line has put into the directory, by its name. Durable when it resolves.
   * Rejects with NvrdError BAD_REQUEST for any other name, TOO_LARGE, NOT_AVAILABLE.
   */
  async take(name: string): Promise<string> {
    if (!LOCAL_FILE.test(name)) throw new NvrdError("BAD_REQUEST", "there is no such bundle in the inbox");
    const localFile = path.join(this.#options.directory, name);
    try {
      const handle = await open(localFile, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const found = await handle.stat();
        if (!found.isFile() || found.size === 0)
          throw new NvrdError("BAD_REQUEST", "the bundle is not a file, or is empty");
        this.#checkLength(found.size);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(localFile, this.file);
      return this.file;
    } catch (error) {
      await rm(localFile, { force: true });
      throw error instanceof NvrdError ? error : notReceived(error);
    }
  }

  /** Removes what was received. */
  async discard(): Promise<void> {
    await rm(this.file, { force: true });
  }

  /**
   * Receives a bundle; durable when it resolves, removed when it rejects. Rejects with NvrdError TOO_LARGE,
   * NOT_AVAILABLE if it cannot be written, BAD_REQUEST if it is empty, and with errors of the upload itself.
   * @param onBytes Called with the bytes received so far.
   */
  async receive(upload: Upload, onBytes: (bytes: number) => void): Promise<string> {
    await mkdir(this.#options.directory, { recursive: true, mode: DIRECTORY_MODE });
    await this.discard();
    this.#checkLength(upload.bytes ?? 0);
    await this.#checkRoom(upload.bytes ?? 0);
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.file, "wx", FILE_MODE);
      const bytes = await this.#write(handle, upload, onBytes);
      if (bytes === 0) throw new NvrdError("BAD_REQUEST", "the body is empty: send the bundle as it is");
      await handle.sync();
      await handle.close();
      return this.file;
    } catch (error) {
      // Closing on a failing disk fails too; the first error is the one to report.
      await handle?.close().catch(() => undefined);
      await this.discard();
      if (error instanceof NvrdError) throw error;
      throw new NvrdError("NOT_AVAILABLE", `the bundle was not received: ${errorText(error)}`, {
        cause: error,
      });
    }
  }

  async #write(handle: FileHandle, upload: Upload, onBytes: (bytes: number) => void): Promise<number> {
    let bytes = 0;
    let roomCheckedAt = 0;
    const startUs = this.#options.clock.monotonicUs();
    for await (const chunk of upload.chunks) {
      if (this.#options.clock.monotonicUs() - startUs > RECEIVE_US_MAX)
        throw new NvrdError("NOT_AVAILABLE", "the bundle took more than an hour: use a faster line");
      bytes += chunk.length;
      this.#checkLength(bytes);
      if (bytes - roomCheckedAt > ROOM_CHECK_BYTES) {
        await this.#checkRoom(ROOM_CHECK_BYTES);
        roomCheckedAt = bytes;
      }
      await writeAll(handle, chunk);
      onBytes(bytes);
    }
    if (upload.bytes !== undefined && bytes !== upload.bytes)
      throw new NvrdError("BAD_REQUEST", `${upload.bytes} bytes were announced, ${bytes} were received`);
    return bytes;
  }

  #checkLength(bytes: number): void {
    const { bytesMax } = this.#options;
    if (bytes <= bytesMax) return;
    throw new NvrdError("TOO_LARGE", `the bundle is larger than ${bytesMax} bytes`, {
      hint: "send the .raucb file of a release for this box",
    });
  }

  async #checkRoom(bytes: number): Promise<void> {
    const { directory, freeBytes } = this.#options;
    const free = await freeBytes(directory);
    if (free - bytes >= FREE_BYTES_MIN) return;
    throw new NvrdError(
      "NOT_AVAILABLE",
      `there is no room for the bundle: ${free} bytes are free in ${directory}`,
      {
        hint: "make room on the system disk, then send the bundle again",
      },
    );
  }
}

/** Free space is checked each time this much has been received. */
const ROOM_CHECK_BYTES = 16 * 1024 * 1024;

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
}

function notReceived(cause: unknown): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the bundle was not received: ${errorText(cause)}`, { cause });
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
