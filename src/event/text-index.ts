import { rm } from "node:fs/promises";
import { type Clock, type ClockTimer, errorText, inTurns, type Log } from "../base/index.js";
import { CommentWords } from "./comment-words.js";
import { addGrams, allTexts, GramSet, gramsOf, mayHave, NO_TEXT } from "./text-signature.js";
import { ENTRY_BYTES, readSignatures, writeSignatures } from "./text-signature-file.js";
import type { EventQuery, EventRecord } from "./types.js";

export const TEXT_HOUR_US = 3_600_000_000;
/** Of all signatures; beyond it those of the oldest hours leave, and each search reads these hours. */
const SIGNATURES_BYTES_MAX = 16 * 1024 * 1024;
/** An hour with more events is read at each search: so is a signature of ones. */
const HOUR_EVENTS_MAX = 200_000;
/** Between two hours that are read into the index, and between two looks for new ones. */
const NEXT_HOUR_MS = 20;
const LOOK_MS = 600_000;
/** Work between two turns of the event loop, some milliseconds: letters of texts, where an event counts as so many; hours. */
const TURN_LETTERS = 32_768;
const EVENT_LETTERS = 256;
const TURN_HOURS = 20_000;

export interface EventTextIndexOptions {
  readonly path: string;
  /** Events of the log, without a text. */
  readonly search: (query: EventQuery) => AsyncIterable<readonly EventRecord[]>;
  readonly clock: Clock;
  readonly log: Log;
  /** Default `SIGNATURES_BYTES_MAX`. */
  readonly bytesMax?: number;
}

/** Hours that are being read. */
interface Reading {
  readonly fromHour: number;
  readonly toHour: number;
  /** Of events that are dated into them meanwhile: the search that reads them may have begun before. */
  readonly grams: GramSet;
  /** Events have other times now: what is read is of no use. */
  isOld: boolean;
}

/**
 * Which hours of the event log may have a text: of each hour that is over, a signature of the letters in its events. It is a
 * cache: an hour without a signature is read by each search until it has one. Hours are read in the background, the newest first.
 * The oldest leave where all take too much, and when their events have left the log.
 */
export class EventTextIndex {
  readonly #options: EventTextIndexOptions;
  readonly #bytesMax: number;
  readonly #words = new CommentWords();
  /** By the number of the hour. */
  readonly #signatures = new Map<number, Uint8Array>();
  #bytes = 0;
  /** No older hour has a signature. */
  #oldestHour = Number.POSITIVE_INFINITY;
  /** The newest hour that there was no room for. */
  #leftHour = Number.NEGATIVE_INFINITY;
  #reading: Reading | undefined;
  #timer: ClockTimer | undefined;
  #isStopped = false;
  /** The file is as the signatures are. */
  #isSaved = false;
  /** There may be a file, whatever it has. */
  #hasFile = true;
  /** One change of the file at a time. */
  #filing: Promise<void> = Promise.resolve();

  constructor(options: EventTextIndexOptions) {
    this.#options = options;
    this.#bytesMax = options.bytesMax ?? SIGNATURES_BYTES_MAX;
  }

