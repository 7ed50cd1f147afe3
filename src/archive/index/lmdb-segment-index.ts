import {
  type Clock,
  type ClockTimer,
  endsWithin,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  readBootId,
  type StreamKey,
} from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type { SeekOptions, SegmentIndex } from "../segment/segment-index.js";
import type { ReadableSegment } from "../segment/segment-reading.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type {
  ArchiveFragment,
  DayTotal,
  RecordedChangeListener,
  RecordedDay,
  RecordedStretch,
} from "../segment/types.js";
import { CommitWaiters } from "./commit-waiters.js";
import type { IndexDatabase, OpenIndex } from "./index-database.js";
import { IndexHealth } from "./index-health.js";
import { IndexOpener, type IndexOpenerOptions } from "./index-opener.js";
import { type IndexStore, memoryStore, type UnlinkedFile } from "./index-store.js";
import { OpenSegments } from "./open-segments.js";
import { SegmentQueries } from "./segment-queries.js";
import { checkSummary } from "./segment-record.js";
import { StoredSegments } from "./stored-segments.js";
import { WholeVolumes } from "./whole-volumes.js";

/** Segments kept in memory while the index cannot commit; further ones stay in `open/` and are indexed at the next start. */
const UNCOMMITTED_SEGMENTS_MAX = 10_000;
/** Changes kept in memory while the index cannot commit; beyond them `remove` is refused. */
export const UNCOMMITTED_CHANGES_MAX = 200_000;
/** Uncommitted segments that start a commit before the next tick. */
const COMMIT_SEGMENTS = 1024;
const COMMIT_INTERVAL_MS = 10_000;
/** How long the index must be open, and commit, before a crash of the process no longer counts against it. */
const SETTLED_MS = 3_000;
/** Longest wait of `stop` for the last commit; segments that are not durable then are still in `open/`. */
const STOP_COMMIT_MS = 2000;
const UNLINKS_LISTED_MAX = 1024;

export interface LmdbSegmentIndexOptions {
  /** Directory of the LMDB environment, made where it is missing. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 10 s. */
  readonly commitIntervalMs?: number;
  /** Free bytes to leave on the index's disk; default 64 MiB. */
  readonly reserveBytes?: number;
  /** Ids of all volumes this recorder ever had: an index that knows none of them belongs to another recorder. */
  readonly knownVolumeIds?: () => readonly Guid[];
  /** Gets `index-lost`, `index-failing` and `index-works`. */
  readonly notice?: ArchiveNoticeListener;
  /** Opens what the index is written to; default: LMDB's environment in `directory`. */
  readonly open?: (options: IndexOpenerOptions) => Promise<OpenIndex | undefined>;
}

export interface IndexStatus {
  /** The index on disk is open; before that, queries see open segments and new ones alone. */
  readonly ready: boolean;
  /** Why it is not. */
  readonly failure: string | undefined;
  /** The last commit failed; it is tried again. */
  readonly failing: boolean;
  readonly uncommittedSegments: number;
  /** Segments not taken because too many waited for a commit. */
  readonly droppedSegments: number;
  readonly damagedRecords: number;
}

/**
 * The index of the archive in LMDB (docs/design/archive-index.md). `start` returns at once: the file is walked in a child
 * process, then opened; until then segments are taken and found in memory. Nothing here waits for the disk but `flush`,
 * `remove` and `stop`.
 */
