import { readdir } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  type Clock,
  errorText,
  type Guid,
  type Interval,
  type Log,
  STREAM_TYPES,
  US_PER_DAY,
  US_PER_MINUTE,
  US_PER_MS,
} from "../base/index.js";
import type { FoundDays } from "./found-days.js";
import { JournalWriter } from "./journal-writer.js";
import { DayJournal } from "./plan/day-journal.js";
import {
  type DayManifest,
  keyFramesIdOf,
  manifestFolder,
  manifestKey,
  manifestText,
  placeOfManifest,
  readManifest,
  revisionOf,
  segmentFolder,
  segmentKey,
} from "./plan/manifest.js";
import { dayBeginUs, formOf, isEnough, type SentEntry } from "./plan/sent-segment.js";
import type { Sender } from "./send/sender.js";
import type { SentDay } from "./send-queue.js";

/** Journals that are kept open, whatever is in them; a day of a channel takes some 500 KB. */
const OPEN_LEAST = 48;
/** More are, while all together have no more segments than this; others are read again. */
const ENTRIES_MAX = OPEN_LEAST * 1440;
const OPEN_MAX = 512;
/** Those used last stay open: somebody may be about to note something in them. */
const USED_LAST = 8;
/** What has been sent is named in a manifest within this time, */
const NAMED_AFTER_US = 5 * US_PER_MINUTE;
/** or when so many segments are not. */
const UNNAMED_MAX = 500;
/** Key frames that are removed without a pause, because whole segments are named instead. */
const CLEARED_A_TURN = 8;
/** Segments learnt from a manifest without a pause: others wait for some milliseconds. */
const LEARNT_A_TURN = 200;
const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;

/** What a manifest says beside its segments. */
export type DayFacts = Pick<DayManifest, "server" | "channel" | "gaps" | "events" | "gops">;

export interface DayBooksOptions {
  readonly directory: string;
  readonly sender: Pick<Sender, "run">;
  readonly factsOf: (channelId: Guid, span: Interval) => Promise<DayFacts>;
  /** What has to be in the bucket before a manifest is. */
  readonly beforeNaming: () => Promise<void>;
  readonly findings: Pick<FoundDays, "send" | "remove">;
  /** How long key frames stay once a manifest names the whole segment instead. */
  readonly replacedMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** A day of a channel. */
export interface DayOfChannel {
  readonly channelId: Guid;
  readonly day: string;
}

interface Book {
  readonly channelId: Guid;
  readonly day: string;
  readonly journal: DayJournal;
  /** Since when segments are not named, monotonic. */
  unnamedUs: number | undefined;
  /** The bucket was asked what it has of the day. */
  isCompared: boolean;
  /** More than one manifest lies in the bucket. */
  hasOlder: boolean;
  /** Since when all whole segments are named that take the place of key frames, monotonic. */
  replacedUs: number | undefined;
  /** The bucket was asked for key frames that an earlier run sent and did not note. */
  isSwept: boolean;
}

/** What lies in the bucket, day by day: in journals here, and in manifests there. */
export class DayBooks {
  readonly #options: DayBooksOptions;
  readonly #books = new Map<string, Promise<Book>>();
  /** Days that were swept since the start, where nothing is waited for. */
  readonly #swept = new Set<string>();
  readonly #writer: JournalWriter;

  constructor(options: DayBooksOptions) {
    this.#options = options;
    this.#writer = new JournalWriter(options);
  }

  /** What was noted is in the journals then. The sending thread has ended. */
  async stop(): Promise<void> {
    await this.#writer.stop();
  }

  async sentOf(channelId: Guid, day: string): Promise<SentDay> {
    const { journal } = await this.#open(channelId, day);
    return {
      has: (segmentId, form) => {
        const entry = journal.entries.get(segmentId);
        return entry !== undefined && isEnough(formOf(entry), form);
      },
      isNamed: !isUnfinished(journal),
    };
  }

