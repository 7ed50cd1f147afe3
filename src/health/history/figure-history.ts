import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import {
  type Clock,
  type ClockKnowledge,
  type ClockTimer,
  clearPlaceSync,
  errorText,
  type Log,
  openPlain,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import type { HistorySpan } from "../../contract/answer/index.js";
import { type FigureSample, FigureSlots, type FigureValues, SLOT_BYTES, summed } from "./figure-slots.js";

/** Its name in the data directory. */
export const HISTORY_FILE = "figure-history.bin";

const MINUTE_SECONDS = 60;
const HALF_HOUR_SECONDS = 1800;
const MINUTES_A_HALF_HOUR = HALF_HOUR_SECONDS / MINUTE_SECONDS;
const DAY_SECONDS = 86_400;
/** 26 hours: a whole day is there although the oldest steps are being replaced, and after an hour without power. */
const MINUTES_KEPT = 1560;
/** 32 days. */
const HALF_HOURS_KEPT = 1536;
const MONTH_DAYS = 31;
const HALF_HOURS_AT = MINUTES_KEPT * SLOT_BYTES;
/** 198 kB, from the first minute on. */
export const HISTORY_FILE_BYTES = (MINUTES_KEPT + HALF_HOURS_KEPT) * SLOT_BYTES;
/** What a power cut loses. A flash card is written 288 times a day for it, as for the time of the run. */
export const FLUSH_EVERY_MS = 300_000;
const MINUTE_MS = 60_000;
const FILE_MODE = 0o640;

/** A span up to now, oldest first; undefined where nothing was noted. */
export interface HistoryView {
  readonly stepSeconds: number;
  /** Unix µs: when the first step begins. */
  readonly startUs: number;
  readonly samples: readonly (FigureSample | undefined)[];
}

export interface FigureHistoryOptions {
  readonly dataDir: string;
  /** The figures of the minute that ends now; must not reject. */
  readonly figures: () => Promise<FigureValues>;
  readonly clock: Clock;
  readonly knowledge: Pick<ClockKnowledge, "isKnown" | "onSet">;
  readonly log: Log;
}

/**
 * What the machine did in the last day, by the minute, and in the last month, by the half hour: in memory, and in one file of a
 * fixed size that follows every five minutes. Nobody has to run a monitoring system for it.
 */
export class FigureHistory {
  readonly #options: FigureHistoryOptions;
  readonly #bytes = Buffer.alloc(HISTORY_FILE_BYTES);
  readonly #minutes = new FigureSlots(this.#bytes.subarray(0, HALF_HOURS_AT), MINUTES_KEPT);
  readonly #halfHours = new FigureSlots(this.#bytes.subarray(HALF_HOURS_AT), HALF_HOURS_KEPT);
  /** Where slots in the file differ from those in memory. */
  readonly #changed = new Set<number>();
  /** Minutes noted by this run while its clock was not known. */
  readonly #provisional: number[] = [];
  /** The half hour that minutes are noted of, and that is not summed up to its end. */
  #halfHour: number | undefined;
  #handle: FileHandle | undefined;
  #timers: ClockTimer[] = [];
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;
  #starting: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: FigureHistoryOptions) {
    this.#options = options;
    options.knowledge.onSet(({ shiftUs }) => this.#redate(shiftUs));
  }

  /** Resolves when the file is read; nothing has to wait for it. */
  start(): Promise<void> {
    this.#starting = this.#begin();
    return this.#starting;
  }

  async #begin(): Promise<void> {
    await this.#load();
    // The first reading is what the next one is compared with.
    await this.#options.figures();
    if (this.#isStopped) return;
    this.#wait();
    this.#timers.push(this.#options.clock.setInterval(() => void this.#flush(), FLUSH_EVERY_MS));
  }

  /** Writes what is not in the file yet. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#starting;
    this.#sumUpPresent();
    for (const timer of this.#timers.splice(0)) timer.clear();
    await this.#flush();
    await this.#handle?.close();
    this.#handle = undefined;
  }

  /** Notes the figures of the present minute. */
  note(figures: FigureValues): void {
    const minute = Math.floor(this.#nowSeconds() / MINUTE_SECONDS);
    if (!this.#options.knowledge.isKnown && this.#provisional.length < MINUTES_KEPT)
      this.#provisional.push(minute);
    this.#put(this.#minutes, { step: minute, means: figures, peaks: figures });
    const halfHour = Math.floor(minute / MINUTES_A_HALF_HOUR);
    if (halfHour !== this.#halfHour) this.#sumUpPresent();
    this.#halfHour = halfHour;
  }

  read(span: HistorySpan): HistoryView {
    this.#sumUpPresent();
    const stepSeconds = span === "Day" ? MINUTE_SECONDS : HALF_HOUR_SECONDS;
    const slots = span === "Day" ? this.#minutes : this.#halfHours;
    const count = ((span === "Day" ? 1 : MONTH_DAYS) * DAY_SECONDS) / stepSeconds;
    const first = Math.floor(this.#nowSeconds() / stepSeconds) - count + 1;
    return {
      stepSeconds,
      startUs: first * stepSeconds * US_PER_SECOND,
      samples: Array.from({ length: count }, (_, index) => slots.get(first + index)),
    };
  }

  /** In the middle of each minute, so that a timer that is a little late skips none. */
  #wait(): void {
    const { clock } = this.#options;
    const intoMinute = Math.floor(clock.nowUs() / US_PER_MS) % MINUTE_MS;
    const delay = MINUTE_MS + MINUTE_MS / 2 - intoMinute;
    this.#timers[0] = clock.setTimeout(() => void this.#sample(), delay % MINUTE_MS || MINUTE_MS);
  }

  async #sample(): Promise<void> {
    const figures = await this.#options.figures();
    if (this.#isStopped) return;
    this.note(figures);
    this.#wait();
  }

  #sumUpPresent(): void {
    if (this.#halfHour !== undefined) this.#sumUp(this.#halfHour);
  }

  /** A run that was killed has not summed up its last half hour. */
  #sumUpMissing(): void {
    const now = Math.floor(this.#nowSeconds() / HALF_HOUR_SECONDS);
    for (let halfHour = now - MINUTES_KEPT / MINUTES_A_HALF_HOUR + 1; halfHour <= now; halfHour += 1)
      if (this.#halfHours.get(halfHour) === undefined) this.#sumUp(halfHour);
  }

  #sumUp(halfHour: number): void {
    const minutes = Array.from({ length: MINUTES_A_HALF_HOUR }, (_, index) =>
      this.#minutes.get(halfHour * MINUTES_A_HALF_HOUR + index),
    );
    const sample = summed(
      halfHour,
      minutes.filter((minute) => minute !== undefined),
    );
    if (sample !== undefined) this.#put(this.#halfHours, sample);
    else if (this.#halfHours.get(halfHour) !== undefined) this.#erase(this.#halfHours, halfHour);
  }

  #put(slots: FigureSlots, sample: FigureSample): void {
    slots.put(sample);
    this.#changed.add(this.#placeOf(slots, sample.step));
  }

  #erase(slots: FigureSlots, step: number): void {
    slots.erase(step);
    this.#changed.add(this.#placeOf(slots, step));
  }

  #placeOf(slots: FigureSlots, step: number): number {
    return (slots === this.#halfHours ? HALF_HOURS_AT : 0) + slots.offsetOf(step);
  }

  /** The clock is known now: what was noted before it moves to when it was. */
  #redate(shiftUs: number): void {
    const shift = Math.round(shiftUs / US_PER_SECOND / MINUTE_SECONDS);
    const noted = this.#provisional.splice(0);
    if (shift === 0) return;
    const samples = noted.flatMap((minute) => this.#minutes.get(minute) ?? []);
    for (const { step } of samples) this.#erase(this.#minutes, step);
    for (const sample of samples) this.#put(this.#minutes, { ...sample, step: sample.step + shift });
    const touched = noted.flatMap((minute) => [minute, minute + shift]);
    for (const halfHour of new Set(touched.map((minute) => Math.floor(minute / MINUTES_A_HALF_HOUR))))
      this.#sumUp(halfHour);
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.clock.nowUs() / US_PER_SECOND);
  }

  async #load(): Promise<void> {
    try {
      const handle = await this.#open();
      const { bytesRead } = await handle.read(this.#bytes, 0, HISTORY_FILE_BYTES, 0);
      // A file that was never whole ends in slots that are empty.
      this.#bytes.fill(0, bytesRead);
      this.#sumUpMissing();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const file = path.join(this.#options.dataDir, HISTORY_FILE);
    clearPlaceSync(file);
    // Neither truncated nor appended to.
    const handle = await openPlain(file, constants.O_RDWR | constants.O_CREAT, FILE_MODE);
    this.#handle = handle;
    await handle.truncate(HISTORY_FILE_BYTES);
    return handle;
  }

  /** One after the other. What cannot be written stays in memory, and is tried again with the next. */
  #flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      try {
        const handle = await this.#open();
        for (const place of this.#changed) await this.#write(handle, place);
        this.#isFailing = false;
      } catch (error) {
        this.#fail(error);
      }
    });
    return this.#writing;
  }

  async #write(handle: FileHandle, place: number): Promise<void> {
    // What changes while it is written is written again.
    this.#changed.delete(place);
    try {
      await handle.write(this.#bytes, place, SLOT_BYTES, place);
    } catch (error) {
      this.#changed.add(place);
      throw error;
    }
  }

  #fail(error: unknown): void {
    if (!this.#isFailing)
      this.#options.log.error(
        { path: path.join(this.#options.dataDir, HISTORY_FILE) },
        `the figures of the last month are kept in memory only: ${errorText(error)}`,
      );
    this.#isFailing = true;
  }
}
