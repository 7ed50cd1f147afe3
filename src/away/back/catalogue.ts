import { rm } from "node:fs/promises";
import path from "node:path";
import {
  type AwayChannel,
  type FarBytes,
  LmdbSegmentIndex,
  type SegmentSummary,
} from "../../archive/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  MS_PER_MINUTE,
  pauseUnlessAborted,
  STREAM_TYPES,
  US_PER_DAY,
  US_PER_MS,
  withAnyOf,
} from "../../base/index.js";
import {
  channelNameIn,
  type FoundEntry,
  foundIn,
  type ListedDay,
  listedDays,
  revisionOf,
} from "../plan/manifest.js";
import { segmentsIn } from "../plan/recorded-days.js";
import { dayBeginUs, dayOf } from "../plan/sent-segment.js";
import type { Sender } from "../send/sender.js";
import { summaryOf } from "./found-segments.js";
import { KnownDays } from "./known-days.js";

export const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;
/** As many names as a listing answers: beyond them days are not known to be gone. */
const LISTED_MAX = 100_000;
const INDEX = "index";
const FLUSH_SEGMENTS = 1000;
const WANTED_MAX = 10_000;
/** Segments that the catalogue holds: some 2 GB of the system disk. Older days are not known beyond them. */
const SEGMENTS_MAX = 5_000_000;
/** The catalogue leaves so much of the system disk free. */
const RESERVE_BYTES = 512 * 1024 * 1024;

export interface CatalogueTiming {
  readonly refreshMs: number;
  readonly retryMs: number;
  /** Between two questions at least; retention removes many segments one after the other. */
  readonly soonMs: number;
  /** The manifest of a day that goes on changes all the time, and what it names is here: it is read so often at most. */
  readonly openDayMs: number;
}

export const CATALOGUE_TIMING: CatalogueTiming = {
  refreshMs: 15 * MS_PER_MINUTE,
  retryMs: MS_PER_MINUTE,
  soonMs: MS_PER_MINUTE,
  openDayMs: 6 * 60 * MS_PER_MINUTE,
};

export interface CatalogueOptions {
  /** The target's, on the data directory. */
  readonly directory: string;
  /** The bucket and the place in it: what was learnt of another one is of no use. */
  readonly place: string;
  /** Where blocks of it are kept. */
  readonly blocks: string;
  readonly sender: Pick<Sender, "run">;
  readonly bytes: FarBytes;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: CatalogueTiming;
}

/**
 * What lies in a bucket, as its manifests say: an index of its own on the data directory, so that a start needs no network. It is
 * a cache: without it the manifests are read again, the newest day first.
 */
