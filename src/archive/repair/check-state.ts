import { errorText, type Guid, type Log } from "../../base/index.js";
import type { LmdbSegmentIndex } from "../index/lmdb-segment-index.js";
import { SegmentIdSet } from "../segment/segment-id-set.js";
import type { SegmentSummary, VolumeAccess } from "../segment/segment-summary.js";
import type { AbsentVolume } from "../volume/volume-set.js";
import { type ProblemKind, ProblemList, STRANGERS_NAMED_MAX } from "./check-report.js";

/** Added segments between two commits. */
const REPAIRS_A_COMMIT = 1024;
/** Most segments without a record that are remembered. */
const UNINDEXED_MAX = 100_000;

export interface CheckProgress {
  /** Files first, then records. */
  readonly phase: "files" | "records";
  /** How much of the phase is done, 0 to 1. */
  readonly share: number;
  readonly files: number;
  readonly records: number;
  /** Bytes read, as far as whole files are read (`deep`). */
  readonly bytes: number;
}

export interface CheckOptions {
  readonly index: LmdbSegmentIndex;
  readonly volumes: readonly VolumeAccess[];
  /** All volumes that are there: a segment that was being moved may lie on two of them. Default: `volumes`. */
  readonly volumeOf?: (volumeId: Guid) => VolumeAccess | undefined;
  /** Volumes that belong to the archive and are not there. */
  readonly absent?: readonly AbsentVolume[];
  /** The archive's current epoch; not compared when absent. */
  readonly epoch?: number;
  /** What is wrong with the list of protected times. */
  readonly protectedFault?: string | undefined;
  /** Also reads every frame and checks its CRC. */
  readonly deep: boolean;
  /**
   * Repairs the index from the segments (`--rebuild`), and writes damaged footers again. What was recorded is never
   * changed.
   */
  readonly rebuild: boolean;
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** The shared state of a check: its options, what it has seen, and its findings. */
export class CheckState {
  readonly options: CheckOptions;
  readonly index: LmdbSegmentIndex;
  readonly problems = new ProblemList();
  /** Files that are there, readable or not. */
  readonly seen = new SegmentIdSet();
  /** Files of which no summary could be read. */
  readonly unreadable = new Set<number>();
  /** Volumes that could not be listed to their end. */
  readonly failedVolumes = new Set<Guid>();
  /** Start times of segments without a record at their time: a record at another time is wrong. */
  readonly unindexed = new Map<number, number>();
  /** Segments on two volumes that were reported, or are being moved. */
  readonly twins = new Set<number>();
  readonly strangers: string[] = [];
  strangerCount = 0;
  files = 0;
  records = 0;
  bytes = 0;
  leaving = 0;
  #repairs = 0;

  constructor(options: CheckOptions) {
    this.options = options;
    this.index = options.index;
  }

  volumeOf(volumeId: Guid): VolumeAccess | undefined {
    const { volumes, volumeOf } = this.options;
    return volumeOf === undefined ? volumes.find(({ id }) => id === volumeId) : volumeOf(volumeId);
  }

  get rebuild(): boolean {
    return this.options.rebuild;
  }

  report(kind: ProblemKind, subject: string, detail: string, repaired: boolean): void {
    this.problems.add({ kind, subject, detail, repaired });
  }

  noteUnindexed({ segmentId, fromUs }: SegmentSummary): void {
    if (this.unindexed.size < UNINDEXED_MAX) this.unindexed.set(segmentId, fromUs);
  }

  noteStranger(path: string): void {
    this.strangerCount += 1;
    if (this.strangers.length < STRANGERS_NAMED_MAX) this.strangers.push(path);
  }

  progress(phase: CheckProgress["phase"], share: number): void {
    const { files, records, bytes } = this;
    this.options.onProgress?.({ phase, share: Math.min(1, share), files, records, bytes });
  }

  /** Adds a segment to the index if allowed; returns whether it is there now. */
  add(summary: SegmentSummary): boolean {
    if (!this.options.rebuild) return false;
    try {
      this.index.add(summary);
      this.#repairs += 1;
      return true;
    } catch (error) {
      const fields = { segment: summary.segmentId, error: errorText(error) };
      this.options.log.warn(fields, "a segment is not indexed");
      return false;
    }
  }

  async commitSome(): Promise<void> {
    if (this.#repairs < REPAIRS_A_COMMIT) return;
    this.#repairs = 0;
    await this.index.flush();
  }
}
