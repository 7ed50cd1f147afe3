import path from "node:path";
import * as v from "valibot";
import { type Clock, DelayedFile, errorText, type Log, readSmallFile } from "../../base/index.js";

const FORMAT_VERSION = 1;
const SAVE_AFTER_MS = 2_000;
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.object({
  formatVersion: v.literal(FORMAT_VERSION),
  place: v.string(),
  days: v.record(v.string(), whole),
});

export interface KnownDaysOptions {
  readonly directory: string;
  /** The bucket and the place in it. */
  readonly place: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which manifest of each channel and day the catalogue has taken: `<channel>/<day>` and revision. Without the file all are read again. */
export class KnownDays {
  readonly #path: string;
  readonly #place: string;
  readonly #log: Log;
  readonly #file: DelayedFile;
  #days = new Map<string, number>();

  constructor({ directory, place, clock, log }: KnownDaysOptions) {
    this.#place = place;
    this.#path = path.join(directory, "known-days.json");
    this.#log = log;
    this.#file = new DelayedFile({
      file: this.#path,
      text: () => {
        const days = Object.fromEntries(this.#days);
        return `${JSON.stringify({ formatVersion: FORMAT_VERSION, place, days })}\n`;
      },
      delayMs: SAVE_AFTER_MS,
      clock,
      onFailed: (error) =>
        log.warn({ path: this.#path, error: errorText(error) }, "which manifests were read cannot be saved"),
    });
  }

  /** Whether what was learnt before is of this place. */
  start(): boolean {
    try {
      const text = readSmallFile(this.#path);
      if (text === undefined) return false;
      const { place, days } = v.parse(schema, JSON.parse(text));
      if (place !== this.#place) return false;
      this.#days = new Map(Object.entries(days));
      return true;
    } catch (error) {
      this.#log.warn({ path: this.#path, error: errorText(error) }, "manifests are read again");
      return false;
    }
  }

  async stop(): Promise<void> {
    await this.#file.stop();
  }

  get names(): readonly string[] {
    return [...this.#days.keys()];
  }

  revisionOf(name: string): number {
    return this.#days.get(name) ?? 0;
  }

  note(name: string, revision: number): void {
    this.#days.set(name, revision);
    this.#file.changed();
  }

  forget(name: string): void {
    if (this.#days.delete(name)) this.#file.changed();
  }
}
