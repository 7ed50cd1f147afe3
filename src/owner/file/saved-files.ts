import { constants } from "node:fs";
import { mkdir, readdir, rm, statfs } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import type { ArchiveAccess, RecordedAccess } from "../../archive/index.js";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  openPlain,
  STREAM_TYPES,
  US_PER_DAY,
} from "../../base/index.js";
import type { ExportNeeds } from "../../compat/index.js";
import { FILE_CHANNELS_MAX, FILE_SPEED_MAX } from "../../contract/index.js";
import type { ByteRange } from "../../http/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";
import type { Codec } from "../../picture/index.js";
import type { MadeMovie } from "./movie-making.js";
import type { MediaSink } from "./movie-writer.js";
import { SavedFileSink } from "./saved-file-sink.js";
import type { TextDrawing } from "./time-stamp.js";

/** What converts for files. */
export type FileCodec = Pick<
  Codec,
  "prepare" | "openVideoDecoder" | "openVideoEncoder" | "openSoundTranscoder"
>;

/** What the routes of this topic work with. */
export interface FileNeeds extends ExportNeeds {
  readonly archive: ArchiveAccess & Pick<RecordedAccess, "openRecorded">;
  readonly files: SavedFiles;
  readonly fileCodec: FileCodec;
  /** Draws what is written into the pictures of files. */
  readonly texts: TextDrawing;
}

/** Files of all users, and of one. */
const FILES_MAX = 128;
export const FILES_PER_USER_MAX = 32;
/** A file is kept for so long; its owner sees when it ends. */
export const KEPT_DAYS = 7;
const LOOK_MS = 3_600_000;
const FOLDER = "files";
/** What stays free on the disk of the data directory: this, or a quarter of a small disk. */
const FREE_BYTES = 1024 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const TEXT_LENGTH_MAX = 256;

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Of a channel whose recordings are in a file. */
const part = { channelId: keptGuid, channelName: text, streamTypes: v.array(v.picklist(STREAM_TYPES)) };
const listSchema = v.object({
  files: v.pipe(
    v.array(
      v.object({
        ...{ id: keptGuid, ownerId: keptGuid, ownerName: text, ...part, sound: v.boolean(), name: text },
        // What older files lack: the channels beside the first, and the speed.
        others: v.optional(v.pipe(v.array(v.object(part)), v.maxLength(FILE_CHANNELS_MAX - 1)), []),
        speed: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(FILE_SPEED_MAX)), 1),
        ...{ fromUs: whole, toUs: whole, createdUs: whole, headBytes: whole, mediaBytes: whole },
      }),
    ),
    v.maxLength(FILES_MAX),
  ),
});

/** In their folder. */
export const SAVED_FILES_KIND = keptKind({
  name: "list.json",
  folder: "files/",
  says: "the files of recordings that users had made, which lie beside it",
  policy: "forget",
  damaged: "damaged: files that users had made of recordings are lost; they can be made again",
  severity: "warn",
  folderMode: 0o750,
  schema: listSchema,
});

/** A file of recordings that lies on the recorder. */
export type SavedFile = v.InferOutput<typeof listSchema>["files"][number];
/** A channel whose recordings are in it. */
export type SavedPart = Pick<SavedFile, "channelId" | "channelName" | "streamTypes">;

/** All of them. */
export function partsOf({ channelId, channelName, streamTypes, others }: SavedFile): readonly SavedPart[] {
  return [{ channelId, channelName, streamTypes }, ...others];
}

/** What is known of it before it is made. */
export type FileToSave = Omit<SavedFile, "id" | "createdUs" | "headBytes" | "mediaBytes">;

export interface SavedFilesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes that files may take beside what is there; default: what the disk has, without what stays free. */
  readonly roomBytes?: (directory: string) => Promise<number>;
}

