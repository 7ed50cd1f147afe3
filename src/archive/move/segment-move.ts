import { isDeepStrictEqual } from "node:util";
import { errorText, type Guid, NvrdError } from "../../base/index.js";
import { VolumeError } from "../disk/volume-thread.js";
import { SegmentFormatError } from "../segment/segment-format.js";
import { moveHeader } from "../segment/segment-header.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import {
  indexedMembers,
  movingSegmentPath,
  type SegmentSummary,
  segmentPath,
} from "../segment/segment-summary.js";
import type { BootTimes } from "../time/boot-times.js";
import { DISK_UPKEEP_TIMEOUT_MS, segmentPaths, summaryOf } from "../volume/volume-segments.js";
import type { MoveJournal } from "./move-journal.js";
import type { MovePace } from "./move-pace.js";
import type { MovingVolume } from "./moving-volume.js";

/** Read and written at once; holds any header. */
const PIECE_BYTES = 1024 * 1024;

/** Why a segment stays where it is: it cannot be read there, or not be written elsewhere. */
export class MoveFailure extends Error {
  readonly side: "source" | "target";

  constructor(side: "source" | "target", cause: unknown) {
    super(errorText(cause), { cause });
    this.name = "MoveFailure";
    this.side = side;
  }
}

export interface SegmentMoveOptions {
  readonly index: Pick<SegmentIndex, "closed" | "move" | "hold" | "flush" | "isDurable">;
  readonly bootTimes: Pick<BootTimes, "redate">;
  readonly pace: MovePace;
  readonly journal: Pick<MoveJournal, "begin" | "done" | "underWay">;
}

export interface MovePath {
  readonly from: MovingVolume;
  readonly to: MovingVolume;
  readonly signal: AbortSignal;
}

/**
 * Moves a segment to another volume such that it is always in one place, and in one place only, for whoever asks the index or
 * the files (docs/design/archive.md, Moving):
 *
 * 1. A copy in `moving/`, durable, every frame of it checked. To recovery it is nothing.
 * 2. The index names the other volume, durably. From here on the copy is the segment, and recovery would put it in its place.
 * 3. The copy in its place, durably. It was moved more often than the original, so a rebuild takes it.
 * 4. The original is removed.
 */
export class SegmentMove {
  readonly #options: SegmentMoveOptions;
  /** From the first move on. */
  #memory: SharedArrayBuffer | undefined;
  /** Segments that wait for `finish`: until then nobody else removes them. */
  readonly #held = new Map<number, () => void>();

  constructor(options: SegmentMoveOptions) {
    this.#options = options;
  }

  /**
   * False if the segment is not there any more. Rejects with MoveFailure, with the signal's reason, and with what the index
   * rejects with.
   */
  async move(summary: SegmentSummary, path: MovePath): Promise<boolean> {
    const { index, journal } = this.#options;
    const release = index.hold(summary.segmentId);
    let isMoved = false;
    try {
      const copy = await this.#copy(summary, path);
      if (copy === undefined) return false;
      await journal.begin(summary);
      isMoved = index.move(summary, copy);
      if (!isMoved) {
        await this.#drop(summary, path.to);
        journal.done(summary);
        return false;
      }
      await index.flush();
      await onTarget(() => place(path.to, copy));
      await onSource(() => path.from.unlink(summary));
      journal.done(summary);
      isMoved = false;
      return true;
    } finally {
      if (isMoved) this.#held.set(summary.segmentId, release);
      else release();
    }
  }

  /** Nobody removes what an earlier run left unfinished, until `finish` has. */
  holdUnfinished(): void {
    const { index, journal } = this.#options;
    for (const { segmentId } of journal.underWay) this.#held.set(segmentId, index.hold(segmentId));
  }

  /**
   * Finishes what a crash or a failing disk interrupted behind the second step. An original is not removed unless the index names
   * another file durably, and that one is in its place and whole.
   */
  async finish(from: MovingVolume, volumeOf: (id: Guid) => MovingVolume | undefined): Promise<void> {
    const { index, journal } = this.#options;
    await index.flush();
    for (const segment of journal.underWay) {
      if (segment.volumeId !== from.id) continue;
      const known = index.closed(segment);
      const volume = known === undefined ? undefined : volumeOf(known.volumeId);
      if (known !== undefined && known.volumeId !== from.id) {
        if (volume === undefined) continue;
        await onTarget(() => place(volume, known));
        const [copy] = await onTarget(() => volume.readSummaries([known], { deep: true }));
        if (copy === undefined || "error" in copy) continue;
        await onSource(() => from.unlink(segment));
      }
      journal.done(segment);
      this.#held.get(segment.segmentId)?.();
      this.#held.delete(segment.segmentId);
    }
  }

