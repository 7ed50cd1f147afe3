import { errorText, type Log } from "../base/index.js";
import type { SegmentIndex } from "./segment-index.js";
import type { SegmentFile, SegmentSummary, VolumeAccess } from "./segment-summary.js";

/** Files read at once on one volume; its reader thread takes them one by one, the others only wait for their turn. */
const READS_AT_ONCE = 4;
/** Segments between two commits, so that little waits in memory. */
const SEGMENTS_A_COMMIT = 1024;
/** Unreadable files named in the result and the log; further ones are only counted. */
const FAILURES_NAMED_MAX = 100;

export interface RebuildProgress {
  readonly files: number;
  readonly indexed: number;
  readonly unreadable: number;
}

export interface RebuildResult extends RebuildProgress {
  /** Volumes whose files could not be listed to the end. */
  readonly failedVolumes: readonly string[];
  /** The first unreadable files and why. */
  readonly failures: readonly string[];
}

export interface RebuildOptions {
  readonly index: Pick<SegmentIndex, "add" | "flush">;
  readonly volumes: readonly VolumeAccess[];
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
  options.signal?.throwIfAborted();
  await options.index.flush();
  return rebuild.result();
}

class Rebuild {
  readonly #options: RebuildOptions;
  readonly #failures: string[] = [];
  readonly #failedVolumes: string[] = [];
  #files = 0;
  #indexed = 0;
  #unreadable = 0;
  #uncommitted = 0;

  constructor(options: RebuildOptions) {
    this.#options = options;
  }

  async readVolume(volume: VolumeAccess): Promise<void> {
    try {
      for await (const files of volume.listSegments()) {
        for (let at = 0; at < files.length; at += READS_AT_ONCE) {
          this.#options.signal?.throwIfAborted();
          const batch = files.slice(at, at + READS_AT_ONCE);
          const summaries = await Promise.all(batch.map((file) => this.#read(volume, file)));
          for (const summary of summaries) if (summary !== undefined) this.#add(summary);
          if (this.#uncommitted >= SEGMENTS_A_COMMIT) await this.#commit();
        }
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

  result(): RebuildResult {
    return { ...this.#progress(), failedVolumes: this.#failedVolumes, failures: this.#failures };
  }

  async #read(volume: VolumeAccess, file: SegmentFile): Promise<SegmentSummary | undefined> {
    this.#files += 1;
    try {
      return await volume.readSummary(file, { deep: false });
    } catch (error) {
      this.#fail(file, error);
      return undefined;
    }
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

  async #commit(): Promise<void> {
    this.#uncommitted = 0;
    await this.#options.index.flush();
  }

  #fail(file: SegmentFile, error: unknown): void {
    this.#unreadable += 1;
    if (this.#failures.length >= FAILURES_NAMED_MAX) return;
    this.#failures.push(`${file.segmentId}: ${errorText(error)}`);
    this.#options.log.warn({ segment: file.segmentId, error: errorText(error) }, "a segment is not indexed");
  }

  #progress(): RebuildProgress {
    return { files: this.#files, indexed: this.#indexed, unreadable: this.#unreadable };
  }
}
