import * as v from "valibot";
import type { Clock, Log } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";

const SAVE_AFTER_MS = 2_000;
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.object({ place: v.string(), days: v.record(v.string(), whole) });

/** In the folder of a bucket that is read. */
export const KNOWN_DAYS_KIND = keptKind({
  name: "known-days.json",
  folder: "away/…/",
  says: "which manifests of a bucket were read",
  policy: "rebuild",
  damaged: "manifests are read again",
  unsaved: "which manifests were read cannot be saved",
  severity: "warn",
  schema,
  delayMs: SAVE_AFTER_MS,
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
  readonly #place: string;
  readonly #file: KeptFile<typeof schema>;
  #days = new Map<string, number>();

  constructor({ directory, place, clock, log }: KnownDaysOptions) {
    this.#place = place;
    const content = () => ({ place, days: Object.fromEntries(this.#days) });
    this.#file = new KeptFile(KNOWN_DAYS_KIND, { directory, clock, log, content });
  }

  /** Whether what was learnt before is of this place. */
  start(): boolean {
    const { place, days = {} } = this.#file.read() ?? {};
    if (place !== this.#place) return false;
    this.#days = new Map(Object.entries(days));
    return true;
  }

  async stop(): Promise<void> {
    await this.#file.flush();
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
