import { type Clock, type ClockTimer, errorText, type Guid, type Log, Semaphore } from "../../base/index.js";
import type { LmdbSegmentIndex } from "../index/lmdb-segment-index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";
import type {
  SegmentFile,
  SegmentSummary,
  SummaryOutcome,
  VolumeAccess,
} from "../segment/segment-summary.js";
import { checkArchive } from "./check.js";
import { rebuildIndex, SUMMARIES_AT_ONCE } from "./rebuild.js";
import { isElsewhere } from "./segment-twins.js";
import { type MarkedVolume, VolumeMarks } from "./volume-marks.js";

/** Time between two checks for new volumes. */
const TURN_INTERVAL_MS = 5_000;
/** A volume that could not be read whole is tried again after this long. */
const RETRY_US = 600_000_000;
/** A volume gets a new mark after this long, and sooner after recordings were moved. */
const MARK_US = 86_400_000_000;
const MARK_MOVED_US = 600_000_000;
const BEFORE_EVERYTHING = { epoch: 0, fromUs: -1 };
/** Time between two lines of the log that say how far a volume is. */
const LOG_INTERVAL_US = 60_000_000;

export interface UpkeepVolume extends VolumeAccess, MarkedVolume {
  newestFiles(): Promise<readonly SegmentFile[]>;
}

/** How far the volumes that are being read into the index are. */
export interface IndexReading {
  /** Segment files read so far. */
  readonly files: number;
  /** How much of the volumes' days is read, 0 to 1: their mean. */
  readonly share: number;
}

export interface IndexUpkeepOptions {
  readonly index: LmdbSegmentIndex;
  /** The volumes that are there. */
  readonly volumes: () => readonly UpkeepVolume[];
  /** Gets `index-rebuilt`, for each volume that was read in. */
  readonly notice?: ArchiveNoticeListener;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the index complete while recording continues: reads in the volumes of an index that was rebuilt,
 * volumes that come from elsewhere, and those that know newer segments than an index from an older day.
 */
export class IndexUpkeep {
  readonly #options: IndexUpkeepOptions;
  readonly #stopping = new AbortController();
  /** Volumes that were checked since they appeared, or are being checked. */
  readonly #seen = new Set<Guid>();
  /** Volumes that were checked at least once, or could not be. */
  readonly #checked = new Set<Guid>();
  readonly #retryUs = new Map<Guid, number>();
  readonly #running = new Set<Promise<void>>();
  /** Volumes that are being looked at, and those of them that are to be looked at once more. */
  readonly #looking = new Set<Guid>();
  readonly #again = new Set<Guid>();
  readonly #reading = new Map<Guid, IndexReading>();
  readonly #marks: VolumeMarks;
  /** When each volume got its mark, and how many segments had been moved then. */
  readonly #marked = new Map<Guid, { readonly atUs: number; readonly moved: number }>();
  readonly #turns = new Semaphore({ atOnce: 1, waitingMax: Number.POSITIVE_INFINITY });
  #timer: ClockTimer | undefined;
  readonly #volumeOf = (id: Guid) => this.#options.volumes().find((volume) => volume.id === id);

  constructor(options: IndexUpkeepOptions) {
    this.#options = options;
    const { index, log } = options;
    this.#marks = new VolumeMarks({ index, log, signal: this.#stopping.signal });
  }

  /** Begins; the index must be open. */
  start(): void {
    this.#timer = this.#options.clock.setInterval(() => this.#turn(), TURN_INTERVAL_MS);
    this.#turn();
  }

  /** Whether the index may lack recordings of a volume that are still to be read: before the first check has ended. */
  isReadIn(volumeId: Guid): boolean {
    return !this.#checked.has(volumeId);
  }

