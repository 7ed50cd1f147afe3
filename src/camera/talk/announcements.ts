import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  parseGuid,
  readPlain,
  replaceSmallFile,
  Semaphore,
} from "../../base/index.js";
import { ANNOUNCEMENT_NAME_LENGTH_MAX } from "../../contract/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { Codec } from "../../picture/index.js";
import { SOUND_FILE_BYTES_MAX, VOICE_RATE } from "./sound-bounds.js";
import type { Speech } from "./speech.js";
import type { Talk, TalkRequest } from "./talk-control.js";

/** Announcements that are kept: each has up to 120 s of 8000 bytes. */
export const ANNOUNCEMENTS_MAX = 32;
const FOLDER = "announcements";
/** A list that could not be read, for people. */
const DAMAGED_FILE = "list.json.damaged";
/** Files that are decoded at the same time, and that wait for it. */
const DECODED_AT_ONCE = 1;
const DECODING_WAITING_MAX = 4;
/** What is handed to a speech at once. */
const PIECE_BYTES = VOICE_RATE / 2;

const guid = v.pipe(
  v.string(),
  v.transform((text) => parseGuid(text)),
  v.custom<Guid>((id) => id !== undefined),
);
const listSchema = v.object({
  announcements: v.pipe(
    v.array(
      v.object({
        id: guid,
        name: v.pipe(v.string(), v.maxLength(ANNOUNCEMENT_NAME_LENGTH_MAX)),
        seconds: v.number(),
      }),
    ),
    v.maxLength(ANNOUNCEMENTS_MAX),
  ),
});

/** In their folder. */
export const ANNOUNCEMENTS_KIND = keptKind({
  name: "list.json",
  folder: "announcements/",
  says: "the announcements, whose sounds lie beside it",
  policy: "refuse",
  damaged: "the list of announcements cannot be read",
  versionMember: "format",
  schema: listSchema,
});

/** Sound that is kept to be played at cameras. */
export interface Announcement {
  readonly id: Guid;
  readonly name: string;
  readonly seconds: number;
}

export interface PlayRequest extends Pick<TalkRequest, "channelId" | "by" | "signal"> {
  readonly announcementId: Guid;
}

/** A file that is being played. */
export interface Playing {
  readonly announcement: Announcement;
  readonly speech: Speech;
}

interface AnnouncementsOptions {
  readonly dataDir: string;
  readonly talk: Talk;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly log: Log;
}