  /** The copy as the index is to have it; undefined if the segment was removed meanwhile. */
  async #copy(summary: SegmentSummary, path: MovePath): Promise<SegmentSummary | undefined> {
    try {
      await this.#copyBytes(summary, path);
      return await this.#checked(summary, path);
    } catch (error) {
      await this.#drop(summary, path.to);
      if (this.#options.index.closed(summary)?.volumeId !== summary.volumeId) return undefined;
      throw error;
    }
  }

  async #copyBytes(summary: SegmentSummary, { from, to, signal }: MovePath): Promise<void> {
    const { pace } = this.#options;
    this.#memory ??= new SharedArrayBuffer(PIECE_BYTES);
    const memory = this.#memory;
    const at = { volumes: [from, to], bytes: PIECE_BYTES, signal };
    for (let position = 0, end = 1; position < end; ) {
      signal.throwIfAborted();
      await pace.piece(async () => {
        const request = { op: "read-piece", paths: segmentPaths(summary), position, memory } as const;
        const { bytes, fileBytes } = await onSource(() => from.reads.read(request, DISK_UPKEEP_TIMEOUT_MS));
        if (bytes === 0) throw new MoveFailure("source", new VolumeError("DAMAGED", "its file is cut short"));
        if (position === 0) moveHeaderOf(Buffer.from(memory, 0, bytes), to);
        const written = {
          op: "write-piece",
          path: movingSegmentPath(summary),
          position,
          memory,
          bytes,
        } as const;
        await onTarget(() => to.reads.read(written, DISK_UPKEEP_TIMEOUT_MS));
        position += bytes;
        end = fileBytes;
      }, at);
    }
  }

  /** Reads every frame back from the disk. A frame that differs from the index did so before: a check reports it. */
  async #checked(summary: SegmentSummary, { from, to, signal }: MovePath): Promise<SegmentSummary> {
    const { pace, bootTimes } = this.#options;
    const files = [[movingSegmentPath(summary)]];
    const request = { op: "summaries", files, deep: true, fromFrames: false } as const;
    const read = () => onTarget(() => to.reads.read(request, DISK_UPKEEP_TIMEOUT_MS));
    const [found] = await pace.piece(read, { volumes: [from, to], bytes: summary.bytes, signal });
    if (found === undefined) throw new NvrdError("INTERNAL", "the volume left a file out");
    if ("code" in found) throw await this.#damage(summary, from, new VolumeError(found.code, found.message));
    const copy = summaryOf(found, bootTimes);
    if (!isDeepStrictEqual(indexedMembers(copy), indexedMembers({ ...summary, volumeId: to.id })))
      throw new MoveFailure("source", new VolumeError("DAMAGED", "its file is not as the index has it"));
    signal.throwIfAborted();
    return copy;
  }

  /** A copy is damaged if the original is, or if the disk that it was written to is not as good as it says. */
  async #damage(summary: SegmentSummary, from: MovingVolume, error: VolumeError): Promise<MoveFailure> {
    const [original] = await onSource(() => from.readSummaries([summary], { deep: true }));
    const isWhole = original !== undefined && "summary" in original;
    return new MoveFailure(isWhole ? "target" : "source", error);
  }

  /** A copy that stays is removed when the volume is taken the next time. */
  async #drop(summary: SegmentSummary, to: MovingVolume): Promise<void> {
    try {
      const request = { op: "unlink", paths: [movingSegmentPath(summary)] } as const;
      await to.reads.read(request, DISK_UPKEEP_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof VolumeError || error instanceof NvrdError)) throw error;
    }
  }
}

async function place(to: MovingVolume, copy: SegmentSummary): Promise<void> {
  const request = { op: "place-copy", from: movingSegmentPath(copy), to: segmentPath(copy) } as const;
  await to.reads.read(request, DISK_UPKEEP_TIMEOUT_MS);
}

function moveHeaderOf(bytes: Buffer, to: MovingVolume): void {
  try {
    moveHeader(bytes, to.id);
  } catch (error) {
    if (!(error instanceof SegmentFormatError)) throw error;
    throw new MoveFailure("source", error);
  }
}

async function onSource<T>(work: () => Promise<T>): Promise<T> {
  return await failingAs("source", work);
}

async function onTarget<T>(work: () => Promise<T>): Promise<T> {
  return await failingAs("target", work);
}

async function failingAs<T>(side: MoveFailure["side"], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MoveFailure(side, error);
  }
}
