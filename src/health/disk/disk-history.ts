import * as v from "valibot";
import { type Clock, type Log, US_PER_DAY } from "../../base/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";
import type { DiskSmart, DiskState } from "./disk-state.js";

/** Disks that are remembered; the one not seen for longest goes first. */
export const HISTORY_DISKS_MAX = 64;
/** A sample of each day is kept for so long; older ones, one of each week. */
export const DAILY_DAYS = 400;
const WEEK_DAYS = 7;
/** Ten years: longer than disks last. */
export const HISTORY_DAYS = 3650;
/** A new day's sample waits so long for those of other disks. */
const SAVE_AFTER_MS = 10 * 60_000;
const TEXT_MAX = 256;

/** The figures of a sample, in the order of the file. */
export const DISK_HISTORY_FIGURES = [
  "temperatureCelsius",
  "powerOnHours",
  "bytesWritten",
  "reallocatedSectors",
  "uncorrectableErrors",
  "commandTimeouts",
  "pendingSectors",
  "offlineUncorrectable",
  "percentageUsed",
  "availableSparePercent",
] as const satisfies readonly (keyof DiskSmart)[];
type FigureName = (typeof DISK_HISTORY_FIGURES)[number];

/** What a disk said of itself on a day: the last reading, and the highest temperature. */
export type DiskSample = { readonly [Name in FigureName]: number | null } & {
  /** Days since 1970-01-01 (UTC). */
  readonly day: number;
};

const figure = v.nullable(v.pipe(v.number(), v.finite()));
const fileSchema = v.object({
  disks: v.pipe(
    v.array(
      v.object({
        key: v.pipe(v.string(), v.maxLength(TEXT_MAX)),
        samples: v.array(v.tuple([v.pipe(v.number(), v.safeInteger()), v.array(figure)])),
      }),
    ),
    v.maxLength(HISTORY_DISKS_MAX),
  ),
});

export const DISK_HISTORY_KIND = keptKind({
  name: "disk-history.json",
  says: "what disks said of themselves, a sample a day",
  policy: "forget",
  damaged: "damaged, the history of the disks begins anew",
  versionMember: "format",
  schema: fileSchema,
  delayMs: SAVE_AFTER_MS,
});

export interface DiskHistoryOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What disks said of themselves, a sample a day, for years: in a small file of the data directory, within bounds. */
export class DiskHistory {
  readonly #file: KeptFile<typeof fileSchema>;
  /** By key, the one seen last at the end; samples by day, the oldest first. */
  readonly #disks = new Map<string, Map<number, DiskSample>>();
  #keys: ReadonlyMap<string, string> = new Map();

  constructor({ dataDir: directory, clock, log }: DiskHistoryOptions) {
    this.#file = new KeptFile(DISK_HISTORY_KIND, { directory, clock, log, content: () => this.#content() });
  }

  /** Reads what was kept. A damaged file is begun anew. */
  load(): void {
    for (const { key, samples } of this.#file.read()?.disks ?? [])
      this.#disks.set(key, new Map(samples.map(([day, figures]) => [day, sampleOf(day, figures)])));
  }

  /** Saves what was not yet. */
  async stop(): Promise<void> {
    await this.#file.flush();
  }

  /** The present state of all disks. A reading counts for the day on which it was made. */
  note(disks: readonly DiskState[]): void {
    this.#keys = new Map(disks.map((disk) => [disk.device, keyOf(disk)]));
    for (const disk of disks) if (disk.smart !== undefined) this.#noteReading(keyOf(disk), disk.smart);
  }

  /** A disk's samples, the oldest first; undefined for a disk that is not there. */
  of(device: string): readonly DiskSample[] | undefined {
    const key = this.#keys.get(device);
    return key === undefined ? undefined : [...(this.#disks.get(key)?.values() ?? [])];
  }

  #noteReading(key: string, smart: DiskSmart): void {
    const day = Math.floor((smart.readMs * 1000) / US_PER_DAY);
    const samples = this.#disks.get(key) ?? new Map<number, DiskSample>();
    const before = samples.get(day);
    const newest = [...samples.keys()].at(-1) ?? day;
    // A clock that is not set yet must not spoil years.
    if (day < newest) return;
    const figures = DISK_HISTORY_FIGURES.map((name) => smart[name]);
    const sample = sampleOf(day, figures);
    const hottest = Math.max(sample.temperatureCelsius ?? -273, before?.temperatureCelsius ?? -273);
    samples.set(day, { ...sample, temperatureCelsius: hottest === -273 ? null : hottest });
    this.#disks.delete(key);
    this.#disks.set(key, samples);
    if (before !== undefined) return;
    this.#thin(samples, day);
    const [oldest] = this.#disks.keys();
    if (this.#disks.size > HISTORY_DISKS_MAX && oldest !== undefined) this.#disks.delete(oldest);
    this.#file.changed();
  }

  #thin(samples: Map<number, DiskSample>, today: number): void {
    let week: number | undefined;
    for (const day of samples.keys()) {
      if (day > today - DAILY_DAYS) break;
      const own = Math.floor(day / WEEK_DAYS);
      if (day <= today - HISTORY_DAYS || own === week) samples.delete(day);
      else week = own;
    }
  }

  #content(): Kept<typeof fileSchema> {
    const disks = [...this.#disks].map(([key, samples]) => ({
      key,
      samples: [...samples.values()].map((sample): [number, (number | null)[]] => [
        sample.day,
        DISK_HISTORY_FIGURES.map((name) => sample[name]),
      ]),
    }));
    return { disks };
  }
}

/** The same for the same disk, wherever it is plugged in. */
function keyOf({ device, model, serial }: DiskState): string {
  return (serial === "" ? `${device} ${model}` : `${model} ${serial}`).slice(0, TEXT_MAX);
}

function sampleOf(day: number, figures: readonly (number | null)[]): DiskSample {
  const named = DISK_HISTORY_FIGURES.map((name, at) => [name, figures[at] ?? null] as const);
  return { day, ...(Object.fromEntries(named) as Record<FigureName, number | null>) };
}