/** Files of recordings, made once, fetched as often as wanted, each for some days. */
export class SavedFiles {
  readonly #options: SavedFilesOptions;
  readonly #folder: string;
  readonly #kept: KeptFile<typeof listSchema>;
  #files: readonly SavedFile[] | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: SavedFilesOptions) {
    this.#options = options;
    this.#folder = path.join(options.dataDir, FOLDER);
    this.#kept = new KeptFile(SAVED_FILES_KIND, { directory: this.#folder, log: options.log });
  }

  /** Removes what is too old, and what a power cut left. */
  async start(): Promise<void> {
    this.#timer = this.#options.clock.setInterval(() => void this.#removeOld(), LOOK_MS);
    await this.#removeOld();
    await this.#removeStrays();
  }

  stop(): void {
    this.#timer?.clear();
  }

  /** The newest first. */
  list(): readonly SavedFile[] {
    this.#files ??= this.#kept.read()?.files ?? [];
    return this.#files;
  }

  /** Throws NvrdError NOT_FOUND. */
  get(id: Guid): SavedFile {
    const file = this.list().find((one) => one.id === id);
    if (file !== undefined) return file;
    throw new NvrdError("NOT_FOUND", "there is no such file", { hint: "see GET /api/files" });
  }

  /** Throws NvrdError TOO_MANY_REQUESTS if the user, or all users, have as many as they may. */
  requireRoom(ownerId: Guid): void {
    const own = this.list().filter((file) => file.ownerId === ownerId).length;
    if (own < FILES_PER_USER_MAX && this.list().length < FILES_MAX) return;
    throw new NvrdError("TOO_MANY_REQUESTS", `${own} files of yours are kept already`, {
      hint: "delete one that is not needed: GET /api/files lists them",
    });
  }

  /**
   * Keeps what `make` writes. Rejects as `make` does, and with NOT_AVAILABLE when the disk has no room or fails; then nothing of it is
   * left.
   */
  async add(about: FileToSave, make: (sink: MediaSink & FileRoom) => Promise<MadeMovie>): Promise<SavedFile> {
    this.requireRoom(about.ownerId);
    await mkdir(this.#folder, { recursive: true, mode: 0o750 });
    const id = newGuid();
    const sink = new SavedFileSink(this.#path(id, "media"), () => this.roomBytes());
    try {
      const { head, mediaBytes } = await make(sink);
      await sink.end();
      await SavedFileSink.writeWhole(this.#path(id, "head"), head);
      const createdUs = this.#options.clock.nowUs();
      const file = { ...about, id, createdUs, headBytes: head.length, mediaBytes };
      await this.#write([file, ...this.list()]);
      return file;
    } catch (error) {
      await sink.abandon();
      await this.#removeBytes(id);
      throw error;
    }
  }

  /** Rejects with NvrdError NOT_FOUND. */
  async remove(id: Guid): Promise<void> {
    this.get(id);
    await this.#write(this.list().filter((file) => file.id !== id));
    await this.#removeBytes(id);
  }

  /** The bytes of a range, in pieces that are valid until the next ones. Rejects with the disk's error. */
  async *read(file: SavedFile, { from, to }: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    const { id, headBytes } = file;
    yield* this.#readPart(this.#path(id, "head"), { from, to: Math.min(to, headBytes) });
    yield* this.#readPart(this.#path(id, "media"), {
      from: Math.max(0, from - headBytes),
      to: to - headBytes,
    });
  }

  /** Bytes that another file may have; below 0: there is too little already. */
  async roomBytes(): Promise<number> {
    const { roomBytes = roomOf } = this.#options;
    return await roomBytes(this.#folder);
  }

  async *#readPart(file: string, { from, to }: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    if (from >= to) return;
    const handle = await openPlain(file, constants.O_RDONLY);
    try {
      const memory = Buffer.allocUnsafe(Math.min(READ_BYTES, to - from));
      for (let at = from; at < to; ) {
        const { bytesRead } = await handle.read(memory, 0, Math.min(memory.length, to - at), at);
        if (bytesRead === 0) throw new NvrdError("NOT_AVAILABLE", "the file is shorter than it was");
        yield [memory.subarray(0, bytesRead)];
        at += bytesRead;
      }
    } finally {
      await handle.close();
    }
  }

  async #removeOld(): Promise<void> {
    const beforeUs = this.#options.clock.nowUs() - KEPT_DAYS * US_PER_DAY;
    await this.#tryRemoving(async () => {
      for (const { id, createdUs } of this.list()) if (createdUs < beforeUs) await this.remove(id);
    });
  }

  async #removeStrays(): Promise<void> {
    const own = new Set(this.list().map(({ id }) => id));
    const isStray = (name: string): boolean =>
      /\.(?:head|media)$/.test(name) && !own.has(path.parse(name).name);
    await this.#tryRemoving(async () => {
      for (const name of await namesIn(this.#folder))
        if (isStray(name)) await rm(path.join(this.#folder, name), { force: true });
    });
  }

  /** Never rejects: what cannot be removed stays. */
  async #tryRemoving(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log.warn({ err: error }, "old files of recordings cannot be removed");
    }
  }

  /** Where the list cannot be written, it is what it was. */
  async #write(files: readonly SavedFile[]): Promise<void> {
    const before = this.#files;
    this.#files = files;
    try {
      await this.#kept.replace({ files });
    } catch (error) {
      if (this.#files === files) this.#files = before;
      throw error;
    }
  }

  async #removeBytes(id: Guid): Promise<void> {
    for (const part of ["head", "media"] as const) await rm(this.#path(id, part), { force: true });
  }

  #path(id: Guid, part: "head" | "media"): string {
    return path.join(this.#folder, `${id}.${part}`);
  }
}

/** None where there is no such folder. Rejects with the system's error. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Says whether so much fits. */
export interface FileRoom {
  /** Rejects with NvrdError NOT_AVAILABLE if it does not. */
  requireRoom(bytes: number): Promise<void>;
}

async function roomOf(directory: string): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o750 });
  const { bavail, blocks, bsize } = await statfs(directory);
  return bavail * bsize - Math.min(FREE_BYTES, (blocks * bsize) / 4);
}
