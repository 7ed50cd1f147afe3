import {
  type FarBytes,
  packGopTable,
  RecordingsNeeded,
  RecordingUnreachable,
  type SegmentSummary,
  unpackGopTable,
} from "../../archive/index.js";
import {
  type Clock,
  endsWithin,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  Semaphore,
  type StreamType,
  US_PER_MS,
  withAnyOf,
} from "../../base/index.js";
import { MANIFEST_BYTES_MAX } from "../back/catalogue.js";
import { summaryOf } from "../back/found-segments.js";
import { type FoundEntry, foundIn, manifestFolder, manifestKey, revisionOf } from "../plan/manifest.js";
import { SendError, type Sender } from "../send/sender.js";
import type { BoxChannel, BucketBoxes } from "./bucket-boxes.js";
import { dayNumber, dayText } from "./day-list.js";

/** Days with their segments: a day of a channel takes about 1 MB. */
const DETAIL_BYTES_MAX = 128 * 1024 * 1024;
/** Days with their runs of recording alone: mostly some 100 bytes. */
const OUTLINE_BYTES_MAX = 32 * 1024 * 1024;
/** Of a segment without its GOP table, and of a run, as far as they are known. */
const SEGMENT_BYTES = 400;
const RUN_BYTES = 200;
const DAY_BYTES = 500;
const LOADS_AT_ONCE = 8;
const LOADS_WAITING_MAX = 2000;
/** Who waits for a manifest is answered within this time. */
const WAIT_MS_MAX = 8 * MS_PER_SECOND;
/** After a failure nobody waits for the same for so long. */
const DOWN_MS = 3 * MS_PER_SECOND;
const RETRY_MS = 5 * MS_PER_SECOND;
const RETRY_LASTING_MS = 60 * MS_PER_SECOND;
const RETRY_MS_MAX = 600 * MS_PER_SECOND;
const FAILURES_MAX = 10_000;

/** A segment of a day; its GOP table stays packed until somebody needs it. */
export type DaySegment = Omit<SegmentSummary, "gops" | "away"> & { readonly packedGops: Uint8Array };

/** A run of recording within a day. */
export interface DayRun {
  readonly id: Guid;
  readonly epoch: number;
  readonly fromUs: number;
  readonly toUs: number;
}

interface Day {
  readonly revision: number;
  readonly bytes: number;
}
/** By stream, ordered by epoch, then time. */
interface DayDetail extends Day {
  readonly segments: ReadonlyMap<StreamType, readonly DaySegment[]>;
}
interface DayOutline extends Day {
  readonly runs: ReadonlyMap<StreamType, readonly DayRun[]>;
}

/** What a manifest names. */
interface DayFound {
  readonly revision: number;
  readonly entries: readonly FoundEntry[];
  readonly signal: AbortSignal;
}

interface Loading {
  /** Resolves when it was read, it failed or it was given up. */
  readonly done: Promise<void>;
  readonly cancel: AbortController;
  /** So many wait for it. */
  waiting: number;
  /** It takes so long that nobody waits for it any more. */
  isLate: boolean;
}

export interface BucketDaysOptions {
  readonly boxes: BucketBoxes;
  readonly sender: Pick<Sender, "run">;
  readonly bytes: FarBytes;
  /** What the bucket is called, for errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly detailBytesMax?: number;
}

/**
 * Days of channels, read from their manifests when somebody asks, those used last kept within a bound. A manifest that is there
 * is never changed, so its name says whether it is still the newest. Questions throw `RecordingsNeeded` while something of them
 * has to be read, and NvrdError NOT_AVAILABLE where it cannot be: never is a day that could not be read one without recordings.
 */
export class BucketDays {
  readonly #options: BucketDaysOptions;
  readonly #details = new Map<string, DayDetail>();
  readonly #outlines = new Map<string, DayOutline>();
  readonly #loading = new Map<string, Loading>();
  readonly #failures = new Map<string, { readonly error: NvrdError; readonly untilUs: number }>();
  readonly #turns = new Semaphore({ atOnce: LOADS_AT_ONCE, waitingMax: LOADS_WAITING_MAX });
  readonly #stopping = new AbortController();
  #detailBytes = 0;
  #outlineBytes = 0;