export class Catalogue {
  readonly index: LmdbSegmentIndex;
  readonly #options: CatalogueOptions;
  readonly #timing: CatalogueTiming;
  readonly #known: KnownDays;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  /** Days (`<channel>/<day>`) of which something is not here any more, and not known to be there. */
  readonly #wanted = new Set<string>();
  /** When the bucket was asked for such days, monotonic: what was never sent is not asked for again and again. */
  readonly #asked = new Map<string, number>();
  /** When the manifest of a day that goes on was read, monotonic. */
  readonly #openDays = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  constructor(options: CatalogueOptions) {
    const { directory, place, clock, log, timing = CATALOGUE_TIMING } = options;
    this.#options = options;
    this.#timing = timing;
    this.#known = new KnownDays({ directory, place, clock, log });
    this.index = new LmdbSegmentIndex({
      ...{ directory: path.join(directory, INDEX), clock, log, reserveBytes: RESERVE_BYTES },
    });
  }

  /** Why the bucket could not be asked; undefined if it could. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Segments that are known. */
  get segments(): number {
    const { index } = this;
    return index.store.volumeIds().reduce((sum, id) => sum + index.volumeSegments(id), 0);
  }

  /** The channels that it knows anything of. */
  channels(): readonly AwayChannel[] {
    const found = new Map<Guid, AwayChannel>();
    for (const key of this.index.streams()) {
      const first = this.index.seek(key, 0, { withGops: false });
      const last = this.index.newest(key);
      if (first === undefined || last === undefined) continue;
      const { channelId: id } = key;
      const { fromUs, toUs } = found.get(id) ?? { fromUs: first.fromUs, toUs: last.toUs };
      const reach = { fromUs: Math.min(fromUs, first.fromUs), toUs: Math.max(toUs, last.toUs) };
      found.set(id, { id, name: this.#known.channelName(id), ...reach });
    }
    return [...found.values()];
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.index.stop();
    await this.#running;
    await this.#known.stop();
  }

  /** Retention removes a segment: if it is not known to be there, the bucket is asked soon. */
  noteRemoved({ key, epoch, fromUs, segmentId, fragmentId }: SegmentSummary): void {
    const known = this.index.last(key, { epoch, fromUs });
    // Where key frames are known the whole segment may have been sent since.
    if (known?.segmentId === segmentId && known.fragmentId === fragmentId) return;
    const name = `${key.channelId}/${dayOf(fromUs)}`;
    const askedUs = this.#asked.get(name) ?? Number.NEGATIVE_INFINITY;
    const isAsked = this.#options.clock.monotonicUs() - askedUs < this.#timing.refreshMs * US_PER_MS;
    if (isAsked || this.#wanted.size >= WANTED_MAX) return;
    this.#wanted.add(name);
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    try {
      const { directory, blocks } = this.#options;
      const old = this.#known.start() ? [] : [path.join(directory, INDEX), blocks];
      for (const folder of old) await rm(folder, { recursive: true, force: true });
      if (signal.aborted) return;
      this.index.start();
      await this.index.ready();
      this.#forgetLost();
    } catch (error) {
      log.error({ error: errorText(error) }, "what is off the box cannot be kept");
      return;
    }
    while (!signal.aborted) {
      let pauseMs = this.#timing.refreshMs;
      try {
        await this.#refresh(signal);
        this.#problem = undefined;
      } catch (error) {
        if (signal.aborted) return;
        if (this.#problem === undefined) log.info({ error: errorText(error) }, "the bucket cannot be listed");
        this.#problem = errorText(error);
        pauseMs = this.#timing.retryMs;
      }
      await pauseUnlessAborted(clock, this.#timing.soonMs, signal);
      this.#wake = new AbortController();
      if (this.#wanted.size === 0)
        await withAnyOf([this.#wake.signal, signal], (any) => pauseUnlessAborted(clock, pauseMs, any));
    }
  }

  /** An index that was lost knows nothing of days that were read. */
  #forgetLost(): void {
    if (this.index.streams().length > 0) return;
    for (const name of this.#known.names) this.#known.forget(name);
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const wanted = new Set(this.#wanted);
    const listed = await this.#options.sender.run({ op: "list", start: "manifests/" });
    const days = listedDays(listed.map(({ key }) => key));
    const names = new Set(days.map(({ name }) => name));
    if (listed.length < LISTED_MAX)
      for (const name of this.#known.names) if (!names.has(name)) await this.#forgetDay(name);
    for (const day of days) {
      if (signal.aborted) return;
      const newest = revisionOf(day.keys[0] ?? "") ?? 0;
      const isRead = newest === this.#known.revisionOf(day.name);
      if (isRead || (!wanted.has(day.name) && this.#isReadLately(day))) continue;
      if (this.segments >= SEGMENTS_MAX) return;
      await this.#take(day, newest);
    }
    if (this.#asked.size >= WANTED_MAX) this.#asked.clear();
    for (const name of wanted) {
      this.#wanted.delete(name);
      this.#asked.set(name, this.#options.clock.monotonicUs());
    }
  }

  #isReadLately({ name, day }: ListedDay): boolean {
    const { clock } = this.#options;
    if (day < dayOf(clock.nowUs())) {
      this.#openDays.delete(name);
      return false;
    }
    const readUs = this.#openDays.get(name);
    if (readUs !== undefined && clock.monotonicUs() - readUs < this.#timing.openDayMs * US_PER_MS)
      return true;
    this.#openDays.set(name, clock.monotonicUs());
    return false;
  }

  /** From the newest manifest that can be read. */
  async #take({ name, channelId, day, keys }: ListedDay, newest: number): Promise<void> {
    const { sender, log } = this.#options;
    for (const key of keys) {
      const content = await sender.run({ op: "get", key, bytesMax: MANIFEST_BYTES_MAX });
      if (content === undefined) continue; // a newer one has taken its place
      let entries: readonly FoundEntry[];
      try {
        entries = await all(foundIn(content));
      } catch (error) {
        log.warn({ key, error: errorText(error) }, "a manifest in the bucket cannot be read");
        continue;
      }
      await this.#compare(channelId, day, entries);
      this.#known.note(name, newest, channelNameIn(content));
      return;
    }
  }

  /** Adds what is new, and forgets what is not there any more. */
  async #compare(channelId: Guid, day: string, entries: readonly FoundEntry[]): Promise<void> {
    const known = new Map(this.#knownOf(channelId, day).map((segment) => [objectOf(segment), segment]));
    const named = new Set(entries.map(objectOf));
    const gone = [...known.values()].filter((segment) => !named.has(objectOf(segment)));
    this.index.forget(gone, { unlink: false });
    let added = 0;
    for (const entry of entries) {
      if (known.has(objectOf(entry))) continue;
      const { bytes } = this.#options;
      const summary = await summaryOf(channelId, entry, { bytes, signal: this.#stopping.signal });
      if (summary !== undefined) this.#add(summary);
      added += 1;
      if (added % FLUSH_SEGMENTS === 0) await this.index.flush();
    }
    if (added + gone.length > 0) await this.index.flush();
  }

  #add(summary: SegmentSummary): void {
    try {
      this.index.add(summary);
    } catch (error) {
      this.#options.log.warn({ segment: summary.segmentId }, errorText(error));
    }
  }

  #knownOf(channelId: Guid, day: string): SegmentSummary[] {
    const fromUs = dayBeginUs(day);
    const span = { fromUs, toUs: fromUs + US_PER_DAY };
    return STREAM_TYPES.flatMap((streamType) => [...segmentsIn(this.index, { channelId, streamType }, span)]);
  }

  async #forgetDay(name: string): Promise<void> {
    const [channelId = "", day = ""] = name.split("/");
    const known = this.#knownOf(channelId, day);
    if (known.length > 0) {
      this.index.forget(known, { unlink: false });
      await this.index.flush();
    }
    this.#known.forget(name);
  }
}

/** A segment and its key frames alone are two objects. */
function objectOf({ segmentId, fragmentId }: Pick<SegmentSummary, "segmentId" | "fragmentId">): string {
  return `${segmentId} ${fragmentId}`;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
