import { setImmediate } from "node:timers/promises";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  NvrdError,
  pauseUnlessAborted,
  STREAM_TYPES,
} from "../../base/index.js";
import type { StoredSegments } from "../index/stored-segments.js";
import type { ProtectedBytesOptions } from "../retention/protected-bytes.js";
import type { ProtectionAccess } from "../retention/protection.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { ReadableSegment } from "../segment/segment-reading.js";
import { type SegmentSummary, segmentPath } from "../segment/segment-summary.js";
import type { MoveJournal } from "./move-journal.js";
import type { MovingVolume } from "./moving-volume.js";
import { MoveFailure, type SegmentMove } from "./segment-move.js";

/** Segments that cannot be read and are named; further ones are counted. */
const UNREADABLE_NAMED_MAX = 100;
/** Segments one after the other that cannot be read: the disk is given up. */
const FAILURES_IN_A_ROW_MAX = 32;
/** How long segments that are still being written are waited for. */
const CLOSING_US_MAX = 120_000_000;
const CLOSING_LOOK_MS = 500;
/** Segments looked at without a pause. */
const SEGMENTS_A_STEP = 64;

export interface VolumeMoveOptions {
  readonly index: Pick<SegmentIndex, "closed" | "isDurable" | "flush"> & {
    readonly stored: Pick<StoredSegments, "newestFirst"> &
      Pick<ProtectedBytesOptions["index"]["stored"], "closedBetween">;
    volumeBytes(volumeId: Guid): number;
    volumeSegments(volumeId: Guid): number;
    openBytes(volumeId: Guid): number;
  };
  readonly mover: Pick<SegmentMove, "move" | "finish">;
  readonly journal: Pick<MoveJournal, "count" | "order" | "isFull">;
  readonly protection: Pick<ProtectionAccess, "channels" | "ranges">;
  /** Volumes that are recorded onto, or were when the move was interrupted. */
  readonly volumeOf: (id: Guid) => MovingVolume | undefined;
  /** Volumes that may be moved to. */
  readonly targets: () => readonly MovingVolume[];
  /** Bytes that a volume can take without anything being deleted for them. */
  readonly roomOn: (volume: MovingVolume) => Promise<number>;
  /** Whether the volume is still to be emptied. */
  readonly isRetired: (id: Guid) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MoveProgress {
  readonly moved: number;
  readonly movedBytes: number;
  /** Still on the volume. */
  readonly left: number;
  readonly leftBytes: number;
}

export interface MoveResult extends MoveProgress {
  /** Files that cannot be read, and why; the first of them. */
  readonly unreadable: readonly string[];
  readonly unreadableCount: number;
  /** Why something is left, beyond what cannot be read; undefined if nothing is. */
  readonly reason: string | undefined;
}

export interface MoveRun {
  readonly signal: AbortSignal;
}

type Outcome = "moved" | "skipped" | "no room";

/**
 * Moves what a retired volume holds to the other volumes: protected recordings first, then all others, each the newest first, as far
 * as there is room. Nothing is deleted elsewhere for it.
 */
export class VolumeMove {
  readonly #options: VolumeMoveOptions;
  readonly #from: MovingVolume;
  readonly #unreadable = new Map<number, string>();
  #unreadableCount = 0;
  #failuresInARow = 0;

  constructor(from: MovingVolume, options: VolumeMoveOptions) {
    this.#from = from;
    this.#options = options;
  }

