import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import path from "node:path";
import {
  type Clock,
  openPlainSync,
  readPlainSync,
  US_PER_DAY,
  US_PER_MS,
  writePlainSync,
} from "../../base/index.js";
import { FOLDER_MODE, type IncomingObject, syncFolder } from "./incoming-object.js";
import { isMissing } from "./object-listing.js";
import { noSuchUpload, StoreError } from "./store-error.js";
import { blocksOf, type StoreRoom } from "./store-room.js";

const UPLOADS_MAX = 16;
export const PARTS_MAX = 10_000;
/** What nobody finished within this time is removed. */
const AGE_DAYS_MAX = 7;
const KEY_FILE = "key";
const KEY_BYTES_MAX = 4096;
const ID = /^[0-9a-f]{32}$/;
const PART = /^(\d{1,5})-([0-9a-f]{32})-(\d{1,12})$/;
const CHUNK_BYTES = 1024 * 1024;

export interface StoreUploadsOptions {
  readonly directory: string;
  readonly room: StoreRoom;
  readonly clock: Clock;
}

/** A part that is named when an object is made of its parts. */
export interface NamedPart {
  readonly number: number;
  /** MD5, hexadecimal. */
  readonly md5: string;
}

export interface KeptPart extends NamedPart {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Objects that arrive in parts: a folder for each, whose files say in their names which part they are, its MD5 and its length. So after
 * a restart an upload goes on with the first part that has not arrived.
 */
export class StoreUploads {
  readonly #options: StoreUploadsOptions;

  /** Throws the disk's error. */
  constructor(options: StoreUploadsOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true, mode: FOLDER_MODE });
    for (const id of this.#ids())
      for (const { bytes } of this.#partsOf(id)) options.room.count(blocksOf(bytes));
  }

  /** Resolves with the upload's id. Throws StoreError where there are too many. */
  begin(key: string): string {
    const { directory } = this.#options;
    this.#forgetOld();
    if (this.#ids().length >= UPLOADS_MAX)
      throw new StoreError(503, "SlowDown", "too many uploads are not finished", { retryAfter: 60 });
    const id = randomBytes(16).toString("hex");
    const folder = path.join(directory, id);
    mkdirSync(folder, { mode: FOLDER_MODE });
    writePlainSync(path.join(folder, KEY_FILE), key);
    syncFolder(folder);
    syncFolder(directory);
    return id;
  }

  /** Throws StoreError where there is no such upload of the key. */
  require(id: string, key: string): void {
    if (!ID.test(id)) throw noSuchUpload();
    try {
      const kept = readPlainSync(path.join(this.#options.directory, id, KEY_FILE), KEY_BYTES_MAX);
      if (kept.toString("utf8") === key) return;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    throw noSuchUpload();
  }

  /** What has arrived is a part from now on, instead of what was there of this number. */
  settle(id: string, part: NamedPart & { readonly bytes: number }, object: IncomingObject): void {
    const { directory, room } = this.#options;
    const { number, md5, bytes } = part;
    const before = this.#partsOf(id).filter((other) => other.number === number);
    const file = path.join(directory, id, `${number}-${md5}-${bytes}`);
    object.settle(file);
    room.count(blocksOf(bytes));
    for (const other of before) {
      if (other.file !== file) unlinkSync(other.file);
      room.count(-blocksOf(other.bytes));
    }
  }

  /** The parts that were named, in this order, and their length. Throws StoreError where one is missing or another. */
  partsNamed(
    id: string,
    named: readonly NamedPart[],
  ): { readonly parts: readonly KeptPart[]; readonly bytes: number } {
    const kept = this.#partsOf(id);
    const parts = named.flatMap(
      ({ number, md5 }) => kept.find((part) => part.number === number && part.md5 === md5) ?? [],
    );
    if (parts.length === 0 || parts.length < named.length)
      throw new StoreError(400, "InvalidPart", "a part is missing, or is another");
    return { parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** None is no error. */
  forget(id: string): void {
    if (!ID.test(id)) return;
    const { directory, room } = this.#options;
    const parts = this.#partsOf(id);
    rmSync(path.join(directory, id), { recursive: true, force: true });
    for (const { bytes } of parts) room.count(-blocksOf(bytes));
  }

  #forgetOld(): void {
    const { directory, clock } = this.#options;
    const oldestMs = (clock.nowUs() - AGE_DAYS_MAX * US_PER_DAY) / US_PER_MS;
    for (const id of this.#ids()) {
      const found = statSync(path.join(directory, id), { throwIfNoEntry: false });
      if (found !== undefined && found.mtimeMs < oldestMs) this.forget(id);
    }
  }

  #ids(): readonly string[] {
    return readdirSync(this.#options.directory).filter((name) => ID.test(name));
  }

  #partsOf(id: string): readonly KeptPart[] {
    const folder = path.join(this.#options.directory, id);
    try {
      return readdirSync(folder).flatMap((name) => {
        const [, number, md5, bytes] = PART.exec(name) ?? [];
        if (number === undefined || md5 === undefined || bytes === undefined) return [];
        return [{ number: Number(number), md5, bytes: Number(bytes), file: path.join(folder, name) }];
      });
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/** Adds a part to an object that is arriving. Rejects with the disk's error. */
export async function copyInto(object: IncomingObject, file: string): Promise<void> {
  const fd = openPlainSync(file, constants.O_RDONLY);
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(fd, chunk);
      if (read === 0) return;
      await object.write(chunk.subarray(0, read));
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    closeSync(fd);
  }
}