  /** Undefined while no volume is being read in. */
  get reading(): IndexReading | undefined {
    const all = [...this.#reading.values()];
    if (all.length === 0) return undefined;
    const sumOf = (figure: keyof IndexReading) => all.reduce((sum, one) => sum + one[figure], 0);
    return { files: sumOf("files"), share: sumOf("share") / all.length };
  }

  /** Resolves when nothing is being read. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#stopping.abort();
    await this.idle();
  }

  #turn(): void {
    if (this.#stopping.signal.aborted) return;
    const volumes = this.#options.volumes();
    const here = new Set(volumes.map(({ id }) => id));
    for (const id of this.#seen) if (!here.has(id)) this.#seen.delete(id);
    for (const id of this.#checked)
      if (!here.has(id) && !this.#options.index.isWhole(id)) this.#checked.delete(id);
    const nowUs = this.#options.clock.monotonicUs();
    for (const volume of volumes) {
      if (this.#isMarkOld(volume, nowUs)) this.#mark(volume);
      if (this.#seen.has(volume.id) || nowUs < (this.#retryUs.get(volume.id) ?? 0)) continue;
      this.#seen.add(volume.id);
      const running = this.#look(volume).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Not of a volume that is not known to be followed. */
  #isMarkOld({ id }: UpkeepVolume, nowUs: number): boolean {
    const marked = this.#marked.get(id);
    if (marked === undefined || this.#looking.has(id) || !this.#isFollowed(id)) return false;
    const isMoved = marked.moved !== this.#options.index.movedSegments;
    return nowUs - marked.atUs >= (isMoved ? MARK_MOVED_US : MARK_US);
  }

  #isFollowed(id: Guid): boolean {
    return this.#options.index.isWhole(id) && !this.#options.index.isDoubted(id);
  }

  /** In the background: it may wait for the system disk, which nothing else has to. */
  #mark(volume: UpkeepVolume): void {
    const { index, clock } = this.#options;
    this.#marked.set(volume.id, { atUs: clock.monotonicUs(), moved: index.movedSegments });
    void this.#marks.renew(volume);
  }

