import * as v from "valibot";
import {
  type Clock,
  type ClockTimer,
  DAYS_PER_YEAR,
  type Guid,
  type Log,
  parseGuid,
  US_PER_DAY,
} from "../../base/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";

const COUNT_INTERVAL_MS = 60_000;
/** What a crash loses of the count; the file is a few kilobytes, so it wears the system disk by less than 1 MB a day. */
const SAVE_INTERVAL_US = 15 * 60_000_000;
/** Days kept per volume; older ones are dropped. More than a year, so that a temporary clock jump drops none. */
const DAYS_KEPT = 400;
/** Volumes remembered; those not seen for longest are dropped. */
const VOLUMES_KEPT = 64;

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const fileSchema = v.object({
  volumes: v.record(v.string(), v.record(v.pipe(v.string(), v.regex(/^\d{1,6}$/)), count)),
});

export const WEAR_KIND = keptKind({
  name: "wear.json",
  says: "how much was written to each volume, by day",
  policy: "forget",
  damaged: "damaged, counting restarts at 0",
  schema: fileSchema,
});

/** What was written to a volume. */
export interface Wear {
  readonly writtenTodayBytes: number;
  /** Of the last 365 days, today included. */
  readonly writtenYearBytes: number;
  /** At the mean rate of the days that were counted, up to 365; 0 before the first whole minute. */
  readonly projectedYearBytes: number;
}

export interface VolumeWearOptions {
  readonly dataDir: string;
  /** The volumes that are there, with the bytes written to each since it was taken; a count may begin again at 0. */
  readonly volumes: () => readonly { readonly id: Guid; readonly writtenBytes: number }[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Counts the bytes written to each volume by day (UTC), against the drive's workload rating; kept in `wear.json`. */
export class VolumeWear {
  readonly #options: VolumeWearOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #days = new Map<Guid, Map<number, number>>();
  readonly #seen = new Map<Guid, number>();
  #timer: ClockTimer | undefined;
  #savedUs = 0;

  constructor(options: VolumeWearOptions) {
    this.#options = options;
    const { dataDir: directory, log } = options;
    this.#file = new KeptFile(WEAR_KIND, { directory, log, content: () => this.#content() });
  }

  start(): void {
    this.#load();
    this.#savedUs = this.#options.clock.monotonicUs();
    this.#timer = this.#options.clock.setInterval(() => this.#countAndSave(), COUNT_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    this.#timer.clear();
    this.#count();
    this.#file.changed();
    await this.#file.flush();
  }

  of(volumeId: Guid): Wear {
    this.#count();
    const days = this.#days.get(volumeId) ?? new Map<number, number>();
    const nowUs = this.#options.clock.nowUs();
    const today = dayOf(nowUs);
    let writtenYearBytes = 0;
    let firstDay = today;
    for (const [day, bytes] of days) {
      if (day > today || day <= today - DAYS_PER_YEAR) continue;
      writtenYearBytes += bytes;
      firstDay = Math.min(firstDay, day);
    }
    // Only the elapsed part of today counts. For the first day that is unknown, so it counts whole.
    const passedDays = Math.max(nowUs / US_PER_DAY - firstDay, 1 / 24);
    return {
      writtenTodayBytes: days.get(today) ?? 0,
      writtenYearBytes,
      projectedYearBytes: (writtenYearBytes / passedDays) * DAYS_PER_YEAR,
    };
  }

  #countAndSave(): void {
    this.#count();
    const { clock } = this.#options;
    if (clock.monotonicUs() - this.#savedUs < SAVE_INTERVAL_US) return;
    this.#savedUs = clock.monotonicUs();
    this.#file.changed();
  }

  #count(): void {
    const today = dayOf(this.#options.clock.nowUs());
    for (const { id, writtenBytes } of this.#options.volumes()) {
      const seenBytes = this.#seen.get(id) ?? 0;
      this.#seen.set(id, writtenBytes);
      const newBytes = writtenBytes >= seenBytes ? writtenBytes - seenBytes : writtenBytes;
      if (newBytes === 0) continue;
      const days = this.#days.get(id) ?? new Map<number, number>();
      days.set(today, (days.get(today) ?? 0) + newBytes);
      this.#days.delete(id);
      this.#days.set(id, days);
      dropFirst(this.#days, VOLUMES_KEPT);
      if (days.size > DAYS_KEPT) days.delete(Math.min(...days.keys()));
    }
  }

  #load(): void {
    for (const [id, days] of Object.entries(this.#file.read()?.volumes ?? {})) {
      const kept = Object.entries(days).slice(-DAYS_KEPT);
      if (parseGuid(id) === id) this.#days.set(id, new Map(kept.map(([day, bytes]) => [Number(day), bytes])));
    }
  }

  #content(): Kept<typeof fileSchema> {
    const volumes = [...this.#days].map(([id, days]) => [id, Object.fromEntries(days)] as const);
    return { volumes: Object.fromEntries(volumes) };
  }
}

function dropFirst<K, V>(map: Map<K, V>, sizeMax: number): void {
  for (const key of map.keys()) {
    if (map.size <= sizeMax) return;
    map.delete(key);
  }
}

function dayOf(timeUs: number): number {
  return Math.floor(timeUs / US_PER_DAY);
}
