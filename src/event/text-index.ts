import { rm } from "node:fs/promises";
import { crc32 } from "node:zlib";
import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  readPlain,
  takePlace,
  writeAfresh,
} from "../base/index.js";
import { CommentWords } from "./comment-words.js";
import { addGrams, allTexts, GramSet, gramsOf, mayHave, SIGNATURE_BYTES_MAX } from "./text-signature.js";
import type { EventQuery, EventRecord } from "./types.js";

export const TEXT_HOUR_US = 3_600_000_000;
/** Of all signatures; beyond it the hours that are left are read at each search. */
export const SIGNATURES_BYTES_MAX = 16 * 1024 * 1024;
/** An hour with more events is read at each search that may have something in it: so is a signature of ones. */
const HOUR_EVENTS_MAX = 200_000;
/** Between two hours that are read into the index, and between two looks for new ones. */
const NEXT_HOUR_MS = 20;
const LOOK_MS = 600_000;
const MAGIC = Buffer.from("NVRDTXT1");
const ENTRY_BYTES = 6;
const FILE_MODE = 0o600;
const FILE_BYTES_MAX = 2 * SIGNATURES_BYTES_MAX;

export interface EventTextIndexOptions {
  readonly path: string;
  /** Events of the log, without a text. */
  readonly search: (query: EventQuery) => AsyncIterable<readonly EventRecord[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Which hours of the event log may have a text: of each hour that is over, a signature of the letters in its events. It is a
 * cache: an hour without a signature is read by each search until it has one. Hours are read in the background, the newest first.
 */
export class EventTextIndex {
  readonly #options: EventTextIndexOptions;
  readonly #words = new CommentWords();
  /** By the number of the hour. */
  readonly #signatures = new Map<number, Uint8Array>();
  #bytes = 0;
  /** What was forgotten while an hour was being read: what was read is old then. */
  #age = 0;
  #timer: ClockTimer | undefined;
  #isStopped = false;
  #isSaved = false;

  constructor(options: EventTextIndexOptions) {
    this.#options = options;
  }

  /** Hours that have a signature. */
  get hours(): number {
    return this.#signatures.size;
  }

  /** Reads what was kept, and then the hours that it lacks. */
  async start(): Promise<void> {
    try {
      this.#load(await readPlain(this.#options.path, FILE_BYTES_MAX));
      this.#isSaved = true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        this.#options.log.warn(
          { error: errorText(error) },
          "the index of event texts cannot be read: it is made anew",
        );
    }
    this.#later(NEXT_HOUR_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.clear();
    await this.#save();
  }

  /** An event that is dated back into an hour that is over. */
  note(event: EventRecord): void {
    const signature = this.#signatures.get(hourOf(event.timeUs));
    if (signature === undefined) return;
    // An hour that was empty has no bits to set.
    if (signature.length === 0) this.#forget(hourOf(event.timeUs));
    else for (const text of allTexts(event, this.#words)) addGrams(signature, gramsOf(text));
    this.#dropFile();
  }

  /** Events have other times now. */
  forgetAll(): void {
    this.#age += 1;
    this.#signatures.clear();
    this.#bytes = 0;
    this.#dropFile();
    this.#later(NEXT_HOUR_MS);
  }

  /** False: no event of the hour has all of the grams. */
  mayHave(hour: number, grams: readonly number[]): boolean {
    const signature = this.#signatures.get(hour);
    return signature === undefined || mayHave(signature, grams);
  }

  /** Reads all hours that have no signature yet; for tests, and in the background. */
  async complete(): Promise<void> {
    while (await this.#readNext());
  }

  #later(delayMs: number): void {
    this.#timer?.clear();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.setTimeout(() => void this.#turn(), delayMs);
  }

  async #turn(): Promise<void> {
    let isMore = false;
    try {
      isMore = await this.#readNext();
      if (!isMore) await this.#save();
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn(
          { error: errorText(error) },
          "the index of event texts cannot go on: trying again",
        );
    }
    this.#later(isMore ? NEXT_HOUR_MS : LOOK_MS);
  }

  /** The newest hour that is over and has no signature; false: there is none. */
  async #readNext(): Promise<boolean> {
    if (this.#isStopped || this.#bytes >= SIGNATURES_BYTES_MAX) return false;
    let hour = hourOf(this.#options.clock.nowUs()) - 1;
    for (;;) {
      while (this.#signatures.has(hour)) hour -= 1;
      const newest = await this.#newestUntil(hour);
      const found = newest === undefined ? undefined : hourOf(newest.timeUs);
      if (found === undefined) return false;
      const age = this.#age;
      if (found === hour) {
        const signature = await this.#signatureOf(hour);
        if (age === this.#age) this.#enter(hour, signature);
        return true;
      }
      // Between them nothing happened.
      for (let empty = hour; empty > found; empty -= 1) this.#enter(empty, new Uint8Array(0));
      hour = found;
    }
  }

  #enter(hour: number, signature: Uint8Array): void {
    this.#forget(hour);
    this.#signatures.set(hour, signature);
    this.#bytes += signature.length + ENTRY_BYTES;
    this.#isSaved = false;
  }

  #forget(hour: number): void {
    const known = this.#signatures.get(hour);
    if (known === undefined) return;
    this.#signatures.delete(hour);
    this.#bytes -= known.length + ENTRY_BYTES;
  }

  async #newestUntil(hour: number): Promise<EventRecord | undefined> {
    const query = { fromUs: 0, toUs: (hour + 1) * TEXT_HOUR_US - 1, limit: 1, fromBegin: false };
    for await (const [event] of this.#options.search(query)) return event;
    return undefined;
  }

  async #signatureOf(hour: number): Promise<Uint8Array> {
    const grams = new GramSet();
    const [fromUs, toUs] = [hour * TEXT_HOUR_US, (hour + 1) * TEXT_HOUR_US - 1];
    let count = 0;
    for await (const batch of this.#options.search({
      fromUs,
      toUs,
      limit: HOUR_EVENTS_MAX,
      fromBegin: true,
    })) {
      count += batch.length;
      for (const event of batch) for (const text of allTexts(event, this.#words)) grams.add(text);
    }
    return count < HOUR_EVENTS_MAX ? grams.signature() : new Uint8Array(BYTES_OF_ONES).fill(0xff);
  }

  #dropFile(): void {
    if (!this.#isSaved) return;
    this.#isSaved = false;
    // It would deny what has come since; without it, all is read again.
    rm(this.#options.path, { force: true, recursive: true }).catch((error: unknown) =>
      this.#options.log.warn({ error: errorText(error) }, "the index of event texts cannot be removed"),
    );
  }

  async #save(): Promise<void> {
    if (this.#isSaved || this.#signatures.size === 0) return;
    const parts = [...this.#signatures].flatMap(([hour, signature]) => {
      const entry = Buffer.alloc(ENTRY_BYTES);
      entry.writeUInt32LE(hour);
      entry.writeUInt16LE(signature.length, 4);
      return [entry, signature];
    });
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(MAGIC.length + 4);
    MAGIC.copy(head);
    head.writeUInt32LE(crc32(body), MAGIC.length);
    const unfinished = `${this.#options.path}.new`;
    this.#isSaved = true;
    try {
      await writeAfresh(unfinished, Buffer.concat([head, body]), FILE_MODE);
      // An event was dated back meanwhile: what was written lacks it.
      if (this.#isSaved) await takePlace(unfinished, this.#options.path);
    } catch (error) {
      this.#isSaved = false;
      this.#options.log.warn({ error: errorText(error) }, "the index of event texts cannot be saved");
    }
  }

  #load(file: Buffer): void {
    const body = file.subarray(MAGIC.length + 4);
    const isWhole =
      file.length > MAGIC.length + 4 &&
      file.subarray(0, MAGIC.length).equals(MAGIC) &&
      crc32(body) === file.readUInt32LE(MAGIC.length);
    if (!isWhole) return;
    for (let at = 0; at + ENTRY_BYTES <= body.length; ) {
      const bytes = body.readUInt16LE(at + 4);
      if (bytes > SIGNATURE_BYTES_MAX) return;
      const begin = at + ENTRY_BYTES;
      this.#enter(body.readUInt32LE(at), Uint8Array.from(body.subarray(begin, begin + bytes)));
      at = begin + bytes;
    }
  }
}

const BYTES_OF_ONES = 32;

export function hourOf(timeUs: number): number {
  return Math.floor(timeUs / TEXT_HOUR_US);
}