  /** Rejects with NvrdError where it cannot go on, with the signal's reason where that is aborted. */
  async run(run: MoveRun): Promise<MoveResult> {
    const { mover, index, volumeOf } = this.#options;
    await mover.finish(this.#from, volumeOf);
    await this.#closed(run);
    let reason: string | undefined;
    for (;;) {
      // What was closed a moment ago may leave when its record is durable.
      await index.flush();
      const pass = await this.#pass(run);
      reason = pass.hasRoom ? undefined : NO_ROOM;
      if (pass.moved === 0 || !pass.hasRoom) break;
    }
    await mover.finish(this.#from, volumeOf);
    const progress = this.#progress();
    const unreadable = [...this.#unreadable.values()];
    const isLeft = progress.left > this.#unreadableCount;
    return {
      ...{ ...progress, unreadable, unreadableCount: this.#unreadableCount },
      reason: isLeft ? (reason ?? STILL_WRITTEN) : undefined,
    };
  }

  /** Cameras leave a volume that was retired with their next key frames: the segments that they were recorded into are closed then. */
  async #closed({ signal }: MoveRun): Promise<void> {
    const { index, clock } = this.#options;
    const untilUs = clock.monotonicUs() + CLOSING_US_MAX;
    while (index.openBytes(this.#from.id) > 0 && clock.monotonicUs() < untilUs) {
      await pauseUnlessAborted(clock, CLOSING_LOOK_MS, signal);
      signal.throwIfAborted();
    }
  }

  async #pass(run: MoveRun): Promise<{ readonly moved: number; readonly hasRoom: boolean }> {
    let moved = 0;
    for await (const segment of this.#wanted()) {
      run.signal.throwIfAborted();
      this.#requireSource();
      const outcome = await this.#moveOne(segment, run);
      if (outcome === "no room") return { moved, hasRoom: false };
      if (outcome === "moved") moved += 1;
    }
    return { moved, hasRoom: true };
  }

  /** Protected segments may come twice: what is no longer there the second time is passed over. */
  async *#wanted(): AsyncGenerator<ReadableSegment> {
    yield* this.#protected();
    yield* this.#options.index.stored.newestFirst(this.#from.id);
  }

  async *#protected(): AsyncGenerator<ReadableSegment> {
    const { protection } = this.#options;
    const ranges = protection
      .channels()
      .flatMap((channelId) => protection.ranges(channelId).map((range) => ({ channelId, range })))
      .sort((a, b) => b.range.fromUs - a.range.fromUs);
    for (const { channelId, range } of ranges)
      for (const streamType of STREAM_TYPES) yield* await this.#within({ channelId, streamType }, range);
  }

  /** Of a time's segments on the volume what names them, newest first. */
  async #within(
    key: ReadableSegment["key"],
    { fromUs, toUs }: { readonly fromUs: number; readonly toUs: number },
  ): Promise<readonly ReadableSegment[]> {
    const found: ReadableSegment[] = [];
    let step = 0;
    for (const segment of this.#options.index.stored.closedBetween(key, fromUs, toUs)) {
      if (segment.volumeId === this.#from.id) found.push(nameOf(segment));
      step += 1;
      if (step % SEGMENTS_A_STEP === 0) await setImmediate();
    }
    return found.reverse();
  }

  async #moveOne(segment: ReadableSegment, { signal }: MoveRun): Promise<Outcome> {
    const { index, mover, journal } = this.#options;
    const summary = index.closed(segment);
    if (summary?.volumeId !== this.#from.id || this.#unreadable.has(summary.segmentId)) return "skipped";
    if (!index.isDurable(summary.segmentId)) return "skipped";
    const to = await this.#targetFor(summary);
    if (to === undefined) return "no room";
    try {
      if (!(await mover.move(summary, { from: this.#from, to, signal }))) return "skipped";
      this.#failuresInARow = 0;
      journal.count(summary.bytes);
      return "moved";
    } catch (error) {
      if (!(error instanceof MoveFailure)) throw error;
      this.#noteFailure(summary, error);
      return "skipped";
    }
  }

  /** The volume with most room. */
  async #targetFor(summary: SegmentSummary): Promise<MovingVolume | undefined> {
    const { targets, roomOn, log } = this.#options;
    let best: { readonly volume: MovingVolume; readonly room: number } | undefined;
    for (const volume of targets()) {
      if (volume.id === this.#from.id) continue;
      try {
        const room = await roomOn(volume);
        if (room >= summary.bytes && room > (best?.room ?? 0)) best = { volume, room };
      } catch (error) {
        log.warn({ volume: volume.id }, `its room is not known: ${errorText(error)}`);
      }
    }
    return best?.volume;
  }

  #requireSource(): void {
    const { isRetired } = this.#options;
    const { id, directory } = this.#from;
    if (!isRetired(id)) throw new NvrdError("CONFLICT", `${directory} is recorded onto again`);
    if (!this.#from.usable) throw new NvrdError("NOT_AVAILABLE", `${directory} does not answer any more`);
  }

  #noteFailure(summary: SegmentSummary, error: MoveFailure): void {
    const { log, journal } = this.#options;
    const fields = { segment: summary.segmentId, from: this.#from.id, side: error.side };
    log.warn(fields, `a segment cannot be moved: ${error.message}`);
    this.#failuresInARow += 1;
    if (error.side === "source") {
      this.#unreadableCount += 1;
      const text = `${segmentPath(summary)}: ${error.message}`;
      if (this.#unreadable.size < UNREADABLE_NAMED_MAX) this.#unreadable.set(summary.segmentId, text);
    }
    if (this.#failuresInARow < FAILURES_IN_A_ROW_MAX && !journal.isFull) return;
    throw new NvrdError(
      "NOT_AVAILABLE",
      error.side === "source"
        ? `${this.#from.directory} cannot be read any more: ${error.message}`
        : `the recordings cannot be written to another disk: ${error.message}`,
    );
  }

  #progress(): MoveProgress {
    const { index, journal } = this.#options;
    const { id } = this.#from;
    const { moved = 0, movedBytes = 0 } = journal.order ?? {};
    return { moved, movedBytes, left: index.volumeSegments(id), leftBytes: index.volumeBytes(id) };
  }
}

const NO_ROOM =
  "the other disks have no room for more: add a disk, or let the recordings that stay be played from here until they expire";
const STILL_WRITTEN = "some were still being written: move again in some minutes";

function nameOf({ key, segmentId, fragmentId, epoch, fromUs }: SegmentSummary): ReadableSegment {
  return { key, segmentId, fragmentId, epoch, fromUs };
}
