import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { errorText, NvrdError, openPlain } from "../../base/index.js";
import type { MediaSink } from "./movie-writer.js";

/** The disk gets what was written after so much, so that it is never busy with it for long, and its room is looked at. */
const STEP_BYTES = 16 * 1024 * 1024;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
const FILE_MODE = 0o640;

/** A new file that is written from its beginning on, as long as there is room. Rejects with NvrdError NOT_AVAILABLE. */
export class SavedFileSink implements MediaSink {
  readonly #path: string;
  readonly #roomBytes: () => Promise<number>;
  #handle: FileHandle | undefined;
  #sinceStep = STEP_BYTES;

  constructor(path: string, roomBytes: () => Promise<number>) {
    this.#path = path;
    this.#roomBytes = roomBytes;
  }

  /** Writes a short file as a whole. */
  static async writeWhole(path: string, bytes: Uint8Array): Promise<void> {
    const sink = new SavedFileSink(path, async () => Number.POSITIVE_INFINITY);
    await sink.write(bytes);
    await sink.end();
  }

  async requireRoom(bytes: number): Promise<void> {
    const room = await this.#roomBytes();
    if (bytes <= room) return;
    const megabytes = (value: number): number => Math.max(0, Math.ceil(value / 1_000_000));
    throw new NvrdError(
      "NOT_AVAILABLE",
      `there is no room for the file on the recorder's own disk: it takes about ${megabytes(bytes)} MB, and ${megabytes(room)} MB are left`,
      { hint: "delete files that are not needed, or ask for a shorter time" },
    );
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#sinceStep >= STEP_BYTES) await this.#step();
    this.#sinceStep += bytes.length;
    await this.#onDisk(async () => {
      this.#handle ??= await openPlain(this.#path, NEW_FILE, FILE_MODE);
      for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    });
  }

  /** All of it is on the disk then. */
  async end(): Promise<void> {
    await this.#onDisk(async () => {
      await this.#handle?.sync();
      await this.#handle?.close();
    });
    this.#handle = undefined;
  }

  /** It is closed, whatever the disk says. */
  async abandon(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  async #step(): Promise<void> {
    this.#sinceStep = 0;
    await this.#onDisk(async () => await this.#handle?.datasync());
    await this.requireRoom(STEP_BYTES);
  }

  async #onDisk(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new NvrdError("NOT_AVAILABLE", `the file cannot be written: ${errorText(error)}`, {
        cause: error,
      });
    }
  }
}
