import * as v from "valibot";
import { type Clock, type Guid, type Log, US_PER_MINUTE } from "../../base/index.js";
import { type Kept, KeptFile, keptKind } from "../../kept/index.js";

/** Times kept of a channel. Beyond them the two oldest become one: what lies between them is about as old. */
const TIMES_MAX = 32;
/** Channels kept; beyond them, the one from which nothing was removed for longest is forgotten. */
const CHANNELS_MAX = 1024;
/** Removals that are no farther apart than this are one: what lay between them was a gap already. */
const APART_US_MAX = 10 * US_PER_MINUTE;
/** How often the file is written while something is removed. What a crash loses lies between two times, or is removed anew. */
const SAVE_INTERVAL_MS = 60_000;

/** Why retention removed recordings. */
const CAUSES = ["age", "space"] as const;
export type RemovalCause = (typeof CAUSES)[number];

/** A time of a channel from which retention has removed recordings. */
export interface RemovedTime {
  readonly fromUs: number;
  readonly toUs: number;
  readonly cause: RemovalCause;
}

/** What was removed, for users: the end of the archive is then no mystery. */
export interface RemovedTimesAccess {
  /** Oldest first, without overlaps. */
  of(channelId: Guid): readonly RemovedTime[];
}

const timeUs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const fileSchema = v.object({
  channels: v.record(v.string(), v.array(v.tuple([timeUs, timeUs, v.picklist(CAUSES)]))),
});

export const REMOVED_TIMES_KIND = keptKind({
  name: "removed-times.json",
  says: "which times retention removed, and why",
  policy: "forget",
  damaged: "damaged: why older recordings are gone is not known any more",
  severity: "warn",
  schema: fileSchema,
  delayMs: SAVE_INTERVAL_MS,
});

export interface RemovedTimesOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Remembers in a small file of the data directory which times retention has removed, bounded however long the service runs. */
export class RemovedTimes implements RemovedTimesAccess {
  readonly #file: KeptFile<typeof fileSchema>;
  readonly #channels = new Map<Guid, readonly RemovedTime[]>();

  constructor({ dataDir: directory, clock, log }: RemovedTimesOptions) {
    this.#file = new KeptFile(REMOVED_TIMES_KIND, { directory, clock, log, content: () => this.#content() });
  }

  /** Reads what was kept. A damaged file is replaced: it only explains. */
  start(): void {
    for (const [channelId, times] of Object.entries(this.#file.read()?.channels ?? {}))
      this.#channels.set(
        channelId,
        times.map(([fromUs, toUs, cause]) => ({ fromUs, toUs, cause })),
      );
  }

  /** Saves what was not yet. */
  async stop(): Promise<void> {
    await this.#file.flush();
  }

  of(channelId: Guid): readonly RemovedTime[] {
    return this.#channels.get(channelId) ?? [];
  }

  note(channelId: Guid, removed: RemovedTime): void {
    const times = withTime(this.of(channelId), removed);
    this.#channels.delete(channelId);
    this.#channels.set(channelId, times);
    const [oldest] = this.#channels.keys();
    if (this.#channels.size > CHANNELS_MAX && oldest !== undefined) this.#channels.delete(oldest);
    this.#file.changed();
  }

  #content(): Kept<typeof fileSchema> {
    const channels = [...this.#channels].map(
      ([channelId, times]): [Guid, [number, number, RemovalCause][]] => [
        channelId,
        times.map(({ fromUs, toUs, cause }) => [fromUs, toUs, cause]),
      ],
    );
    return { channels: Object.fromEntries(channels) };
  }
}

/** The times with another one: it continues or overlaps those near it, and its cause is theirs from then on. */
function withTime(times: readonly RemovedTime[], added: RemovedTime): readonly RemovedTime[] {
  const near = (time: RemovedTime) =>
    time.fromUs <= added.toUs + APART_US_MAX && time.toUs >= added.fromUs - APART_US_MAX;
  const touched = times.filter(near);
  const sameCause = touched.filter(({ cause }) => cause === added.cause);
  const joined = sameCause.reduce((sum, time) => spanning(sum, time), added);
  const others = times.filter((time) => !sameCause.includes(time)).flatMap((time) => outside(time, joined));
  const all = [...others, joined].sort((a, b) => a.fromUs - b.fromUs);
  const [first, second, ...rest] = all;
  if (all.length <= TIMES_MAX || first === undefined || second === undefined) return all;
  return [{ ...spanning(first, second), cause: second.cause }, ...rest];
}

function spanning(a: RemovedTime, b: RemovedTime): RemovedTime {
  return { fromUs: Math.min(a.fromUs, b.fromUs), toUs: Math.max(a.toUs, b.toUs), cause: a.cause };
}

/** What of a time another one leaves. */
function outside(time: RemovedTime, { fromUs, toUs }: RemovedTime): RemovedTime[] {
  const before = { ...time, toUs: Math.min(time.toUs, fromUs) };
  const behind = { ...time, fromUs: Math.max(time.fromUs, toUs) };
  return [before, behind].filter((part) => part.toUs > part.fromUs);
}