  #doubtOthers({ id: ofId }: UpkeepVolume): void {
    const { index, volumes } = this.#options;
    for (const { id } of volumes()) if (id !== ofId && index.isWhole(id)) index.noteDoubted(id);
  }

  /** Each doubted volume is compared, after what is done with it now. */
  #lookAgain(): void {
    const { index, volumes } = this.#options;
    for (const { id } of volumes()) {
      if (!index.isDoubted(id)) continue;
      if (this.#looking.has(id)) this.#again.add(id);
      else this.#seen.delete(id);
    }
    this.#turn();
  }

  async #look(volume: UpkeepVolume): Promise<void> {
    this.#looking.add(volume.id);
    await this.#seeTo(volume);
    this.#looking.delete(volume.id);
    this.#checked.add(volume.id);
    if (!this.#again.delete(volume.id)) return;
    this.#seen.delete(volume.id);
    this.#turn();
  }

  async #seeTo(volume: UpkeepVolume): Promise<void> {
    const { index, log } = this.#options;
    try {
      if (index.isDoubted(volume.id)) await this.#settleDoubt(volume);
      else if (!index.isWhole(volume.id)) await this.#readIn(volume);
      else if (await this.#isProven(volume)) index.noteProven(volume.id);
      else await this.#setRight(volume);
      if (this.#isFollowed(volume.id)) this.#mark(volume);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#tryLater(volume);
      log.error({ volume: volume.id, error: errorText(error) }, "the index may lack recordings of a volume");
    }
  }

  async #isProven(volume: UpkeepVolume): Promise<boolean> {
    if (!(await this.#marks.isCurrent(volume))) return false;
    return !(await this.#isBehind(volume)) && !(await this.#hasGhosts(volume));
  }

  async #readIn(volume: UpkeepVolume): Promise<void> {
    const { index, log } = this.#options;
    const { signal } = this.#stopping;
    const { onProgress, end } = this.#progressOf(volume);
    const what = { index, volumes: [volume], volumeOf: this.#volumeOf, onProgress };
    const result = await rebuildIndex({ ...what, log, signal }).finally(end);
    if (result.failedVolumes.length > 0) return this.#tryLater(volume);
    if (await this.#hasGhosts(volume)) return await this.#setRight(volume);
    await index.rebuilt([volume.id]);
    const { files, indexed, unreadable, unclosed } = result;
    if (files === 0) return;
    log.info({ volume: volume.id, files, indexed, unreadable, unclosed }, "the index has read a volume in");
    this.#options.notice?.({ kind: "index-rebuilt", segments: indexed });
  }

  /** Takes the progress, and logs it now and then. */
  #progressOf({ id }: UpkeepVolume) {
    const { clock, log } = this.#options;
    let loggedUs = Number.NEGATIVE_INFINITY;
    this.#reading.set(id, { files: 0, share: 0 });
    return {
      onProgress: ({ files, share }: IndexReading) => {
        this.#reading.set(id, { files, share });
        const nowUs = clock.monotonicUs();
        if (share === 1 || nowUs - loggedUs < LOG_INTERVAL_US) return;
        loggedUs = nowUs;
        log.info({ volume: id, files, share }, "the index is reading a volume in");
      },
      end: () => void this.#reading.delete(id),
    };
  }

  /** Whether the volume holds closed segments that the index should know there: if so, the index is out of date. */
  async #isBehind(volume: UpkeepVolume): Promise<boolean> {
    const { store } = this.#options.index;
    const outcomes = await volume.readSummaries(await volume.newestFiles(), { deep: false });
    for (const outcome of outcomes) {
      if (!("summary" in outcome)) continue;
      const { summary, file } = outcome;
      const known = store.find(summary);
      if (known === undefined && !store.isUnlinking({ volumeId: volume.id, file })) return true;
      if (known !== undefined && isElsewhere(known, summary) && (await this.#isGone(known))) return true;
    }
    return false;
  }

  /** Whether the index has a record of a file that was moved to another volume since. */
  async #isGone(record: SegmentSummary): Promise<boolean> {
    const [outcome] = (await this.#volumeOf(record.volumeId)?.readSummaries([record], { deep: false })) ?? [];
    return outcome !== undefined && this.#isGhost(record, outcome);
  }

  /**
   * Whether the index names files that are gone: it is from before they were removed, of which the oldest of a stream go first, or
   * before they were moved, of which the newest do.
   */
  async #hasGhosts(volume: UpkeepVolume): Promise<boolean> {
    const { index } = this.#options;
    const ends = index.streams().flatMap((key) => {
      const oldest = index.stored.followingOn(volume.id, key, BEFORE_EVERYTHING);
      return [oldest ?? [], index.stored.newestOn(volume.id, key) ?? []].flat();
    });
    for (let at = 0; at < ends.length; at += SUMMARIES_AT_ONCE) {
      const records = ends.slice(at, at + SUMMARIES_AT_ONCE);
      const outcomes = await volume.readSummaries(records, { deep: false });
      if (outcomes.some((outcome, nth) => this.#isGhost(records[nth], outcome))) return true;
    }
    return false;
  }

  /** Retention takes a record out before its file. */
  #isGhost(record: SegmentSummary | undefined, outcome: SummaryOutcome): boolean {
    const isGone = "error" in outcome && "code" in outcome.error && outcome.error.code === "ENOENT";
    return isGone && record !== undefined && this.#options.index.closed(record)?.volumeId === record.volumeId;
  }

  /** An index that is out of date is so for all volumes, and what is gone from one may lie on another. */
  async #setRight(volume: UpkeepVolume): Promise<void> {
    this.#doubtOthers(volume);
    await this.#compareInTurn(volume);
    this.#lookAgain();
  }

  /** The others are doubted only where something is gone from here: each would be the reason for the next one. */
  async #settleDoubt(volume: UpkeepVolume): Promise<void> {
    if (await this.#hasGhosts(volume)) return await this.#setRight(volume);
    if (!(await this.#compareInTurn(volume))) return;
    this.#doubtOthers(volume);
    this.#lookAgain();
  }

  /** One volume after the other: of a segment that two of them have, one file counts, whichever is looked at first. */
  async #compareInTurn(volume: UpkeepVolume): Promise<boolean> {
    return await this.#turns.run(() => {
      this.#stopping.signal.throwIfAborted();
      return this.#compare(volume);
    });
  }

  /** Whether records were found whose files are gone. */
  async #compare(volume: UpkeepVolume): Promise<boolean> {
    const { index, log } = this.#options;
    log.error({ volume: volume.id }, "the index is out of date: it is being updated from the recordings");
    index.noteDoubted(volume.id);
    await index.flush();
    const { signal } = this.#stopping;
    const report = await checkArchive({
      ...{ index, volumes: [volume], volumeOf: this.#volumeOf, deep: false, rebuild: true, log, signal },
    });
    const { files, problems, repaired } = report.counts;
    log.info({ volume: volume.id, files, problems, repaired }, "the index was set right");
    if (!index.isWhole(volume.id)) this.#tryLater(volume);
    const isCut = report.problems.length < problems;
    return isCut || report.problems.some(({ kind }) => kind === "record-without-file");
  }

  #tryLater(volume: UpkeepVolume): void {
    this.#retryUs.set(volume.id, this.#options.clock.monotonicUs() + RETRY_US);
    this.#seen.delete(volume.id);
  }
}