/** Announcements: received, decoded once, kept in the data directory, played at cameras. */
export class Announcements {
  readonly #options: AnnouncementsOptions;
  readonly #folder: string;
  readonly #file: KeptFile<typeof listSchema>;
  readonly #decoding = new Semaphore({ atOnce: DECODED_AT_ONCE, waitingMax: DECODING_WAITING_MAX });
  readonly #writing = new Semaphore({ atOnce: 1, waitingMax: ANNOUNCEMENTS_MAX });
  #known: readonly Announcement[] | undefined;
  /** Those that are being removed: they are not listed any more. */
  readonly #leaving = new Set<Guid>();

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
    this.#folder = path.join(options.dataDir, FOLDER);
    this.#file = new KeptFile(ANNOUNCEMENTS_KIND, { directory: this.#folder, log: options.log });
  }

  list(): readonly Announcement[] {
    return this.#kept.filter(({ id }) => !this.#leaving.has(id));
  }

  get #kept(): readonly Announcement[] {
    this.#known ??= this.#file.read()?.announcements ?? [];
    return this.#known;
  }

  /** Throws NvrdError NOT_FOUND. */
  get(id: Guid): Announcement {
    const announcement = this.list().find((one) => one.id === id);
    if (announcement !== undefined) return announcement;
    throw new NvrdError("NOT_FOUND", "there is no such announcement", { hint: "see GET /api/announcements" });
  }

  /** The sound of a file as µ-law; see `soundOfFile`. Rejects with TOO_LARGE, and TOO_MANY_REQUESTS. */
  async decode(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
    return await this.#decoding.run(async () => {
      const received: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > SOUND_FILE_BYTES_MAX)
          throw new NvrdError("TOO_LARGE", `the file is larger than ${SOUND_FILE_BYTES_MAX} bytes`);
        received.push(chunk);
      }
      // Loaded when the first file comes.
      const { soundOfFile } = await import("./sound-file.js");
      return await soundOfFile(Buffer.concat(received), this.#options.codec);
    });
  }

  /** Keeps the sound of a file. Rejects as `decode` does, with BAD_REQUEST for the name, and CONFLICT when there are too many. */
  async add(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Announcement> {
    if (name === "" || name.length > ANNOUNCEMENT_NAME_LENGTH_MAX || /\p{Cc}/u.test(name))
      throw new NvrdError("BAD_REQUEST", `name has 1 to ${ANNOUNCEMENT_NAME_LENGTH_MAX} characters`);
    this.#requireRoom();
    const sound = await this.decode(chunks);
    return await this.#writing.run(async () => {
      this.#requireRoom();
      const announcement = { id: newGuid(), name, seconds: sound.length / VOICE_RATE };
      await this.#keep(announcement, sound);
      return announcement;
    });
  }

  /** The sound first, so that the list names nothing that is not there; without the list, the sound is not kept either. */
  async #keep(announcement: Announcement, sound: Buffer): Promise<void> {
    const file = this.#soundFile(announcement.id);
    const before = this.#kept;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o750 });
      await this.#removeStrays(before);
      await replaceSmallFile(file, sound);
      await this.#write([...before, announcement]);
    } catch (error) {
      await rm(file, { force: true }).catch(() => undefined);
      throw new NvrdError("NOT_AVAILABLE", `the announcement cannot be kept: ${errorText(error)}`, {
        cause: error,
        hint: "see that the disk of the data directory has room and is well",
      });
    }
  }

  /** What a power cut left: sounds that no list names. Where a list could not be read, all are left as they are. */
  async #removeStrays(known: readonly Announcement[]): Promise<void> {
    const names = await readdir(this.#folder);
    if (this.#file.lack !== undefined || names.includes(DAMAGED_FILE)) return;
    const own = new Set(known.map(({ id }) => `${id}.ulaw`));
    for (const name of names)
      if (/\.ulaw(?:\.new)?$/.test(name) && !own.has(name))
        await rm(path.join(this.#folder, name), { force: true });
  }

  /**
   * From the call on it is in no list; where `requireUnused` rejects, or the disk refuses, it is there again. Rejects with NvrdError
   * NOT_FOUND, and with what `requireUnused` rejects with.
   */
  async remove(id: Guid, requireUnused: () => Promise<void> = async () => undefined): Promise<void> {
    this.get(id);
    this.#leaving.add(id);
    try {
      await requireUnused();
      await this.#writing.run(async () => {
        await this.#write(this.#kept.filter((one) => one.id !== id));
        await rm(this.#soundFile(id), { force: true });
      });
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** Resolves when the camera listens; the rest is played by itself. Rejects as `Talk.speak` does, and with NOT_FOUND. */
  async play({ announcementId, ...request }: PlayRequest): Promise<Playing> {
    const announcement = this.get(announcementId);
    const sound = await this.#sound(announcement);
    const { talk, log } = this.#options;
    const speech = await talk.speak({
      ...request,
      format: { kind: "g711", law: "mu" },
      subject: announcement.name,
    });
    speakAll(speech, sound).catch((error: unknown) => {
      log.error({ err: error }, "an announcement failed");
      speech.end(new NvrdError("INTERNAL", errorText(error)));
    });
    return { announcement, speech };
  }

  async #sound({ id, name }: Announcement): Promise<Buffer> {
    try {
      return await readPlain(this.#soundFile(id), SOUND_FILE_BYTES_MAX);
    } catch (error) {
      throw new NvrdError("NOT_AVAILABLE", `the announcement ${name} cannot be read: ${errorText(error)}`, {
        cause: error,
        hint: "upload it again",
      });
    }
  }

  #requireRoom(): void {
    if (this.#kept.length < ANNOUNCEMENTS_MAX) return;
    throw new NvrdError("CONFLICT", `${ANNOUNCEMENTS_MAX} announcements are kept already`, {
      hint: "delete one first",
    });
  }

  /** A list that could not be read stays beside the one that the next announcement begins. */
  async #write(announcements: readonly Announcement[]): Promise<void> {
    await this.#file.replace({ announcements });
    this.#known = announcements;
  }

  #soundFile(id: Guid): string {
    return path.join(this.#folder, `${id}.ulaw`);
  }
}

/** Hands all of a sound to a speech as it has room for it. */
export async function speakAll(speech: Speech, sound: Buffer): Promise<void> {
  for (let at = 0; at < sound.length && !speech.isOver; at += PIECE_BYTES)
    await speech.write(sound.subarray(at, at + PIECE_BYTES));
  speech.finish();
}