  /** What lies in the bucket of a day, as far as journal and bucket know. Rejects with SendError. */
  async entriesOf(channelId: Guid, day: string): Promise<readonly SentEntry[]> {
    const { journal } = await this.#open(channelId, day);
    await this.compare(channelId, day);
    return [...journal.entries.values()];
  }

  /** Days of which something lies in the bucket, by its manifests and by what is not named yet. Rejects with SendError. */
  async days(): Promise<readonly DayOfChannel[]> {
    const listed = await this.#options.sender.run({ op: "list", start: "manifests/" });
    const days = new Map<string, DayOfChannel>();
    for (const { key } of listed) {
      const place = placeOfManifest(key);
      if (place !== undefined) days.set(`${place.channelId}/${place.day}`, place);
    }
    for (const { channelId, day } of await this.#days()) days.set(`${channelId}/${day}`, { channelId, day });
    return [...days.values()];
  }

  /** Days of journals, some of them twice: they are written some time after something was noted. */
  async #days(): Promise<readonly DayOfChannel[]> {
    return [...(await journalsIn(this.#options.directory)), ...[...this.#books.keys()].map(dayOfName)];
  }

  /** Days that a manifest named, as far as journals know, of which none of these manifests is. Rejects with SendError. */
  async unlisted(manifests: readonly string[]): Promise<readonly DayOfChannel[]> {
    const seen = new Set(
      manifests.flatMap((key) => {
        const place = placeOfManifest(key);
        return place === undefined ? [] : [`${place.channelId}/${place.day}`];
      }),
    );
    const unlisted: DayOfChannel[] = [];
    for (const { channelId, day } of await this.#days()) {
      if (seen.has(`${channelId}/${day}`)) continue;
      seen.add(`${channelId}/${day}`);
      const { journal } = await this.#open(channelId, day);
      if (journal.revision === 0 || journal.entries.size === 0) continue;
      // It may have been written since they were listed.
      if ((await this.#manifestsOf(channelId, day)).length === 0) unlisted.push({ channelId, day });
    }
    return unlisted;
  }

  /** What the journal has of a day, and whether each lies in the bucket, as long as it was sent. Rejects with SendError. */
  async lookThrough(
    channelId: Guid,
    day: string,
  ): Promise<readonly { readonly entry: SentEntry; readonly isThere: boolean }[]> {
    const { journal } = await this.#open(channelId, day);
    const bytesOf = new Map<string, number>();
    for (const stream of STREAM_TYPES) {
      const start = segmentFolder(channelId, stream, day);
      for (const { key, bytes } of await this.#options.sender.run({ op: "list", start }))
        bytesOf.set(key, bytes);
    }
    return [...journal.entries.values()].map((entry) => ({
      entry,
      isThere: bytesOf.get(segmentKey(channelId, entry)) === (entry.sealedBytes ?? entry.bytes),
    }));
  }

  /** The lock of an object, as `lockText` says it; undefined: not known. */
  async lockOf(channelId: Guid, day: string, segmentId: number): Promise<string | undefined> {
    return (await this.#open(channelId, day)).journal.lockOf(segmentId);
  }

  /** Whether rules of the bucket are known to leave an object. */
  async isKept(channelId: Guid, day: string, segmentId: number): Promise<boolean> {
    return (await this.#open(channelId, day)).journal.isKept(segmentId);
  }

  async noteKept(channelId: Guid, day: string, segmentId: number): Promise<void> {
    (await this.#open(channelId, day)).journal.kept(segmentId);
  }

  async noteLock(channelId: Guid, day: string, segmentId: number, lock: string): Promise<void> {
    (await this.#open(channelId, day)).journal.locked(segmentId, lock);
  }

  /**
   * The bucket says what it has of a day where the journal is new, was lost, or lost its end in a power cut: once for each
   * opening. Resolves with whether something was learnt. Rejects with SendError.
   */
  async compare(channelId: Guid, day: string): Promise<boolean> {
    const book = await this.#open(channelId, day);
    if (book.isCompared) return false;
    const { journal } = book;
    const keys = await this.#manifestsOf(channelId, day);
    const newest = revisionOf(keys.at(-1) ?? "") ?? 0;
    let learnt = false;
    if (newest > journal.revision) learnt = await this.#learn(book, keys);
    // A manifest that is gone is written anew.
    else if (newest < journal.revision) journal.named(journal.revision, false);
    if (journal.unnamed > 0) this.#noteChange(book);
    book.hasOlder = keys.length > 1;
    book.isCompared = true;
    return learnt;
  }

  /** From the newest manifest that can be read. */
  async #learn({ journal }: Book, keys: readonly string[]): Promise<boolean> {
    const before = journal.changes;
    let isAll = false;
    for (const key of [...keys].reverse()) {
      const content = await this.#options.sender.run({ op: "get", key, bytesMax: MANIFEST_BYTES_MAX });
      const segments = content === undefined ? undefined : this.#segmentsIn(key, content);
      if (segments === undefined) continue;
      for (const [at, entry] of segments.entries()) {
        if (at % LEARNT_A_TURN === LEARNT_A_TURN - 1) await setImmediate();
        const known = journal.entries.get(entry.segmentId);
        if (known === undefined || !isEnough(formOf(known), formOf(entry))) journal.sent(entry);
      }
      const isSame = (entry: SentEntry): boolean =>
        journal.entries.get(entry.segmentId)?.fragmentId === entry.fragmentId;
      isAll = segments.length === journal.entries.size && segments.every(isSame);
      break;
    }
    const learnt = journal.changes > before;
    journal.named(revisionOf(keys.at(-1) ?? "") ?? 0, isAll);
    return learnt;
  }

  /**
   * Journals of days that have no recordings here any more are removed once a manifest names what they say: the bucket knows the
   * rest.
   */
  async retain(isHere: (channelId: Guid, day: string) => boolean): Promise<void> {
    const { directory, log } = this.#options;
    for (const { channelId, day } of await journalsIn(directory)) {
      if (isHere(channelId, day)) continue;
      try {
        const { journal } = await this.#open(channelId, day);
        if (isUnfinished(journal)) continue;
        this.#books.delete(`${channelId}/${day}`);
        this.#swept.delete(`${channelId}/${day}`);
        await journal.remove();
      } catch (error) {
        log.debug({ channelId, day }, `its journal stays: ${errorText(error)}`);
      }
    }
  }

  async note(channelId: Guid, day: string, entry: SentEntry): Promise<void> {
    const book = await this.#open(channelId, day);
    book.journal.sent(entry);
    this.#noteChange(book);
  }

  /** A manifest is not as it was written: it is due again. Resolves with false where nothing is known of the day here. */
  async nameAgain(channelId: Guid, day: string): Promise<boolean> {
    const book = await this.#open(channelId, day);
    if (book.journal.entries.size === 0) return false;
    await this.compare(channelId, day);
    book.journal.named(book.journal.revision, false);
    this.#noteChange(book);
    return true;
  }

  /** An object is not as it was sent. */
  async forget(channelId: Guid, day: string, segmentId: number): Promise<void> {
    const book = await this.#open(channelId, day);
    book.journal.forget(segmentId);
    this.#noteChange(book);
  }

  /**
   * Writes the manifests that are due, or all that have something to say, and removes what nothing names any more. Rejects with
   * SendError.
   */
  async nameDue(all: boolean): Promise<void> {
    const { clock, findings } = this.#options;
    const nowUs = clock.monotonicUs();
    let mayList = true;
    for (const opening of [...this.#books.values()]) {
      const book = await opening;
      const { unnamed } = book.journal;
      if (unnamed === 0) {
        // One day a turn: sending goes on between them. Of a day without anything no whole segment can take a place.
        if (mayList && !book.isSwept && book.journal.entries.size > 0) {
          mayList = false;
          await this.#sweep(book);
        }
        await this.#clear(book, nowUs);
      } else if (all || unnamed >= UNNAMED_MAX || nowUs - (book.unnamedUs ?? 0) >= NAMED_AFTER_US)
        await this.#name(book);
      // Also while segments come faster than they are named.
      const { entries, revision } = book.journal;
      if (entries.size > 0 && revision > 0) await findings.send(book.channelId, book.day, all);
    }
  }

  /**
   * A segment is named after it is there; the new manifest is there before the old one goes. So whoever reads the bucket finds,
   * at any moment, a whole manifest of the newest revision, or of the one before it.
   */
  async #name(book: Book): Promise<void> {
    const { sender, factsOf, beforeNaming, clock } = this.#options;
    const { channelId, day, journal } = book;
    await this.compare(channelId, day);
    if (journal.entries.size === 0) return await this.#unname(book);
    await beforeNaming();
    const revision = journal.revision + 1;
    const { changes } = journal;
    const segments = [...journal.entries.values()].sort((a, b) => a.fromUs - b.fromUs);
    const fromUs = dayBeginUs(day);
    const facts = await factsOf(channelId, { fromUs, toUs: fromUs + US_PER_DAY });
    const text = manifestText({ ...facts, day, revision, createdUs: clock.nowUs(), segments });
    const key = manifestKey(channelId, day, revision);
    const hadOlder = book.hasOlder;
    // It may be there though its answer is lost: the number is used up, and what is older is looked for next time.
    journal.named(revision, false);
    book.hasOlder = true;
    await sender.run({ op: "put", key, content: Buffer.from(text) });
    await this.#named(book, revision, changes);
    const before = revision > 1 ? [manifestKey(channelId, day, revision - 1)] : [];
    const older = hadOlder ? await this.#olderThan(book, revision) : before;
    for (const name of older) await sender.run({ op: "remove", key: name });
    book.hasOlder = false;
  }

  /**
   * Looks for key frames that an earlier run sent when a power cut, or the loss of the system disk, took what it noted of them, and
   * whose whole segments were sent since, or are sent later: nothing names them.
   */
  async #sweep(book: Book): Promise<void> {
    const { channelId, day, journal } = book;
    for (const stream of STREAM_TYPES) {
      const listed = await this.#options.sender.run({
        op: "list",
        start: segmentFolder(channelId, stream, day),
      });
      for (const { key } of listed) {
        const found = keyFramesIdOf(key);
        if (found !== undefined) journal.foundKeyFrames(found.segmentId, found.isSealed);
      }
    }
    book.isSwept = true;
    if (!journal.awaitsWhole) this.#swept.add(`${channelId}/${day}`);
  }

  /** Key frames go once the whole segments have been named instead for some time. */
  async #clear(book: Book, nowUs: number): Promise<void> {
    const { channelId, journal } = book;
    const { replaced } = journal;
    if (replaced.length === 0) {
      book.replacedUs = undefined;
      return;
    }
    book.replacedUs ??= nowUs;
    if (nowUs - book.replacedUs < this.#options.replacedMs * US_PER_MS) return;
    for (const entry of replaced.slice(0, CLEARED_A_TURN)) {
      await this.#options.sender.run({ op: "erase", key: segmentKey(channelId, entry) });
      journal.cleared(entry.segmentId);
    }
  }

  /** Nothing of the day is there any more: nothing names it. */
  async #unname(book: Book): Promise<void> {
    const { channelId, day, journal } = book;
    const { changes } = journal;
    await this.#options.findings.remove(channelId, day);
    for (const key of await this.#manifestsOf(channelId, day))
      await this.#options.sender.run({ op: "erase", key });
    await this.#named(book, journal.revision, changes);
  }

  /** What was sent while the manifest was written is not named by it: that is due anew. */
  async #named(book: Book, revision: number, changes: number): Promise<void> {
    const isAll = book.journal.changes === changes;
    book.unnamedUs = isAll ? undefined : this.#options.clock.monotonicUs();
    book.journal.named(revision, isAll);
  }

  async #olderThan({ channelId, day }: Book, revision: number): Promise<readonly string[]> {
    const keys = await this.#manifestsOf(channelId, day);
    return keys.filter((key) => (revisionOf(key) ?? 0) < revision);
  }

  /** In order of their revisions. */
  async #manifestsOf(channelId: Guid, day: string): Promise<readonly string[]> {
    const listed = await this.#options.sender.run({ op: "list", start: manifestFolder(channelId, day) });
    return listed
      .map(({ key }) => key)
      .filter((key) => revisionOf(key) !== undefined)
      .sort();
  }

  #segmentsIn(key: string, content: Uint8Array): readonly SentEntry[] | undefined {
    try {
      return readManifest(content).segments;
    } catch (error) {
      this.#options.log.warn({ key, error: errorText(error) }, "a manifest in the bucket cannot be read");
      return undefined;
    }
  }

  #noteChange(book: Book): void {
    book.unnamedUs ??= this.#options.clock.monotonicUs();
  }

  #open(channelId: Guid, day: string): Promise<Book> {
    const name = `${channelId}/${day}`;
    const known = this.#books.get(name);
    const opening = known ?? this.#read(channelId, day);
    this.#books.delete(name);
    this.#books.set(name, opening);
    if (known === undefined) {
      opening.catch(() => this.#books.delete(name)); // the caller gets the error
      void this.#bound();
    }
    return opening;
  }

  async #read(channelId: Guid, day: string): Promise<Book> {
    const journal = await DayJournal.open(
      path.join(this.#options.directory, channelId, `${day}.log`),
      this.#writer.later,
    );
    const nowUs = this.#options.clock.monotonicUs();
    const unnamedUs = journal.unnamed > 0 ? nowUs : undefined;
    const isSwept = this.#swept.has(`${channelId}/${day}`);
    const seen = { isCompared: false, hasOlder: false, replacedUs: undefined, isSwept };
    return { channelId, day, journal, unnamedUs, ...seen };
  }

  /** Those with something to name stay. */
  async #bound(): Promise<void> {
    if (this.#books.size <= OPEN_LEAST) return;
    const books = [...this.#books];
    let entries = 0;
    for (const [, opening] of books) entries += sizeOf(await opening.catch(() => undefined));
    for (const [name, opening] of books.slice(0, -USED_LAST)) {
      const { size } = this.#books;
      if (size <= OPEN_LEAST || (size <= OPEN_MAX && entries <= ENTRIES_MAX)) return;
      const book = await opening.catch(() => undefined);
      // It was used again meanwhile, by which it came to the end, or cannot be read.
      if (this.#books.get(name) !== opening || (book !== undefined && isUnfinished(book.journal))) continue;
      this.#books.delete(name);
      entries -= sizeOf(book);
    }
  }
}

function sizeOf(book: Book | undefined): number {
  return book?.journal.entries.size ?? 0;
}

/** Something is to be named, or removed, or noted yet. */
function isUnfinished({ unnamed, replaced, isWritten }: DayJournal): boolean {
  return unnamed > 0 || replaced.length > 0 || !isWritten;
}

function dayOfName(name: string): DayOfChannel {
  const [channelId = "", day = ""] = name.split("/");
  return { channelId, day };
}

async function journalsIn(directory: string): Promise<readonly DayOfChannel[]> {
  const found: DayOfChannel[] = [];
  for (const channelId of await namesIn(directory, /^[0-9a-f-]{36}$/))
    for (const file of await namesIn(path.join(directory, channelId), /^\d{4}-\d\d-\d\d\.log$/))
      found.push({ channelId, day: file.slice(0, -".log".length) });
  return found;
}

async function namesIn(directory: string, pattern: RegExp): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).filter((name) => pattern.test(name));
  } catch (error) {
    // Nothing was sent yet.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