export class LmdbSegmentIndex implements SegmentIndex {
  readonly #options: LmdbSegmentIndexOptions;
  readonly #log: Log;
  readonly #health: IndexHealth;
  readonly #open = new OpenSegments();
  readonly #queries = new SegmentQueries(() => this.#store, this.#open);
  /** Closed segments by stream and volume, for retention and the evidence lock. */
  readonly stored = new StoredSegments(() => this.#store);
  readonly #whole = new WholeVolumes(() => this.#store);
  readonly #stopping = new AbortController();
  readonly #listeners: ((files: readonly SegmentSummary[]) => void)[] = [];
  /** Segments added and not yet durable, with the generation of changes they are in. */
  readonly #uncommitted = new Map<
    number,
    { readonly summary: SegmentSummary; readonly generation: number }
  >();
  readonly #held = new Set<number>();
  #movedSegments = 0;
  #store: IndexStore = memoryStore();
  #environment: IndexDatabase | undefined;
  #ready: Promise<void> = Promise.resolve();
  #endAttempt: () => void = () => undefined;
  readonly #tried = new Promise<void>((resolve) => {
    this.#endAttempt = resolve;
  });
  #failure: Error | undefined;
  #timers: ClockTimer[] = [];
  #committing: Promise<void> | undefined;
  readonly #waiters = new CommitWaiters();
  readonly #changeListeners: RecordedChangeListener[] = [];
  #droppedSegments = 0;
  #serial = 0;

  constructor(options: LmdbSegmentIndexOptions) {
    this.#options = options;
    this.#log = options.log.child({ part: "index" });
    this.#health = new IndexHealth({ ...options, log: this.#log });
  }

  /** Starts to open the index and returns; `ready` gives the result. */
  start(): void {
    this.#ready = this.#openEnvironment();
    this.#ready.catch((error: unknown) => {
      this.#log.error(
        { error: errorText(error) },
        "the index cannot be opened; recording goes on without it",
      );
    });
    const intervalMs = this.#options.commitIntervalMs ?? COMMIT_INTERVAL_MS;
    this.#timers.push(this.#options.clock.setInterval(() => this.#commitSoon(), intervalMs));
  }

  /** Resolves when the index on disk is open, or was stopped before; it waits while its disk fails. Rejects with FORMAT_NEWER. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** As `ready`, but does not wait for a disk that refuses. Rejects with FORMAT_NEWER or NOT_AVAILABLE. */
  async opened(): Promise<void> {
    await this.#tried;
    if (this.#environment !== undefined) return;
    throw this.#failure ?? new NvrdError("NOT_AVAILABLE", "the index is closed");
  }

  /**
   * Commits what is there, waiting 2 s at most, and closes the index. Callers that wait for a commit are notified in any case.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) timer.clear();
    await Promise.allSettled([this.#ready]);
    if (this.#environment === undefined) return;
    try {
      const inTime = await endsWithin(this.#finish(), { clock: this.#options.clock, ms: STOP_COMMIT_MS });
      if (!inTime) this.#log.error("the index's last commit did not end in time");
    } finally {
      this.#environment = undefined;
      this.#waiters.fail(new NvrdError("NOT_AVAILABLE", "the index is stopped"));
    }
  }

  /** Whether the index holds all that a volume holds. */
  isWhole(volumeId: Guid): boolean {
    return this.#whole.has(volumeId);
  }

  /** Notes that the index holds all that these volumes hold. Resolves when that is durable. */
  async rebuilt(volumeIds: readonly Guid[]): Promise<void> {
    for (const id of volumeIds) this.#whole.add(id);
    await this.flush();
  }

  /** The files of a volume show that the index is not older than they are. */
  noteProven(volumeId: Guid): void {
    this.#whole.prove(volumeId);
  }

  /** Notes that the index may lack segments of a volume, and have some that are gone. */
  noteDoubted(volumeId: Guid): void {
    this.#whole.doubt(volumeId);
  }

  isDoubted(volumeId: Guid): boolean {
    return this.#whole.isDoubted(volumeId);
  }

  /** Notes that a volume may hold segments that the index lacks. */
  noteLacking(volumeId: Guid): void {
    this.#whole.remove(volumeId);
  }

  /** The mark that the index has in common with a volume that it follows; undefined: none yet. */
  markOf(volumeId: Guid): Guid | undefined {
    return this.#whole.markOf(volumeId);
  }

  noteMark(volumeId: Guid, mark: Guid): void {
    this.#whole.noteMark(volumeId, mark);
  }

  /** Records that were moved to another volume since the start. */
  get movedSegments(): number {
    return this.#movedSegments;
  }

  status(): IndexStatus {
    return {
      ready: this.#environment !== undefined,
      failing: this.#health.isFailing,
      uncommittedSegments: this.#uncommitted.size,
      droppedSegments: this.#droppedSegments,
      failure: this.#failure === undefined ? undefined : errorText(this.#failure),
      damagedRecords: this.#environment?.damagedRecords ?? 0,
    };
  }

  /** Incremented for each segment added or removed. */
  get serial(): number {
    return this.#serial;
  }

  /** Also that its file has left `open/`. */
  isDurable(segmentId: number): boolean {
    return !this.#uncommitted.has(segmentId) && !this.#held.has(segmentId);
  }

  hold(segmentId: number): () => void {
    this.#held.add(segmentId);
    return () => this.#held.delete(segmentId);
  }

  /** The tables, for check and rebuild. */
  get store(): IndexStore {
    return this.#store;
  }

  trackOpen(segment: OpenSegment): void {
    this.#open.track(segment);
  }

  forgetOpen(segmentId: number): void {
    this.#open.forget(segmentId);
  }

  /** Throws NvrdError INTERNAL for a segment that cannot be indexed. */
  add(summary: SegmentSummary): void {
    checkSummary(summary);
    this.#open.forget(summary.segmentId);
    if (this.#uncommitted.size >= UNCOMMITTED_SEGMENTS_MAX) {
      if (this.#droppedSegments === 0)
        this.#log.error(
          "too many segments are waiting for the index; new ones are not indexed until the next start",
        );
      this.#droppedSegments += 1;
      return;
    }
    const outcome = this.#store.add(summary);
    this.#serial += 1;
    const { key, fromUs, toUs } = summary;
    this.#notifyChange({ key, fromUs, toUs, ...(outcome === "leaving" ? {} : { added: summary }) });
    if (outcome === "leaving") return;
    this.#whole.noteAdded(summary.volumeId);
    this.#uncommitted.set(summary.segmentId, { summary, generation: this.#store.generation });
    if (this.#uncommitted.size >= COMMIT_SEGMENTS && !this.#health.isFailing) this.#commitSoon();
  }

  closed(segment: Pick<ReadableSegment, "key" | "segmentId" | "fromUs">): SegmentSummary | undefined {
    return this.#store.find(segment);
  }

  move(from: SegmentSummary, to: SegmentSummary): boolean {
    checkSummary(to);
    if (!this.#store.move(from, to)) return false;
    this.#whole.noteAdded(to.volumeId);
    this.#serial += 1;
    this.#movedSegments += 1;
    this.#uncommitted.set(to.segmentId, { summary: to, generation: this.#store.generation });
    this.#notifyChange(to);
    return true;
  }

  /** Rejects with NvrdError NOT_AVAILABLE when the index is stopped, else as `ready`; while its disk fails, it waits. */
  async flush(): Promise<void> {
    await this.#ready;
    if (this.#environment === undefined) throw new NvrdError("NOT_AVAILABLE", "the index is stopped");
    const durable = this.#waiters.durable(this.#store.generation);
    this.#commitSoon();
    await durable;
  }

  onCommitted(listener: (files: readonly SegmentSummary[]) => void): void {
    this.#listeners.push(listener);
  }

  onChange(listener: RecordedChangeListener): void {
    this.#changeListeners.push(listener);
  }

  keptDay(key: StreamKey, day: number): RecordedDay | undefined {
    return this.#store.keptDay(key, day);
  }

  keepDay(key: StreamKey, day: number, recorded: RecordedDay): void {
    if (this.#store.changeCount < UNCOMMITTED_CHANGES_MAX / 2) this.#store.keepDay(key, day, recorded);
  }

  dayTotal(key: StreamKey, day: number): DayTotal {
    return this.#store.dayTotal(key, day);
  }

  seek(key: StreamKey, timeUs: number, options?: SeekOptions): SegmentSummary | OpenSegment | undefined {
    return this.#queries.seek(key, timeUs, options);
  }

  following(
    key: StreamKey,
    segment: { readonly segmentId: number; readonly epoch: number; readonly fromUs: number },
    options?: SeekOptions,
  ): SegmentSummary | OpenSegment | undefined {
    return this.#queries.following(key, segment, options);
  }

  last(
    key: StreamKey,
    at: { readonly epoch: number; readonly fromUs: number },
  ): SegmentSummary | OpenSegment | undefined {
    return this.#queries.last(key, at);
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    return this.#queries.stretches(key, fromUs, toUs);
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    return this.#queries.fragments(key, fromUs, toUs);
  }

  newest(key: StreamKey): SegmentSummary | OpenSegment | undefined {
    return this.#queries.newest(key);
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    return this.#queries.nearestKeyFrameUs(key, timeUs);
  }

  streams(): StreamKey[] {
    return this.#queries.streams();
  }

  oldest(limit: number, volumeId?: Guid): SegmentSummary[] {
    return this.#store.oldest(limit, volumeId, (summary) => this.isDurable(summary.segmentId));
  }

  /** Bytes of a volume's segments, those being written included. */
  volumeBytes(volumeId: Guid): number {
    return this.#store.volumeTotal(volumeId).bytes + this.#open.bytesOf(volumeId);
  }

  /** Bytes of a volume's segments that are being written. */
  openBytes(volumeId: Guid): number {
    return this.#open.bytesOf(volumeId);
  }

  /** Closed segments of a volume. */
  volumeSegments(volumeId: Guid): number {
    return this.#store.volumeTotal(volumeId).segments;
  }

  async remove(summaries: readonly SegmentSummary[]): Promise<void> {
    await this.#ready;
    if (this.#store.changeCount + 4 * summaries.length > UNCOMMITTED_CHANGES_MAX) {
      throw new NvrdError(
        "NOT_AVAILABLE",
        "the index cannot be written; nothing more can be taken out of it",
      );
    }
    this.forget(summaries, { unlink: true });
    await this.flush();
  }

  /** Removes segments at once, durably with the next commit; with `unlink` their files are listed for removal. */
  forget(summaries: readonly SegmentSummary[], options: { readonly unlink: boolean }): void {
    const { removed, strays } = this.#store.remove(summaries, options);
    this.#serial += 1;
    for (const { segmentId } of removed) this.#uncommitted.delete(segmentId);
    for (const summary of summaries) this.#notifyChange(summary);
    if (strays > 0) this.#log.warn({ strays }, "segments without a fragment in the index: run nvrd check");
  }

  /** At the most 1024 of them. */
  pendingUnlinks(volumeId?: Guid): UnlinkedFile[] {
    return this.#store.unlinks(UNLINKS_LISTED_MAX, volumeId);
  }

  unlinked(files: readonly UnlinkedFile[]): void {
    this.#store.unlinked(files);
  }

  async #openEnvironment(): Promise<void> {
    const { open = (options) => new IndexOpener(options).open() } = this.#options;
    const openerOptions: IndexOpenerOptions = {
      ...this.#options,
      bootId: readBootId(this.#log),
      log: this.#log,
      signal: this.#stopping.signal,
      onRefused: (reason) => {
        this.#health.notOpened(reason);
        this.#failure = new NvrdError("NOT_AVAILABLE", `the index cannot be opened: ${reason}`);
        this.#endAttempt();
      },
    };
    try {
      const opened = await open(openerOptions);
      if (opened === undefined) return;
      this.#failure = undefined;
      this.#adopt(opened.environment, opened.store);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(errorText(error));
      throw error;
    } finally {
      this.#endAttempt();
    }
  }

  /** Switches from memory to the index on disk, including what was added meanwhile. */
  #adopt(environment: IndexDatabase, store: IndexStore): void {
    this.#environment = environment;
    this.#store = store;
    this.#whole.opened();
    const waiting = [...this.#uncommitted.values()];
    this.#uncommitted.clear();
    for (const { summary } of waiting) this.add(summary);
    this.#notifyChange(undefined);
    this.#settleLater();
    this.#commitSoon();
  }

  #notifyChange(change: Parameters<RecordedChangeListener>[0]): void {
    for (const listener of this.#changeListeners) listener(change);
  }

  #settleLater(): void {
    this.#timers.push(this.#options.clock.setTimeout(() => this.#settle(), SETTLED_MS));
  }

  #settle(): void {
    if (this.#committing !== undefined || this.#health.isFailing) {
      this.#settleLater();
      return;
    }
    void this.#noteSettled(this.#environment);
  }

  /** Without the note, a crash of the process counts against the index once more: no reason to fail. */
  async #noteSettled(environment: IndexDatabase | undefined): Promise<void> {
    try {
      await environment?.noteSettled();
    } catch (error) {
      this.#log.warn({ error: errorText(error) }, "cannot note that the index is well");
    }
  }

  async #finish(): Promise<void> {
    if (this.#committing !== undefined) await this.#committing;
    await this.#commit();
    const environment = this.#environment;
    await environment?.close();
    await this.#noteSettled(environment);
    if (environment?.damagedRecords === 0 && !this.#health.isFailing) await environment.noteClosed();
  }

  /** Starts a commit; while one runs, the next starts when it ends and someone waits for it. */
  #commitSoon(): void {
    if (this.#committing !== undefined || this.#environment === undefined) return;
    this.#committing = this.#commit().finally(() => {
      this.#committing = undefined;
      if (!this.#waiters.isEmpty && !this.#health.isFailing) this.#commitSoon();
    });
  }

  async #commit(): Promise<void> {
    const environment = this.#environment;
    if (environment === undefined) return;
    const store = this.#store;
    try {
      if (store.changeCount > 0) await environment.checkRoom();
      const generation = store.nextGeneration();
      if (store.changeCount > 0) await environment.commit();
      for (const table of Object.values(store.tables)) table.settle(generation);
      this.#reportDurable(generation);
    } catch (error) {
      this.#health.notCommitted(error);
      return;
    }
    this.#health.committed();
  }

  #reportDurable(generation: number): void {
    const durable: SegmentSummary[] = [];
    for (const [segmentId, added] of this.#uncommitted) {
      if (added.generation > generation) continue;
      durable.push(added.summary);
      this.#uncommitted.delete(segmentId);
    }
    this.#waiters.settle(generation);
    if (durable.length > 0) for (const listener of this.#listeners) listener(durable);
  }
}