  constructor(options: BucketDaysOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Bytes that are kept, as they are counted. */
  get bytes(): number {
    return this.#detailBytes + this.#outlineBytes;
  }

  /** The channel with days that are known to be its days now; undefined: no box has it. */
  channel(id: Guid): BoxChannel | undefined {
    const { boxes } = this.#options;
    if (!boxes.isKnown) throw this.#failure(boxes.problem ?? "it is being listed", RETRY_MS);
    const channel = boxes.channel(id);
    if (channel === undefined || boxes.isFresh(channel.box)) return channel;
    const name = `box ${channel.box.prefix}`;
    this.#throwFailure(name);
    throw this.#needed([this.#load(name, () => boxes.relist(channel.box))]);
  }

  /** The segments of days of a stream, by day. */
  segments(
    channel: BoxChannel,
    streamType: StreamType,
    days: readonly number[],
  ): readonly (readonly DaySegment[])[] {
    return this.#all(this.#details, channel, days).map(({ segments }) => segments.get(streamType) ?? []);
  }

  /** As `segments`, where they are in memory; others are fetched, for who asks later. */
  segmentsAhead(channel: BoxChannel, streamType: StreamType, day: number): readonly DaySegment[] | undefined {
    try {
      return this.segments(channel, streamType, [day])[0];
    } catch (error) {
      if (error instanceof NvrdError) return undefined; // who reads on gets the error
      throw error;
    }
  }

  /** The runs of days of a stream, by day. */
  runs(channel: BoxChannel, streamType: StreamType, days: readonly number[]): readonly (readonly DayRun[])[] {
    return this.#all(this.#outlines, channel, days).map(({ runs }) => runs.get(streamType) ?? []);
  }

  /** Days that are there in their newest revision; throws where not all are. */
  #all<D extends Day>(kept: Map<string, D>, channel: BoxChannel, days: readonly number[]): readonly D[] {
    const found: D[] = [];
    const needed: Loading[] = [];
    for (const day of days) {
      const name = `${channel.id} ${day}`;
      const known = kept.get(name);
      if (known !== undefined && known.revision === channel.days.revisionOf(day)) {
        kept.delete(name);
        kept.set(name, known);
        found.push(known);
        continue;
      }
      this.#throwFailure(name);
      needed.push(this.#load(name, (signal) => this.#read(channel, day, signal)));
    }
    if (needed.length > 0) throw this.#needed(needed);
    return found;
  }

  /** What is read for somebody who is gone is given up, unless another one waits for it. */
  #needed(needed: readonly Loading[]): RecordingsNeeded {
    const limit = { clock: this.#options.clock, ms: WAIT_MS_MAX };
    const known = Promise.all(needed.map(({ done }) => endsWithin(done, limit)));
    return new RecordingsNeeded(known, () => {
      for (const loading of needed) loading.waiting += 1;
      return (isGone) => {
        for (const loading of needed) {
          loading.waiting -= 1;
          if (isGone && loading.waiting === 0) loading.cancel.abort();
        }
      };
    });
  }

  #throwFailure(name: string): void {
    const failure = this.#failures.get(name);
    if (failure === undefined) return;
    if (this.#options.clock.monotonicUs() < failure.untilUs) throw failure.error;
    this.#failures.delete(name);
  }

  /** Throws where it takes too long already. */
  #load(name: string, work: (signal: AbortSignal) => Promise<void>): Loading {
    const { clock } = this.#options;
    const under = this.#loading.get(name);
    if (under?.isLate === true) throw this.#failure("it answers slowly", RETRY_MS);
    // One that was given up may not have ended yet.
    if (under !== undefined && !under.cancel.signal.aborted) return under;
    const cancel = new AbortController();
    const loading: Loading = {
      done: this.#run(name, work, cancel.signal),
      cancel,
      waiting: 0,
      isLate: false,
    };
    this.#loading.set(name, loading);
    void loading.done.then(() => {
      if (this.#loading.get(name) === loading) this.#loading.delete(name);
    });
    void endsWithin(loading.done, { clock, ms: WAIT_MS_MAX }).then((isDone) => {
      loading.isLate = !isDone;
    });
    return loading;
  }

  /** Never rejects. */
  async #run(
    name: string,
    work: (signal: AbortSignal) => Promise<void>,
    cancelled: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#turns.run(() => work(cancelled), cancelled);
    } catch (error) {
      if (cancelled.aborted) return;
      if (this.#failures.size >= FAILURES_MAX) this.#failures.clear();
      const untilUs = clock.monotonicUs() + DOWN_MS * US_PER_MS;
      this.#failures.set(name, { error: this.#failureOf(error), untilUs });
    }
  }

  #failureOf(error: unknown): NvrdError {
    if (error instanceof NvrdError && error.code === "NOT_AVAILABLE") return error;
    const lasting = error instanceof SendError && error.isLasting;
    const asked = error instanceof SendError ? error.retryAfterMs : undefined;
    const waitMs = asked ?? (lasting ? RETRY_LASTING_MS : RETRY_MS);
    return this.#failure(errorText(error), Math.min(waitMs, RETRY_MS_MAX));
  }