  /** Reads what was kept, and then the hours that it lacks. */
  async start(): Promise<void> {
    try {
      const kept = await readSignatures(this.#options.path, 2 * SIGNATURES_BYTES_MAX);
      // It denies what was dated back since it was asked for.
      if (this.#hasFile) for (const [hour, signature] of kept) this.#enter(hour, signature);
      this.#isSaved = this.#hasFile && kept.length > 0;
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

  /** An event that was raised: it may be dated back into an hour that is over. */
  note(event: EventRecord): void {
    const hour = hourOf(event.timeUs);
    const reading = this.#reading;
    if (reading !== undefined && hour >= reading.fromHour && hour <= reading.toHour)
      for (const text of allTexts(event, this.#words)) reading.grams.add(text);
    const signature = this.#signatures.get(hour);
    if (signature === undefined && hour >= hourOf(this.#options.clock.nowUs())) return;
    // An hour that was empty has no bits to set.
    if (signature?.length === 0) this.#forget(hour);
    else if (signature !== undefined)
      for (const text of allTexts(event, this.#words)) addGrams(signature, gramsOf(text));
    this.#dropFile();
  }

  /** Events have other times now. */
  forgetAll(): void {
    if (this.#reading !== undefined) this.#reading.isOld = true;
    this.#signatures.clear();
    this.#bytes = 0;
    this.#oldestHour = Number.POSITIVE_INFINITY;
    this.#leftHour = Number.NEGATIVE_INFINITY;
    this.#dropFile();
    this.#later(NEXT_HOUR_MS);
  }

  /** False: no event of the hour has all of the grams. */
  mayHave(hour: number, grams: readonly number[]): boolean {
    const signature = this.#signatures.get(hour);
    return signature === undefined || mayHave(signature, grams);
  }

  /** Does at once what goes on in the background, for tests and measurements. */
  async complete(): Promise<void> {
    while (await this.#readNext());
    await this.#forgetGone();
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
      if (!isMore) await this.#forgetGone();
      if (!isMore && !this.#isStopped) await this.#save();
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn(
          { error: errorText(error) },
          "the index of event texts cannot go on: trying again",
        );
    }
    this.#later(isMore ? NEXT_HOUR_MS : LOOK_MS);
  }

  /** Reads of the hours that are over the newest without a signature; false: there is none, or no room for it. */
  async #readNext(): Promise<boolean> {
    const hour = await inTurns(this.#newestLacking(hourOf(this.#options.clock.nowUs()) - 1));
    if (this.#isStopped || hour <= this.#leftHour) return false;
    try {
      return await this.#readUntil(hour);
    } finally {
      this.#reading = undefined;
    }
  }

  *#newestLacking(last: number): Generator<undefined, number> {
    let hour = last;
    for (; this.#signatures.has(hour); hour -= 1) if (hour % TURN_HOURS === 0) yield;
    return hour;
  }

  /** Reads an hour, or those before it in which nothing happened; false: nothing happened up to there. */
  async #readUntil(hour: number): Promise<boolean> {
    const between = this.#begin(Number.NEGATIVE_INFINITY, hour);
    const newest = await this.#edge({ toUs: (hour + 1) * TEXT_HOUR_US - 1, fromBegin: false });
    if (newest === undefined) return false;
    const found = hourOf(newest.timeUs);
    if (found < hour) {
      await inTurns(this.#enterEmpty(between, found));
      return true;
    }
    const reading = this.#begin(hour, hour);
    const signature = await this.#signatureOf(hour, reading.grams);
    if (!reading.isOld) this.#enter(hour, signature);
    return true;
  }

  #begin(fromHour: number, toHour: number): Reading {
    this.#reading = { fromHour, toHour, grams: new GramSet(), isOld: false };
    return this.#reading;
  }

  /** Nothing happened behind an hour, unless something is dated there meanwhile. */
  *#enterEmpty(reading: Reading, behind: number): Generator<undefined> {
    for (let hour = reading.toHour; hour > behind && hour > this.#leftHour; hour -= 1) {
      if (reading.isOld || !reading.grams.isEmpty || this.#isStopped) return;
      this.#enter(hour, NO_TEXT);
      if (hour % TURN_HOURS === 0) yield;
    }
  }

  /** The oldest hours make room. */
  #enter(hour: number, signature: Uint8Array): void {
    this.#forget(hour);
    this.#signatures.set(hour, signature);
    this.#bytes += signature.length + ENTRY_BYTES;
    this.#oldestHour = Math.min(this.#oldestHour, hour);
    this.#isSaved = false;
    for (; this.#bytes > this.#bytesMax; this.#oldestHour += 1) {
      this.#forget(this.#oldestHour);
      this.#leftHour = this.#oldestHour;
    }
  }

  #forget(hour: number): void {
    const known = this.#signatures.get(hour);
    if (known === undefined) return;
    this.#signatures.delete(hour);
    this.#bytes -= known.length + ENTRY_BYTES;
    this.#isSaved = false;
  }

  /** What happened before the oldest event has left the log. */
  async #forgetGone(): Promise<void> {
    const oldest = await this.#edge({ toUs: Number.MAX_SAFE_INTEGER, fromBegin: true });
    await inTurns(
      this.#forgetBefore(oldest === undefined ? Number.POSITIVE_INFINITY : hourOf(oldest.timeUs)),
    );
  }

  *#forgetBefore(hour: number): Generator<undefined> {
    for (; this.#oldestHour < hour && this.#signatures.size > 0; this.#oldestHour += 1) {
      this.#forget(this.#oldestHour);
      if (this.#oldestHour % TURN_HOURS === 0) yield;
    }
  }

  /** The first or the last event until a moment. */
  async #edge(query: {
    readonly toUs: number;
    readonly fromBegin: boolean;
  }): Promise<EventRecord | undefined> {
    for await (const [event] of this.#options.search({ ...query, fromUs: 0, limit: 1 })) return event;
    return undefined;
  }

  async #signatureOf(hour: number, grams: GramSet): Promise<Uint8Array> {
    const span = { fromUs: hour * TEXT_HOUR_US, toUs: (hour + 1) * TEXT_HOUR_US - 1 };
    let count = 0;
    for await (const batch of this.#options.search({ ...span, limit: HOUR_EVENTS_MAX, fromBegin: true })) {
      count += batch.length;
      await inTurns(this.#addTexts(batch, grams));
    }
    return count < HOUR_EVENTS_MAX ? grams.signature() : new Uint8Array(BYTES_OF_ONES).fill(0xff);
  }

  *#addTexts(batch: readonly EventRecord[], grams: GramSet): Generator<undefined> {
    let letters = 0;
    for (const event of batch) {
      letters += EVENT_LETTERS;
      for (const text of allTexts(event, this.#words)) {
        letters += text.length;
        grams.add(text);
      }
      if (letters < TURN_LETTERS) continue;
      letters = 0;
      yield;
    }
  }

  /** It would deny what has come since; without it, all is read again. */
  #dropFile(): void {
    if (!this.#hasFile) return;
    this.#hasFile = false;
    this.#isSaved = false;
    const { path, log } = this.#options;
    this.#filing = this.#filing
      .then(() => rm(path, { force: true, recursive: true }))
      .catch((error: unknown) =>
        log.warn({ error: errorText(error) }, "the index of event texts cannot be removed"),
      );
  }

  async #save(): Promise<void> {
    this.#filing = this.#filing.then(() => this.#write());
    await this.#filing;
  }

  async #write(): Promise<void> {
    if (this.#isSaved || this.#signatures.size === 0) return;
    this.#isSaved = true;
    this.#hasFile = true;
    try {
      // What is entered or dated back meanwhile makes that false: what was written lacks it.
      await writeSignatures(this.#options.path, this.#signatures, () => this.#isSaved);
    } catch (error) {
      this.#isSaved = false;
      this.#options.log.warn({ error: errorText(error) }, "the index of event texts cannot be saved");
    }
  }
}

const BYTES_OF_ONES = 32;

export function hourOf(timeUs: number): number {
  return Math.floor(timeUs / TEXT_HOUR_US);
}
