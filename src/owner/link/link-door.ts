import { timingSafeEqual } from "node:crypto";
import { addressKey, FailureTable, matchesSecret, md5OfPassword } from "../../access/index.js";
import { type Clock, type ClockTimer, errorText, type Log, NvrdError, Semaphore } from "../../base/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import type { FileNeeds, SavedFile } from "../file/index.js";
import type { FileLink, FileLinks } from "./file-links.js";

/** What the routes of this topic work with. */
export interface LinkNeeds extends FileNeeds {
  readonly fileLinks: FileLinks;
  readonly linkDoor: LinkDoor;
  readonly events: Pick<EventLog, "raise">;
}

/** Wrong passwords of one address at one link, and of all addresses at it. */
const ADDRESS_LIMITS = {
  freeFailures: 5,
  firstWaitMs: 1000,
  longestWaitMs: 300_000,
  forgetAfterMs: 900_000,
  entriesMax: 4096,
};
const LINK_LIMITS = { ...ADDRESS_LIMITS, freeFailures: 30, longestWaitMs: 60_000, entriesMax: 256 };
/** An address counts as one opening for so long. */
const OPENING_LIMITS = { ...ADDRESS_LIMITS, forgetAfterMs: 3_600_000 };
/** Answers under way at once: of one link, and of all; each holds a megabyte. */
const SENDING_PER_LINK_MAX = 6;
const SENDING_MAX = 16;
const SENDING_RETRY_MS = 5000;
/** Passwords that are checked at once: each takes 16 MiB and a thread. */
const CHECKS = { atOnce: 1, waitingMax: 8 };
const LOOK_MS = 60_000;

export interface LinkDoorOptions {
  readonly links: FileLinks;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Sending {
  readonly link: FileLink;
  end(): void;
}

/** What people without a login may ask of links: passwords, openings, answers under way; all of it bounded and reported. */
export class LinkDoor {
  readonly #options: LinkDoorOptions;
  readonly #ofAddress: FailureTable;
  readonly #ofLink: FailureTable;
  readonly #openings: FailureTable;
  readonly #checks = new Semaphore(CHECKS);
  readonly #sending = new Set<Sending>();
  #timer: ClockTimer | undefined;

  constructor(options: LinkDoorOptions) {
    const { clock } = options;
    this.#options = options;
    this.#ofAddress = new FailureTable({ clock, limits: ADDRESS_LIMITS });
    this.#ofLink = new FailureTable({ clock, limits: LINK_LIMITS });
    this.#openings = new FailureTable({ clock, limits: OPENING_LIMITS });
  }

  stop(): void {
    this.#timer?.clear();
    for (const { end } of [...this.#sending]) end();
  }

  /** Whether a browser has shown the password before. */
  hasPass(link: FileLink, pass: string | undefined): boolean {
    if (link.secret === null) return true;
    const right = Buffer.from(this.#options.links.passFor(link));
    const given = Buffer.from(pass ?? "");
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Whether it is the password. Rejects with NvrdError TOO_MANY_REQUESTS after wrong ones. */
  async isPassword(link: FileLink, password: string, address: string): Promise<boolean> {
    const key = `${link.id} ${addressKey(address)}`;
    const waitMs = (): number => Math.max(this.#ofAddress.waitMs(key), this.#ofLink.waitMs(link.id));
    return await this.#checks.run(async () => {
      if (waitMs() > 0)
        throw new NvrdError("TOO_MANY_REQUESTS", "too many wrong passwords", { retryAfterMs: waitMs() });
      if (await matchesSecret(md5OfPassword(password), link.secret)) return true;
      this.#ofAddress.add(key);
      this.#ofLink.add(link.id);
      this.#report("fileLinkRefused", link, address);
      return false;
    });
  }

  /** The file is shown to somebody, or fetched: reported once an hour for an address. */
  opened(link: FileLink, address: string): void {
    const key = `${link.id} ${addressKey(address)}`;
    const isKnown = this.#openings.has(key);
    if (isKnown) return;
    this.#openings.add(key);
    this.#report("fileLinkOpened", link, address);
    this.#options.links.opened(link).catch((error: unknown) => {
      this.#options.log.warn({ reason: errorText(error) }, "an opened link to a file was not counted");
    });
  }

  /** An answer begins; `end` is called when the link opens nothing any more. Throws NvrdError TOO_MANY_REQUESTS. */
  begin(link: FileLink, end: () => void): () => void {
    const ofLink = [...this.#sending].filter((one) => one.link.id === link.id).length;
    if (ofLink >= SENDING_PER_LINK_MAX || this.#sending.size >= SENDING_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", "too many people fetch this at once", {
        retryAfterMs: SENDING_RETRY_MS,
      });
    const sending = { link, end };
    this.#sending.add(sending);
    this.#timer ??= this.#options.clock.setInterval(() => this.recheck(), LOOK_MS);
    return () => {
      this.#sending.delete(sending);
      if (this.#sending.size > 0) return;
      this.#timer?.clear();
      this.#timer = undefined;
    };
  }

  /** A link was taken back, or the configuration is another one. */
  recheck(): void {
    const { links } = this.#options;
    for (const { link, end } of [...this.#sending]) if (links.fileFor(link) === undefined) end();
  }

  #report(act: "fileLinkOpened" | "fileLinkRefused", link: FileLink, address: string): void {
    const file = this.#options.links.fileFor(link);
    if (file === undefined) return;
    this.#options.events.raise({
      ...aboutFile(file),
      typeId: EVENT_TYPES[act].id,
      comment: `${file.name}: ${address}`,
    });
  }
}

/** The members of an event of a file. */
export function aboutFile({ channelId, channelName }: SavedFile) {
  return { channelId, channelName };
}
