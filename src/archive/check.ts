import { isDeepStrictEqual } from "node:util";
import { errorText, type Guid, type Log, streamKeyText } from "../base/index.js";
import { type CheckReport, ProblemList } from "./check-report.js";
import { compareFragments, FragmentCheck } from "./fragment-check.js";
import { MICROSECONDS_PER_DAY } from "./index-keys.js";
import type { LmdbSegmentIndex } from "./lmdb-segment-index.js";
import { SegmentIdSet } from "./segment-id-set.js";
import { type SegmentFile, type SegmentSummary, segmentPath, type VolumeAccess } from "./segment-summary.js";
import type { StoredSegment } from "./segment-table.js";
import { counted, NOTHING, type Total } from "./total-table.js";
import type { AbsentVolume } from "./volume-set.js";

/** Files read at once on one volume. */
const READS_AT_ONCE = 4;
/** Records looked at between two pauses, so that the service's other work goes on. */
const RECORDS_A_STEP = 256;
/** Added segments between two commits. */
const REPAIRS_A_COMMIT = 1024;

export interface CheckProgress {
  readonly files: number;
  readonly records: number;
}

export interface CheckOptions {
  readonly index: LmdbSegmentIndex;
  readonly volumes: readonly VolumeAccess[];
  /** Volumes that belong to the archive and are not there. */
  readonly absent?: readonly AbsentVolume[];
  /** Also reads every frame and checks its CRC. */
  readonly deep: boolean;
  /** Repairs the index from the segments (`--rebuild`). Segments are never changed. */
  readonly rebuild: boolean;
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CheckProgress) => void;
}

/**
 * Compares index and segments both ways (docs/design/archive-index.md, Check); may run beside recording and retention.
 * Rejects when the index cannot be opened or the signal says so; all else it finds stands in the report.
 */
export async function checkArchive(options: CheckOptions): Promise<CheckReport> {
  await options.index.ready();
  return await new Check(options).run();
}

