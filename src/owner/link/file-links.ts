import { createHash, createHmac, randomBytes } from "node:crypto";
import path from "node:path";
import * as v from "valibot";
import { hashPassword, hasRight, md5OfPassword, type Principal, SitePrincipals } from "../../access/index.js";
import {
  type Clock,
  type ClockTimer,
  type Guid,
  type Log,
  NvrdError,
  newGuid,
  US_PER_DAY,
  US_PER_HOUR,
} from "../../base/index.js";
import { KeptFile, keptGuid, keptKind } from "../../kept/index.js";
import { LOCKED_SECRET, type SiteStore } from "../../site/index.js";
import { KEPT_DAYS, maySeeFile, type SavedFile, type SavedFiles } from "../file/index.js";

/** Links of all users, of one, and to one file. */
export const LINKS_MAX = 256;
export const LINKS_PER_USER_MAX = 32;
export const LINKS_PER_FILE_MAX = 8;
/** 128 bits, in hexadecimal: paths are compared in lower case. */
const TOKEN_BYTES = 16;
const TOKEN_FORM = /^[0-9a-f]{32}$/;
const LOOK_MS = 3_600_000;
const FOLDER = "files";
const TEXT_LENGTH_MAX = 256;

const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const listSchema = v.object({
  links: v.pipe(
    v.array(
      v.object({
        ...{ id: keptGuid, fileId: keptGuid, makerId: keptGuid, makerName: text },
        /** SHA-256 of the token, in hexadecimal. */
        hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
        /** As passwords of users are stored; null: none is asked for. */
        secret: v.nullable(text),
        ...{ createdUs: whole, untilUs: whole, openings: whole, openedUs: v.nullable(whole) },
      }),
    ),
    v.maxLength(LINKS_MAX),
  ),
});

/** Beside the files. */
export const FILE_LINKS_KIND = keptKind({
  name: "links.json",
  folder: `${FOLDER}/`,
  says: "the links to these files for people without a login: hashes, no link itself",
  policy: "forget",
  damaged: "damaged: links to files of recordings open nothing any more; they can be made again",
  severity: "warn",
  folderMode: 0o750,
  schema: listSchema,
});

/** A link to a file, for whoever has it. */
export type FileLink = v.InferOutput<typeof listSchema>["links"][number];

export interface FileLinksOptions {
  readonly dataDir: string;
  readonly site: Pick<SiteStore, "current">;
  readonly files: Pick<SavedFiles, "list">;
  readonly clock: Clock;
  readonly log: Log;
}

interface LinkToMake {
  readonly file: SavedFile;
  readonly maker: Principal;
  readonly hours: number;
  /** Empty: none. */
  readonly password: string;
}

/**
 * The links to files of recordings. A link opens its file while links are allowed, until its end, while the file is there and as
 * long as who made it may still export the channel.
 */
export class FileLinks {
  readonly #options: FileLinksOptions;
  readonly #kept: KeptFile<typeof listSchema>;
  /** Of this run: who has typed a password types it again after a restart. */
  readonly #passKey = randomBytes(32);
  #links: readonly FileLink[] | undefined;
  #principals: SitePrincipals | undefined;
  #timer: ClockTimer | undefined;

  constructor(options: FileLinksOptions) {
    this.#options = options;
    const directory = path.join(options.dataDir, FOLDER);
    this.#kept = new KeptFile(FILE_LINKS_KIND, { directory, log: options.log });
  }

  /** Forgets what has ended, now and each hour. */
  async start(): Promise<void> {
    this.#timer = this.#options.clock.setInterval(() => void this.#forgetEnded(), LOOK_MS);
    await this.#forgetEnded();
  }

  stop(): void {
    this.#timer?.clear();
  }

  /** Whether the administrator lets links be made and opened. */
  get areAllowed(): boolean {
    return this.#options.site.current.fileLinksEnabled === true;
  }

  /** Those that have not ended, the newest first. */
  list(): readonly FileLink[] {
    return this.#all().filter((link) => this.#fileOf(link) !== undefined);
  }

