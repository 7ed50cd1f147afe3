import { randomBytes } from "node:crypto";
import {
  constants,
  fstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import path from "node:path";
import { type Clock, openPlainSync } from "../../base/index.js";
import { FOLDER_MODE, IncomingObject, syncFolder } from "./incoming-object.js";
import { foldersIn, isMissing, objectsIn } from "./object-listing.js";
import { pathOfKey } from "./object-name.js";
import { noSuchKey, StoreError } from "./store-error.js";
import { blocksOf, StoreRoom } from "./store-room.js";
import { copyInto, type NamedPart, StoreUploads } from "./store-uploads.js";

/** Longest object. */
export const OBJECT_BYTES_MAX = 4 * 1024 * 1024 * 1024;
/** Files looked at before others have their turn. */
const COUNTED_AT_ONCE = 200;

export interface ObjectStoreOptions {
  /** Its own, and nobody else's. */
  readonly directory: string;
  readonly bytesMax: number;
  /** The disk keeps so much free. */
  readonly freeBytesMin: number;
  readonly clock: Clock;
}

/** An object that is read. */
export interface OpenObject {
  readonly fd: number;
  readonly bytes: number;
}

export interface StoredPage<T> {
  readonly found: readonly T[];
  readonly isMore: boolean;
}

/**
 * The objects of one recorder, each a file below one folder, in names that people can read. What is there is whole and on the disk; what
 * is arriving lies in a folder of its own. Its calls wait for the disk: it belongs on a thread of its own.
 */
export class ObjectStore {
  readonly room: StoreRoom;
  readonly uploads: StoreUploads;
  readonly #objects: string;
  readonly #incoming: string;
  readonly #clock: Clock;

  /** Throws the disk's error. */
  constructor({ directory, bytesMax, freeBytesMin, clock }: ObjectStoreOptions) {
    this.#objects = path.join(directory, "objects");
    this.#incoming = path.join(directory, "incoming");
    this.#clock = clock;
    // What was arriving when the power went is sent again.
    rmSync(this.#incoming, { recursive: true, force: true });
    for (const folder of [this.#objects, this.#incoming])
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    this.room = new StoreRoom(directory, { bytesMax, freeBytesMin });
    this.uploads = new StoreUploads({
      ...{ directory: path.join(directory, "uploads"), room: this.room, clock },
    });
  }

  /** Counts what is there, in turns; objects that come or go meanwhile may be counted wrongly until the next start. */
  async count(mayGoOn: () => boolean): Promise<void> {
    let seen = 0;
    for (const { file } of objectsIn(this.#objects, "", "")) {
      this.room.count(blocksOf(bytesOfFile(file) ?? 0));
      seen += 1;
      if (seen % COUNTED_AT_ONCE > 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      if (!mayGoOn()) return;
    }
  }

  incoming(): IncomingObject {
    return new IncomingObject(path.join(this.#incoming, randomBytes(16).toString("hex")), this.#clock);
  }

  /**
   * The parts of an upload as one object that has arrived. Throws StoreError where one is missing or another, or there is no room: parts and
   * object lie on the disk at once.
   */
  async join(uploadId: string, key: string, named: readonly NamedPart[]): Promise<IncomingObject> {
    const { parts, bytes } = this.uploads.partsNamed(uploadId, named);
    if (bytes > OBJECT_BYTES_MAX) throw new StoreError(400, "EntityTooLarge", "the object would be too long");
    const room = this.room.take(bytes, bytes + (this.bytesOf(key) ?? 0));
    const object = this.incoming();
    try {
      for (const { file } of parts) await copyInto(object, file);
      return object;
    } catch (error) {
      object.discard();
      throw error;
    } finally {
      room.free();
    }
  }

  /** Length of an object; undefined: there is none. Throws StoreError for a key that cannot be. */
  bytesOf(key: string): number | undefined {
    return bytesOfFile(this.#fileOf(key));
  }

  /** Makes what has arrived the object of a key. Throws StoreError where the key is a folder's. */
  settle(key: string, object: IncomingObject, bytes: number): void {
    const file = this.#fileOf(key);
    const before = bytesOfFile(file);
    try {
      object.settle(file);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      if (code === "EISDIR" || code === "ENOTDIR" || code === "EEXIST")
        throw new StoreError(409, "InvalidRequest", "a name cannot be an object and a folder of others");
      throw error;
    }
    this.room.count(blocksOf(bytes) - blocksOf(before ?? 0));
  }

  /** The caller closes it. Throws StoreError without one. */
  open(key: string): OpenObject {
    const file = this.#fileOf(key);
    try {
      const fd = openPlainSync(file, constants.O_RDONLY);
      return { fd, bytes: fstatSync(fd).size };
    } catch (error) {
      if (isMissing(error) || bytesOfFile(file) === undefined) throw noSuchKey();
      throw error;
    }
  }

  /** None is no error. */
  remove(key: string): void {
    const file = this.#fileOf(key);
    const bytes = bytesOfFile(file);
    if (bytes === undefined) return;
    unlinkSync(file);
    this.room.count(-blocksOf(bytes));
    this.#tidy(path.dirname(file));
  }

  /** Objects by their keys, at most `max`. */
  list(prefix: string, after: string, max: number): StoredPage<{ key: string; bytes: number }> {
    const found: { key: string; bytes: number }[] = [];
    for (const { key, file } of objectsIn(this.#objects, prefix, after)) {
      if (found.length === max) return { found, isMore: true };
      found.push({ key, bytes: bytesOfFile(file) ?? 0 });
    }
    return { found, isMore: false };
  }

  folders(prefix: string, after: string, max: number): StoredPage<string> {
    const all = foldersIn(this.#objects, prefix, after);
    return { found: all.slice(0, max), isMore: all.length > max };
  }

  /** Removes folders in which nothing is left. */
  #tidy(folder: string): void {
    let at = folder;
    while (at.length > this.#objects.length && readdirSync(at).length === 0) {
      rmdirSync(at);
      at = path.dirname(at);
    }
    syncFolder(at);
  }

  #fileOf(key: string): string {
    const at = pathOfKey(key);
    if (at === undefined) throw new StoreError(400, "KeyTooLongError", "an object cannot have this key");
    return path.join(this.#objects, at);
  }
}

/** Undefined: it is no object. */
function bytesOfFile(file: string): number | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
