import { errorText, type Guid, type Log } from "../../base/index.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type {
  SegmentFile,
  SegmentSummary,
  SummaryOutcome,
  VolumeAccess,
} from "../segment/segment-summary.js";
import { endOfUnclosed } from "../segment/unclosed-segment.js";
import { countsBefore, isElsewhere } from "./segment-twins.js";

/** Files that one request names: the disk can choose the order of that many small reads. */
export const SUMMARIES_AT_ONCE = 64;
/** Segments that may wait for a commit while more are read. */
const SEGMENTS_A_COMMIT = 2048;
/** Unreadable files named in the result and the log; further ones are only counted. */
const FAILURES_NAMED_MAX = 100;
/** Segments without a footer that are repaired at the end; further ones end with their last frame. */
const UNCLOSED_MAX = 10_000;

export interface RebuildProgress {
  readonly files: number;
  readonly indexed: number;
  readonly unreadable: number;
  /** Segments without a whole footer, counted from their frames. */
  readonly unclosed: number;
  /** How much of the volumes' days is read, 0 to 1. */
  readonly share: number;
}

export interface RebuildResult extends RebuildProgress {
  /** Volumes whose files could not be listed to the end. */
  readonly failedVolumes: readonly string[];
  /** The first unreadable files and why. */
  readonly failures: readonly string[];
}

export interface RebuildOptions {
  readonly index: Pick<SegmentIndex, "add" | "flush" | "following" | "closed" | "move">;
  readonly volumes: readonly VolumeAccess[];
  /** All volumes that are there: a segment that was being moved may lie on two of them. Default: `volumes`. */
  readonly volumeOf?: (volumeId: Guid) => VolumeAccess | undefined;
  readonly log: Log;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

/**
 * Adds every closed segment of the volumes to the index; those it holds already change nothing, so it may run beside
 * recording, be stopped and begin again. Fragments and their ids come out as they were: the segments carry them.
 * Rejects when the signal says so or the index is stopped; a file or a volume that fails is passed over and reported.
 */
export async function rebuildIndex(options: RebuildOptions): Promise<RebuildResult> {
  const rebuild = new Rebuild(options);
  await Promise.all(options.volumes.map((volume) => rebuild.readVolume(volume)));
  rebuild.addUnclosed();
  options.signal?.throwIfAborted();
  await options.index.flush();
  return rebuild.result();
}

class Rebuild {
  readonly #options: RebuildOptions;
  readonly #failures: string[] = [];
  readonly #failedVolumes: string[] = [];
  readonly #unclosed: SegmentSummary[] = [];
  readonly #shares = new Map<VolumeAccess, number>();
  #files = 0;
  #indexed = 0;
  #unreadable = 0;
  #unclosedCount = 0;
  #uncommitted = 0;
  #commit: Promise<void> = Promise.resolve();

  constructor(options: RebuildOptions) {
    this.#options = options;
  }

  async readVolume(volume: VolumeAccess): Promise<void> {
    try {
      for await (const { files, share } of volume.listSegments()) {
        await this.#readFiles(volume, files);
        this.#shares.set(volume, share);
        this.#options.onProgress?.(this.#progress());
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      this.#failedVolumes.push(volume.id);
      this.#options.log.error(
        { volume: volume.id, error: errorText(error) },
        "a volume could not be read whole",
      );
    }
  }

  /** Those without a footer last: where they end is where the segment after them begins. */
  addUnclosed(): void {
    for (const summary of this.#unclosed) {
      this.#add({ ...summary, toUs: endOfUnclosed(this.#options.index, summary) });
    }
  }

  result(): RebuildResult {
    return { ...this.#progress(), failedVolumes: this.#failedVolumes, failures: this.#failures };
  }

  /** Reads the next files while those before them are added. */
  async #readFiles(volume: VolumeAccess, files: readonly SegmentFile[]): Promise<void> {
    const read = (from: number) =>
      volume.readSummaries(files.slice(from, from + SUMMARIES_AT_ONCE), { deep: false, fromFrames: true });
    let next = files.length > 0 ? read(0) : undefined;
    for (let at = 0; next !== undefined; at += SUMMARIES_AT_ONCE) {
      const outcomes = await next;
      this.#options.signal?.throwIfAborted();
      next = at + SUMMARIES_AT_ONCE < files.length ? read(at + SUMMARIES_AT_ONCE) : undefined;
      // It is awaited in the next turn; should this one fail before, its failure is this one's.
      next?.catch(() => undefined);
      for (const outcome of outcomes) {
        const twin = this.#take(outcome);
        if (twin !== undefined) await this.#chooseOf(twin);
      }
      if (this.#uncommitted >= SEGMENTS_A_COMMIT) await this.#commitBehind();
    }
  }

  /** Returns the segment if the index has it on another volume. */
  #take(outcome: SummaryOutcome): SegmentSummary | undefined {
    this.#files += 1;
    if ("error" in outcome) {
      this.#fail(outcome.file, outcome.error);
      return undefined;
    }
    if (outcome.closed) {
      this.#add(outcome.summary);
      return isElsewhere(this.#options.index.closed(outcome.summary), outcome.summary)
        ? outcome.summary
        : undefined;
    }
    this.#unclosedCount += 1;
    this.#options.log.warn(
      { segment: outcome.file.segmentId },
      "a segment without a footer is indexed by its frames",
    );
    if (this.#unclosed.length < UNCLOSED_MAX) this.#unclosed.push(outcome.summary);
    else this.#add(outcome.summary);
    return undefined;
  }

  /** A crash came between the two ends of a move: whatever is read first, the same file counts. */
  async #chooseOf(summary: SegmentSummary): Promise<void> {
    const { index, volumes, log } = this.#options;
    const { volumeOf = (id: Guid) => volumes.find((volume) => volume.id === id) } = this.#options;
    const known = index.closed(summary);
    if (known === undefined || !isElsewhere(known, summary)) return;
    if (await countsBefore(summary, known, volumeOf)) index.move(known, summary);
    log.info({ segment: summary.segmentId }, "a segment lies on two volumes: the file moved last counts");
  }

  #add(summary: SegmentSummary): void {
    try {
      this.#options.index.add(summary);
      this.#indexed += 1;
      this.#uncommitted += 1;
    } catch (error) {
      this.#fail(summary, error);
    }
  }

  /** Begins a commit when the one before it is done: reading continues meanwhile, and little waits in memory. */
  async #commitBehind(): Promise<void> {
    this.#uncommitted = 0;
    await this.#commit;
    this.#commit = this.#options.index.flush();
    this.#commit.catch(() => undefined);
  }

  #fail(file: SegmentFile, error: unknown): void {
    this.#unreadable += 1;
    if (this.#failures.length >= FAILURES_NAMED_MAX) return;
    this.#failures.push(`${file.segmentId}: ${errorText(error)}`);
    this.#options.log.warn({ segment: file.segmentId, error: errorText(error) }, "a segment is not indexed");
  }

  #progress(): RebuildProgress {
    return {
      files: this.#files,
      indexed: this.#indexed,
      unreadable: this.#unreadable,
      unclosed: this.#unclosedCount,
      share: [...this.#shares.values()].reduce((sum, one) => sum + one, 0) / this.#options.volumes.length,
    };
  }
}
