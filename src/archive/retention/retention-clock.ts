import * as v from "valibot";
import type { Clock, Log } from "../../base/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";

/** A lead of the wall clock up to this is taken at once: the time between two looks, a correction of NTP. */
const LEAD_TAKEN_US = 3_600_000_000;
/** A longer lead is accepted after the service has run with it for this long. */
export const LEAD_BELIEVED_AFTER_US = 24 * 3_600_000_000;
/** How much a lead may change and still count as the same. */
const LEAD_STEADY_US = 3_600_000_000;
/** How often the counted time is saved; what a crash loses is counted again. */
const SAVE_INTERVAL_US = 600_000_000;

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({ countedUs: time, leadUs: time, leadForUs: time });

export const RETENTION_KIND = keptKind({
  name: "retention.json",
  says: "the retention clock",
  policy: "rebuild",
  damaged: "damaged: the retention clock goes on from the newest recording",
  schema: fileSchema,
});

/** The time by which ages are measured, for who only reads it. */
export interface AgeClock {
  /** Whether something may be deleted because of its age. */
  readonly isKnown: boolean;
  /** Unix µs. */
  readonly nowUs: number;
}

export interface RetentionClockOptions {
  /** Directory of the service's own small files. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** Whether the wall clock is known to be set. */
  readonly clockKnown: () => boolean;
  /** Time of the newest recording; stands in for a counted time that was lost. */
  readonly newestUs: () => number | undefined;
  readonly log: Log;
}

/**
 * The retention clock, by which ages are measured. It advances with the monotonic clock, follows the wall clock back at once, and
 * ahead by at most an hour: a clock that jumps further is accepted after the service has run with it for 24 hours, so that a
 * wrong clock deletes nothing at once. It is stored in `retention.json`; after weeks without power, ages lag by a day.
 */
export class RetentionClock {
  readonly #options: RetentionClockOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  #countedUs: number | undefined;
  /** How far the wall clock is ahead, and since when. */
  #leadUs = 0;
  #leadForUs = 0;
  #isStarted = false;
  #lastMonotonicUs = 0;
  #savedMonotonicUs = 0;

  constructor(options: RetentionClockOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(RETENTION_KIND, { directory, log, content: () => this.#content() });
  }

  /** Reads what was kept. A lost or damaged file is replaced by the time of the newest recording. */
  start(): void {
    const { clock, newestUs } = this.#options;
    this.#lastMonotonicUs = clock.monotonicUs();
    this.#savedMonotonicUs = this.#lastMonotonicUs;
    const kept = this.#file.read();
    this.#countedUs = kept?.countedUs ?? newestUs();
    this.#leadUs = kept?.leadUs ?? 0;
    this.#leadForUs = kept?.leadForUs ?? 0;
    this.tick();
    this.#isStarted = true;
  }

  /** Saves the counted time. */
  async stop(): Promise<void> {
    this.#save();
    await this.#file.flush();
  }

  /** Whether recordings may be deleted because of their age: the wall clock is known to be set. */
  get isKnown(): boolean {
    return this.#options.clockKnown();
  }

  /** For who did not start it: nothing is known before it is. */
  get reading(): AgeClock {
    const days = this;
    return {
      get isKnown(): boolean {
        return days.#isStarted && days.isKnown;
      },
      get nowUs(): number {
        return days.nowUs;
      },
    };
  }

  /** The time by which ages are measured, Unix µs; not later than the wall clock while that is known. */
  get nowUs(): number {
    return this.#countedUs ?? this.#options.clock.nowUs();
  }

  /** Reads both clocks. Called at least once an hour. */
  tick(): void {
    const { clock } = this.#options;
    const monotonicUs = clock.monotonicUs();
    const elapsedUs = monotonicUs - this.#lastMonotonicUs;
    this.#lastMonotonicUs = monotonicUs;
    if (this.#countedUs !== undefined) this.#countedUs += elapsedUs;
    if (this.isKnown) this.#follow(clock.nowUs(), elapsedUs);
    if (monotonicUs - this.#savedMonotonicUs >= SAVE_INTERVAL_US) this.#save();
  }

  #follow(wallUs: number, elapsedUs: number): void {
    const leadUs = wallUs - (this.#countedUs ?? wallUs);
    if (leadUs <= LEAD_TAKEN_US) {
      this.#take(wallUs);
      return;
    }
    if (Math.abs(leadUs - this.#leadUs) > LEAD_STEADY_US) {
      this.#leadUs = leadUs;
      this.#leadForUs = 0;
      const leadHours = Math.round(leadUs / 3_600_000_000);
      this.#options.log.warn(
        { leadHours },
        "the clock jumped ahead: the age of recordings ignores the jump for 24 hours",
      );
      return;
    }
    this.#leadForUs += elapsedUs;
    if (this.#leadForUs < LEAD_BELIEVED_AFTER_US) return;
    this.#options.log.info("the clock's leap is a day old: days of recordings are counted with it");
    this.#take(wallUs);
  }

  #take(wallUs: number): void {
    this.#countedUs = wallUs;
    this.#leadUs = 0;
    this.#leadForUs = 0;
  }

  /** Saves in the background: the system disk may be full or slow. */
  #save(): void {
    if (this.#countedUs === undefined) return;
    this.#savedMonotonicUs = this.#options.clock.monotonicUs();
    this.#file.changed();
  }

  #content(): Kept<typeof fileSchema> {
    return { countedUs: this.#countedUs ?? 0, leadUs: this.#leadUs, leadForUs: this.#leadForUs };
  }
}