  /**
   * A new link, and its token, which is not shown again. Rejects with NvrdError FORBIDDEN where links are not allowed or the maker
   * is no user of the configuration, TOO_MANY_REQUESTS where there are as many as may be.
   */
  async make({ file, maker, hours, password }: LinkToMake): Promise<readonly [FileLink, string]> {
    this.#requireMaker(maker);
    this.#requireRoom(file, maker);
    const secret = password === "" ? null : await hashPassword(md5OfPassword(password));
    const token = randomBytes(TOKEN_BYTES).toString("hex");
    const createdUs = this.#options.clock.nowUs();
    const link: FileLink = {
      ...{ id: newGuid(), fileId: file.id, makerId: maker.user.id, makerName: maker.user.name },
      ...{ hash: hashOf(token), secret, createdUs, openings: 0, openedUs: null },
      untilUs: Math.min(createdUs + hours * US_PER_HOUR, file.createdUs + KEPT_DAYS * US_PER_DAY),
    };
    // The derivation took its time.
    this.#requireRoom(file, maker);
    await this.#write([link, ...this.list()]);
    return [link, token];
  }

  /** It opens nothing any more, though the disk may not take that. */
  async revoke(id: Guid): Promise<void> {
    await this.#write(this.list().filter((link) => link.id !== id));
  }

  /** The link with this token, and its file; undefined where it opens nothing. */
  find(token: string): { readonly link: FileLink; readonly file: SavedFile } | undefined {
    if (!this.areAllowed || !TOKEN_FORM.test(token)) return undefined;
    const hash = hashOf(token);
    const link = this.#all().find((one) => one.hash === hash);
    const file = link === undefined ? undefined : this.fileFor(link);
    return link === undefined || file === undefined ? undefined : { link, file };
  }

  /** What the link opens now. */
  fileFor(link: FileLink): SavedFile | undefined {
    if (!this.areAllowed || !this.#all().some(({ id }) => id === link.id)) return undefined;
    const file = this.#fileOf(link);
    const maker = this.#makerOf(link);
    if (file === undefined || maker === undefined) return undefined;
    return hasRight(maker, "CanUseArchiveExport") && maySeeFile(maker, file) ? file : undefined;
  }

  /** What a browser keeps of the right password. */
  passFor({ id, secret }: FileLink): string {
    return createHmac("sha256", this.#passKey).update(`${id} ${secret}`).digest("base64url");
  }

  /** Somebody has opened it. */
  async opened(link: FileLink): Promise<void> {
    const openedUs = this.#options.clock.nowUs();
    await this.#write(
      this.list().map((one) => (one.id === link.id ? { ...one, openings: one.openings + 1, openedUs } : one)),
    );
  }

  #requireMaker({ user }: Principal): void {
    if (!this.areAllowed)
      throw new NvrdError("FORBIDDEN", "links to files are switched off", {
        hint: "an administrator allows them: FileLinksEnabled of /configure/server",
      });
    if (this.#options.site.current.users.some(({ id }) => id === user.id)) return;
    throw new NvrdError("FORBIDDEN", "only users of the recorder itself make links to files", {
      hint: "the rights of users of a directory or a hub are not known while they are away",
    });
  }

  #requireRoom(file: SavedFile, { user }: Principal): void {
    const links = this.list();
    const toFile = links.filter(({ fileId }) => fileId === file.id).length;
    const own = links.filter(({ makerId }) => makerId === user.id).length;
    if (toFile < LINKS_PER_FILE_MAX && own < LINKS_PER_USER_MAX && links.length < LINKS_MAX) return;
    throw new NvrdError("TOO_MANY_REQUESTS", "there are as many links as may be", {
      hint: "take one back that is not needed: GET /api/links lists them",
    });
  }

  #all(): readonly FileLink[] {
    this.#links ??= this.#kept.read()?.links ?? [];
    return this.#links;
  }

  /** Undefined: the link has ended, or the file is gone. */
  #fileOf({ fileId, untilUs }: FileLink): SavedFile | undefined {
    if (untilUs <= this.#options.clock.nowUs()) return undefined;
    return this.#options.files.list().find(({ id }) => id === fileId);
  }

  #makerOf({ makerId }: FileLink): Principal | undefined {
    const { current } = this.#options.site;
    if (this.#principals?.site !== current) this.#principals = new SitePrincipals(current);
    const user = this.#principals.userById(makerId);
    return user === undefined || user.secret === LOCKED_SECRET ? undefined : this.#principals.principal(user);
  }

  /** Never rejects: what cannot be forgotten has ended all the same. */
  async #forgetEnded(): Promise<void> {
    const left = this.list();
    if (left.length === this.#all().length) return;
    try {
      await this.#write(left);
    } catch (error) {
      this.#options.log.warn({ err: error }, "links to files that have ended cannot be removed");
    }
  }

  async #write(links: readonly FileLink[]): Promise<void> {
    this.#links = links;
    await this.#kept.replace({ links: [...links] });
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