class Check {
  readonly #options: CheckOptions;
  readonly #index: LmdbSegmentIndex;
  readonly #problems = new ProblemList();
  readonly #seen = new SegmentIdSet();
  readonly #volumes: ReadonlyMap<Guid, VolumeAccess>;
  readonly #unreadable = new Set<number>();
  readonly #absentVolumes = new Set<Guid>();
  readonly #failedVolumes = new Set<Guid>();
  readonly #days = new Map<string, { day: number; stream: number; total: Total }>();
  readonly #volumeTotals = new Map<Guid, Total>();
  /** Whether every volume of the archive was read to its end. */
  #allVolumes = true;
  #files = 0;
  #records = 0;
  #leaving = 0;
  #repairs = 0;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#index = options.index;
    this.#volumes = new Map(options.volumes.map((volume) => [volume.id, volume]));
  }

  async run(): Promise<CheckReport> {
    const { deep, rebuild } = this.#options;
    this.#reportAbsent();
    const indexLost = this.#index.rebuildNeeded;
    await Promise.all(this.#options.volumes.map((volume) => this.#checkFiles(volume)));
    const serial = this.#index.serial;
    const fragments = await this.#checkRecords();
    const totalsCompared = this.#index.serial === serial;
    if (totalsCompared) this.#checkTotals();
    if (rebuild) await this.#finishRepairs();
    // A service that rebuilds its index beside this check may have done so by now.
    if (indexLost && (rebuild || this.#index.rebuildNeeded)) {
      const repaired = !this.#index.rebuildNeeded;
      this.#report("index-lost", "index", "it was missing or damaged, and is made anew", repaired);
    }
    return {
      deep,
      totalsCompared,
      counts: {
        files: this.#files,
        records: this.#records,
        fragments,
        leaving: this.#leaving,
        problems: this.#problems.count,
        repaired: this.#problems.repaired,
      },
      problems: this.#problems.problems,
    };
  }

  #reportAbsent(): void {
    for (const { directory, reason } of this.#options.absent ?? []) {
      this.#allVolumes = false;
      this.#report("volume-failed", directory, reason, false);
    }
  }

  async #finishRepairs(): Promise<void> {
    if (this.#allVolumes) await this.#index.rebuilt();
    else await this.#index.flush();
  }

  async #checkFiles(volume: VolumeAccess): Promise<void> {
    try {
      for await (const files of volume.listSegments()) {
        for (let at = 0; at < files.length; at += READS_AT_ONCE) {
          this.#options.signal?.throwIfAborted();
          await Promise.all(files.slice(at, at + READS_AT_ONCE).map((file) => this.#checkFile(volume, file)));
          if (this.#repairs >= REPAIRS_A_COMMIT) await this.#commitRepairs();
        }
        this.#options.onProgress?.({ files: this.#files, records: this.#records });
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      this.#failedVolumes.add(volume.id);
      this.#allVolumes = false;
      this.#report("volume-failed", volume.id, errorText(error), false);
    }
  }

  async #checkFile(volume: VolumeAccess, file: SegmentFile): Promise<void> {
    this.#files += 1;
    this.#seen.add(file.segmentId);
    const summary = await this.#readFile(volume, file);
    if (summary === undefined) return;
    if (this.#index.store.isUnlinking({ volumeId: volume.id, file })) {
      this.#leaving += 1;
      return;
    }
    const record = this.#index.store.find(summary);
    if (record === undefined) this.#addMissing(file, summary);
    else if (!isDeepStrictEqual(record, plain(summary))) this.#replace(file, record, summary);
  }

  /** A file with a damaged frame keeps its record: readers pass over the damage. One that cannot be read at all loses it. */
  async #readFile(volume: VolumeAccess, file: SegmentFile): Promise<SegmentSummary | undefined> {
    try {
      return await volume.readSummary(file, { deep: this.#options.deep });
    } catch (error) {
      if (isMissing(error)) {
        this.#leaving += 1;
        return undefined;
      }
      this.#report("file-unreadable", segmentPath(file), errorText(error), false);
    }
    if (this.#options.deep) {
      const [outcome] = await Promise.allSettled([volume.readSummary(file, { deep: false })]);
      if (outcome.status === "fulfilled") return outcome.value;
    }
    this.#unreadable.add(file.segmentId);
    return undefined;
  }

  #addMissing(file: SegmentFile, summary: SegmentSummary): void {
    this.#report("file-unindexed", segmentPath(file), "the index does not know it", this.#tryAdd(summary));
  }

  #replace(file: SegmentFile, record: SegmentSummary, summary: SegmentSummary): void {
    const members = Object.keys(record).filter(
      (name) => !isDeepStrictEqual(Reflect.get(record, name), Reflect.get(plain(summary), name)),
    );
    if (this.#options.rebuild) this.#index.forget([record], { unlink: false });
    this.#report("record-differs", segmentPath(file), members.join(", "), this.#tryAdd(summary));
  }

  /** Records against files, in order of time; fragments on the way. Returns the number of fragments. */
  async #checkRecords(): Promise<number> {
    const { store } = this.#index;
    const fragments = new FragmentCheck(store);
    let after: { key?: Buffer } = {};
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const step = take(store.segments.inTime(after), RECORDS_A_STEP);
      const last = step.at(-1);
      if (last === undefined) break;
      after = { key: last.entry.key };
      for (const segment of step) await this.#checkRecord(segment, fragments);
      this.#options.onProgress?.({ files: this.#files, records: this.#records });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { suspects, runs } = fragments.finish();
    for (const stream of suspects) this.#checkFragments(stream);
    return runs;
  }

  async #checkRecord(segment: StoredSegment, fragments: FragmentCheck): Promise<void> {
    const { store } = this.#index;
    this.#records += 1;
    const summary = store.summary(segment);
    if (summary === undefined) {
      const { rebuild } = this.#options;
      if (rebuild) store.tables.segments.delete(segment.entry.key, store.generation);
      this.#report(
        "record-unreadable",
        segment.entry.key.toString("hex"),
        "its bytes make no sense",
        rebuild,
      );
      return;
    }
    if (!(await this.#isKept(summary))) return;
    const fault = fragments.take(segment.stream, summary);
    if (fault !== undefined) {
      this.#report(fault.kind, segmentPath(summary), `in fragment ${summary.fragmentId}`, false);
    }
    const day = Math.floor(summary.fromUs / MICROSECONDS_PER_DAY);
    const name = `${day} ${segment.stream}`;
    const total = counted(this.#days.get(name)?.total ?? NOTHING, summary, 1);
    this.#days.set(name, { day, stream: segment.stream, total });
    const ofVolume = this.#volumeTotals.get(summary.volumeId) ?? NOTHING;
    this.#volumeTotals.set(summary.volumeId, counted(ofVolume, summary, 1));
  }

  /** Looks for the record's file; false when the record is gone, by a repair or meanwhile. */
  async #isKept(summary: SegmentSummary): Promise<boolean> {
    if (this.#unreadable.has(summary.segmentId)) return this.#dropRecord(summary, "its file cannot be read");
    if (this.#seen.has(summary.segmentId) || this.#failedVolumes.has(summary.volumeId)) return true;
    const volume = this.#volumes.get(summary.volumeId);
    if (volume === undefined) {
      if (!this.#absentVolumes.has(summary.volumeId)) {
        this.#absentVolumes.add(summary.volumeId);
        this.#report("volume-absent", summary.volumeId, "its records cannot be compared", false);
      }
      return true;
    }
    // It was not in the listing: either it came after that, or is not out of `open/` yet, or it is not there.
    if (!this.#index.isDurable(summary.segmentId)) return true;
    try {
      await volume.readSummary(summary, { deep: false });
      return true;
    } catch (error) {
      return this.#dropRecord(summary, errorText(error));
    }
  }

  /** Whether the record is still there. */
  #dropRecord(summary: SegmentSummary, reason: string): boolean {
    if (this.#index.store.find(summary) === undefined) return false;
    if (this.#options.rebuild) this.#index.forget([summary], { unlink: false });
    this.#report("record-without-file", segmentPath(summary), reason, this.#options.rebuild);
    return !this.#options.rebuild;
  }

  #checkFragments(stream: number): void {
    const { store } = this.#index;
    const key = store.streamKey(stream);
    if (compareFragments(store, stream, this.#options.rebuild)) return;
    const subject = key === undefined ? `stream ${stream}` : streamKeyText(key);
    this.#report("fragments", subject, "they are not the union of their segments", this.#options.rebuild);
  }

  #checkTotals(): void {
    const { store } = this.#index;
    const { rebuild } = this.#options;
    const days = new Map([...store.totals.days()].map((row) => [`${row.day} ${row.stream}`, row.total]));
    const expected = new Map([...this.#days].map(([name, row]) => [name, row.total]));
    if (!isDeepStrictEqual(days, expected)) {
      if (rebuild) store.totals.replaceDays([...this.#days.values()], store.generation);
      this.#report("totals", "days", "they are not the sums of the segments", rebuild);
    }
    for (const id of store.volumeIds()) {
      const total = this.#volumeTotals.get(id) ?? NOTHING;
      if (isDeepStrictEqual(store.volumeTotal(id), total)) continue;
      if (rebuild) store.totals.replaceVolume(store.volumeNumber(id) ?? 0, total, store.generation);
      this.#report("totals", id, "they are not the sum of the segments", rebuild);
    }
  }

  #tryAdd(summary: SegmentSummary): boolean {
    if (!this.#options.rebuild) return false;
    try {
      this.#index.add(summary);
      this.#repairs += 1;
      return true;
    } catch (error) {
      this.#options.log.warn(
        { segment: summary.segmentId, error: errorText(error) },
        "a segment is not indexed",
      );
      return false;
    }
  }

  async #commitRepairs(): Promise<void> {
    this.#repairs = 0;
    await this.#index.flush();
  }

  #report(
    kind: CheckReport["problems"][number]["kind"],
    subject: string,
    detail: string,
    repaired: boolean,
  ): void {
    this.#problems.add({ kind, subject, detail, repaired });
  }
}

/** The members that the index keeps, as plain objects. */
function plain(summary: SegmentSummary): SegmentSummary {
  return {
    epoch: summary.epoch,
    segmentId: summary.segmentId,
    fragmentId: summary.fragmentId,
    fragmentSequence: summary.fragmentSequence,
    fromUs: summary.fromUs,
    toUs: summary.toUs,
    bytes: summary.bytes,
    videoFrames: summary.videoFrames,
    audioFrames: summary.audioFrames,
    gops: summary.gops.map(({ decodeTimeUs, offset, frames, damaged }) => ({
      decodeTimeUs,
      offset,
      frames,
      damaged,
    })),
    key: { channelId: summary.key.channelId, streamType: summary.key.streamType },
    volumeId: summary.volumeId,
    bootId: summary.bootId,
  };
}

function take<T>(items: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
