import * as v from "valibot";
import { type Clock, type Guid, type Interval, type Log, overlaps, US_PER_MINUTE } from "../../base/index.js";
import { KeptFile, keptKind } from "../../kept/index.js";
import type { Gap } from "./gap.js";

const WRITE_DELAY_MS = 500;
/** Gaps that are remembered: of a channel, the newest. */
const ENTRIES_MAX = 256;
/** How long after a try that failed the next one follows; after the last the gap is given up. */
const RETRY_MINUTES = [1, 5, 15, 60, 180] as const;
export const TRIES_MAX = RETRY_MINUTES.length + 1;

export const GAP_STATES = ["waiting", "filled", "given-up"] as const;
export type GapState = (typeof GAP_STATES)[number];

/** A gap that was tried, and what came of it. */
export interface GapEntry extends Gap {
  readonly state: GapState;
  /** Tries that failed. */
  readonly tries: number;
  /** A waiting gap is not tried before. */
  readonly nextUs: number;
  /** Why the last try failed, or the gap was given up; empty if nothing failed. */
  readonly reason: string;
  /** Of it, what came from the camera. */
  readonly filledUs: number;
}

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({
  gaps: v.array(
    v.object({
      channelId: v.pipe(v.string(), v.uuid()),
      fromUs: time,
      toUs: time,
      state: v.picklist(GAP_STATES),
      tries: time,
      nextUs: time,
      reason: v.string(),
      filledUs: time,
    }),
  ),
});

export const GAPS_KIND = keptKind({
  name: "card-gaps.json",
  says: "gaps that a camera's card may fill",
  policy: "forget",
  damaged: "the state of gaps cannot be read: they are tried again",
  unsaved: "the state of gaps cannot be saved",
  severity: "warn",
  versionMember: "format",
  schema: fileSchema,
  delayMs: WRITE_DELAY_MS,
});

export interface GapBookOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What became of gaps: in memory, and in a small file that outlives the service. What is filled of them says the archive. */
export class GapBook {
  readonly #options: GapBookOptions;
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #entries = new Map<Guid, GapEntry[]>();

  constructor(options: GapBookOptions) {
    const { dataDir: directory, clock, log } = options;
    this.#options = options;
    const content = () => ({ gaps: [...this.#entries.values()].flat() });
    this.#file = new KeptFile(GAPS_KIND, { directory, clock, log, content });
  }

  /** Reads the file. Without it gaps are tried again. */
  start(): void {
    for (const entry of this.#file.read()?.gaps ?? []) this.#put(entry);
  }

  async stop(): Promise<void> {
    await this.#file.flush();
  }

  /** Of a channel, oldest first. */
  of(channelId: Guid): readonly GapEntry[] {
    return this.#entries.get(channelId) ?? [];
  }

  /** Times that are not tried any more. */
  settled(channelId: Guid): readonly Interval[] {
    return this.of(channelId).filter(({ state }) => state !== "waiting");
  }

  /** Whether a gap may be tried now. */
  isDue(gap: Gap, nowUs: number): boolean {
    return this.#waiting(gap).every(({ nextUs }) => nextUs <= nowUs);
  }

  filled(gap: Gap, filledUs: number): GapEntry {
    return this.#replace(gap, { state: "filled", tries: 0, nextUs: 0, reason: "", filledUs });
  }

  /** A try failed. `triesMax`: after so many the gap is given up; infinite: never. */
  failed(
    gap: Gap,
    failure: { readonly reason: string; readonly filledUs: number; readonly triesMax: number },
  ): GapEntry {
    const { reason, filledUs, triesMax } = failure;
    const tries = 1 + Math.max(0, ...this.#waiting(gap).map((entry) => entry.tries));
    const minutes = RETRY_MINUTES[Math.min(tries, RETRY_MINUTES.length) - 1] ?? 0;
    if (tries >= triesMax)
      return this.#replace(gap, { state: "given-up", tries, nextUs: 0, reason, filledUs });
    const nextUs = this.#options.clock.nowUs() + minutes * US_PER_MINUTE;
    return this.#replace(gap, { state: "waiting", tries, nextUs, reason, filledUs });
  }

  givenUp(gap: Gap, reason: string, filledUs: number): GapEntry {
    return this.failed(gap, { reason, filledUs, triesMax: 1 });
  }

  /** Forgets what ended before a time, and channels that are not there any more. */
  retain(isThere: (channelId: Guid) => boolean, sinceUs: number): void {
    for (const [channelId, entries] of this.#entries) {
      const kept = isThere(channelId) ? entries.filter(({ toUs }) => toUs > sinceUs) : [];
      if (kept.length === entries.length) continue;
      if (kept.length === 0) this.#entries.delete(channelId);
      else this.#entries.set(channelId, kept);
      this.#file.changed();
    }
  }

  #waiting(gap: Gap): readonly GapEntry[] {
    return this.of(gap.channelId).filter((entry) => entry.state === "waiting" && overlaps(entry, gap));
  }

  #replace(gap: Gap, change: Omit<GapEntry, keyof Gap>): GapEntry {
    const left = this.of(gap.channelId).filter((entry) => entry.state !== "waiting" || !overlaps(entry, gap));
    const { channelId, fromUs, toUs } = gap;
    const entry = { channelId, fromUs, toUs, ...change };
    this.#entries.set(channelId, [...left]);
    this.#put(entry);
    this.#file.changed();
    return entry;
  }

  #put(entry: GapEntry): void {
    const all = [...(this.#entries.get(entry.channelId) ?? []), entry];
    all.sort((one, other) => one.fromUs - other.fromUs);
    this.#entries.set(entry.channelId, all.slice(-ENTRIES_MAX));
  }
}