  #failure(reason: string, retryAfterMs: number): NvrdError {
    const text = `what is recorded cannot be read from the bucket ${this.#options.name} now: ${reason}`;
    return new RecordingUnreachable(text, { retryAfterMs });
  }

  async #read(channel: BoxChannel, day: number, signal: AbortSignal): Promise<void> {
    const { boxes, log } = this.#options;
    const { box, ownId, days } = channel;
    const revision = days.revisionOf(day);
    if (revision === undefined) return;
    const newest = box.prefix + manifestKey(ownId, dayText(day), revision);
    const content = await this.#get(newest, signal);
    // A newer one has taken its place: its name is asked for.
    if (content === undefined) {
      await boxes.relist(box);
      if (boxes.channel(channel.id)?.days.revisionOf(day) === revision)
        throw new Error(`${newest} is listed and not there`);
      return;
    }
    let entries: readonly FoundEntry[];
    try {
      entries = await all(foundIn(content));
    } catch (error) {
      log.warn({ key: newest, error: errorText(error) }, "a manifest in the bucket cannot be read");
      entries = await this.#older(channel, day, { unreadable: newest, signal });
    }
    await this.#take(channel, day, { revision, entries, signal });
  }

  /** What the newest manifest says that can be read. Rejects where none can. */
  async #older(
    { box, ownId }: BoxChannel,
    day: number,
    { unreadable, signal }: { readonly unreadable: string; readonly signal: AbortSignal },
  ): Promise<readonly FoundEntry[]> {
    const folder = box.prefix + manifestFolder(ownId, dayText(day));
    const listed = await this.#options.sender.run({ op: "list", start: folder });
    const keys = listed
      .map(({ key }) => key)
      .filter((key) => key < unreadable && revisionOf(key) !== undefined);
    for (const key of keys.sort().reverse()) {
      const content = await this.#get(key, signal);
      if (content === undefined) continue;
      try {
        return await all(foundIn(content));
      } catch (error) {
        this.#options.log.warn({ key, error: errorText(error) }, "a manifest in the bucket cannot be read");
      }
    }
    throw new Error(`${unreadable} is no manifest that this version can read`);
  }

  async #get(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const work = { op: "get", key, bytesMax: MANIFEST_BYTES_MAX } as const;
    return await this.#options.sender.run(work, undefined, signal);
  }

  /** What a manifest names of a day, by stream, and the bytes that it takes. */
  async #segmentsOf(
    channel: BoxChannel,
    day: number,
    { entries, signal }: Pick<DayFound, "entries" | "signal">,
  ): Promise<{ readonly segments: Map<StreamType, DaySegment[]>; readonly bytes: number }> {
    const segments = new Map<StreamType, DaySegment[]>();
    const reading = { bytes: this.#options.bytes, signal };
    let bytes = DAY_BYTES;
    for (const entry of entries) {
      const summary = await summaryOf(channel.id, entry, reading);
      // A day's manifest says nothing of other days: questions would not find it again.
      if (summary === undefined || dayNumber(summary.fromUs) !== day) continue;
      const { gops, ...facts } = summary;
      const packedGops = packGopTable(gops, summary.fromUs);
      bytes += SEGMENT_BYTES + packedGops.length;
      const { streamType } = summary.key;
      const others = segments.get(streamType);
      if (others === undefined) segments.set(streamType, [{ ...facts, packedGops }]);
      else others.push({ ...facts, packedGops });
    }
    return { segments, bytes };
  }

  async #take(channel: BoxChannel, day: number, { revision, entries, signal }: DayFound): Promise<void> {
    const { segments, bytes } = await withAnyOf([this.#stopping.signal, signal], (any) =>
      this.#segmentsOf(channel, day, { entries, signal: any }),
    );
    const runs = new Map<StreamType, readonly DayRun[]>();
    for (const [streamType, own] of segments) {
      own.sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs);
      runs.set(streamType, runsOf(own));
    }
    const counted = [...runs.values()].reduce((sum, { length }) => sum + length * RUN_BYTES, DAY_BYTES);
    const name = `${channel.id} ${day}`;
    const { detailBytesMax = DETAIL_BYTES_MAX } = this.#options;
    this.#detailBytes += keep(this.#details, name, { revision, bytes, segments });
    this.#detailBytes -= dropOldest(this.#details, this.#detailBytes - detailBytesMax);
    this.#outlineBytes += keep(this.#outlines, name, { revision, bytes: counted, runs });
    this.#outlineBytes -= dropOldest(this.#outlines, this.#outlineBytes - OUTLINE_BYTES_MAX);
  }
}

/** A segment as the archive knows it. */
export function summaryOfDay({ packedGops, ...facts }: DaySegment): SegmentSummary {
  return { ...facts, gops: unpackGopTable(packedGops, facts.fromUs) };
}

/** Runs of segments, in their order. */
function runsOf(segments: readonly DaySegment[]): readonly DayRun[] {
  const runs: DayRun[] = [];
  for (const { fragmentId: id, epoch, fromUs, toUs } of segments) {
    const last = runs.at(-1);
    if (last?.id === id && last.epoch === epoch && fromUs <= last.toUs)
      runs[runs.length - 1] = { ...last, toUs: Math.max(last.toUs, toUs) };
    else runs.push({ id, epoch, fromUs, toUs });
  }
  return runs;
}

/** Answers by how many bytes more are kept. */
function keep<D extends Day>(kept: Map<string, D>, name: string, day: D): number {
  const before = kept.get(name)?.bytes ?? 0;
  kept.delete(name);
  kept.set(name, day);
  return day.bytes - before;
}

/** Drops what was used longest ago, but for the last, until so many bytes are free; answers how many were. */
function dropOldest(kept: Map<string, Day>, bytes: number): number {
  let dropped = 0;
  for (const [name, day] of kept) {
    if (dropped >= bytes || kept.size === 1) break;
    kept.delete(name);
    dropped += day.bytes;
  }
  return dropped;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
