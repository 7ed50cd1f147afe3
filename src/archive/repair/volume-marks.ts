import * as v from "valibot";
import { errorText, type Guid, type Log, NvrdError, newGuid } from "../../base/index.js";
import { keptGuid, keptKind } from "../../kept/index.js";
import { type ThreadRequests, VolumeError } from "../disk/volume-thread.js";
import type { LmdbSegmentIndex } from "../index/lmdb-segment-index.js";

/** Name of the file on each volume. */
export const INDEX_MARK_FILE = "index-mark.json";
const DISK_TIMEOUT_MS = 10_000;

/** On each volume. */
export const INDEX_MARK_KIND = keptKind({
  name: INDEX_MARK_FILE,
  folder: "each volume: ",
  says: "by which mark the index is known as the one that follows the volume",
  policy: "rebuild",
  damaged: "the mark of the index on a volume cannot be read: the two are compared",
  severity: "warn",
  // Null: none yet. While a new mark is given the former one holds as well.
  schema: v.object({ marks: v.pipe(v.array(v.nullable(keptGuid)), v.maxLength(2)) }),
});

/** What this asks of a volume. Its `reads` are others each time it is taken. */
export interface MarkedVolume {
  readonly id: Guid;
  readonly reads: Pick<ThreadRequests, "read">;
}

export interface VolumeMarksOptions {
  readonly index: Pick<LmdbSegmentIndex, "markOf" | "noteMark" | "flush">;
  /** Nothing is reported from then on. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * A mark that index and volume have in common, and that is given anew again and again: an index that has another one is a copy from
 * before, whatever of the volume it happens to know.
 */
export class VolumeMarks {
  readonly #options: VolumeMarksOptions;
  readonly #underWay = new Set<Guid>();

  constructor(options: VolumeMarksOptions) {
    this.#options = options;
  }

  /** Whether the index is the one that last followed the volume. Rejects where the disk does not answer. */
  async isCurrent(volume: MarkedVolume): Promise<boolean> {
    const { index, log } = this.#options;
    const { value, fault } = await look(volume);
    if (fault !== undefined) log.warn({ volume: volume.id, error: fault }, INDEX_MARK_KIND.options.damaged);
    if (fault !== undefined) return false;
    return (value?.marks ?? [null]).includes(index.markOf(volume.id) ?? null);
  }

  /** Gives both a new mark, unless that is under way; it may wait for the index's disk. */
  async renew(volume: MarkedVolume): Promise<void> {
    if (this.#underWay.has(volume.id)) return;
    this.#underWay.add(volume.id);
    const { signal, log } = this.#options;
    try {
      await this.#give(volume, newGuid());
    } catch (error) {
      if (!(error instanceof VolumeError || error instanceof NvrdError)) throw error;
      if (!signal.aborted)
        log.warn({ volume: volume.id, file: INDEX_MARK_FILE }, `cannot be used: ${errorText(error)}`);
    } finally {
      this.#underWay.delete(volume.id);
    }
  }

  /** At any moment the volume accepts the mark that the index has. */
  async #give(volume: MarkedVolume, mark: Guid): Promise<void> {
    const { index } = this.#options;
    await write(volume, [index.markOf(volume.id) ?? null, mark]);
    index.noteMark(volume.id, mark);
    await index.flush();
    await write(volume, [mark]);
  }
}

async function look({ reads }: MarkedVolume): Promise<ReturnType<typeof INDEX_MARK_KIND.look>> {
  try {
    const text = await reads.read({ op: "read-note", name: INDEX_MARK_FILE }, DISK_TIMEOUT_MS);
    return text === undefined ? {} : INDEX_MARK_KIND.look(text);
  } catch (error) {
    if (error instanceof VolumeError) return { fault: error.message };
    throw error;
  }
}

async function write({ reads }: MarkedVolume, marks: readonly (Guid | null)[]): Promise<void> {
  const text = INDEX_MARK_KIND.text({ marks: [...marks] });
  await reads.read({ op: "replace-note", name: INDEX_MARK_FILE, text }, DISK_TIMEOUT_MS);
}
