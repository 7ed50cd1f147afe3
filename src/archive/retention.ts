import { type Clock, type ClockTimer, errorText, type Guid, type Log } from "../base/index.js";
import type { SegmentIndex } from "./segment-index.js";
import type { SegmentFile, SegmentSummary, VolumeAccess } from "./segment-summary.js";

/** Segments taken out of the index in one transaction. */
const BATCH_SEGMENTS = 256;
/** Files handed to one volume's thread at once. */
const UNLINKS_AT_ONCE = 8;
const TURN_INTERVAL_MS = 10_000;
const STOP_WAIT_MS = 1000;
/** After this wait for a durable removal the files go anyway: a full system disk must not fill the volumes. */
const DURABLE_WAIT_MS = 30_000;
/** Room freed beyond the bounds, as a multiple of what the last turn's time brought. */
const HEADROOM_FACTOR = 1.5;

/** What a volume may hold. Absent members set no bound. */
export interface VolumeQuota {
  /** Most bytes of segments, those being written included. */
  readonly quotaBytes?: number;
  /** Bytes that stay free on the volume's file system. */
  readonly reserveBytes?: number;
}

export type RetentionIndex = Pick<SegmentIndex, "oldest" | "remove" | "pendingUnlinks" | "unlinked"> & {
  /** Bytes of the volume's segments, those being written included. */
  volumeBytes(volumeId: Guid): number;
  ready(): Promise<void>;
};

export interface RetentionOptions {
  readonly index: RetentionIndex;
  /** The volumes that are there now. */
  readonly volumes: () => readonly VolumeAccess[];
  /** A volume's bounds; a share of the disk is worked out from its size, so it may fail with the disk. */
  readonly quotaOf: (volume: VolumeAccess) => Promise<VolumeQuota>;
  readonly clock: Clock;
  readonly log: Log;
}

interface VolumeState {
  usedBytes: number | undefined;
  failing: boolean;
  /** The turn under way: a volume that hangs keeps to itself. */
  turn: Promise<void> | undefined;
}

/**
 * Keeps every volume within its bounds: the oldest segments go first, across all streams, whole, out of the index before
 * the file goes. Bytes and free space come first; the channels' days are a second rule, not built yet. It deletes nothing
 * that is being written, and nothing the index does not hold durably.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #states = new Map<Guid, VolumeState>();
  #timer: ClockTimer | undefined;
  #stopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Begins once the index is open: first with files that an earlier run noted for unlinking. */
  start(): void {
    this.#timer = this.#options.clock.setInterval(() => this.#turnSoon(), TURN_INTERVAL_MS);
    this.#turnSoon();
  }

  /** Waits a second at the most for what is under way; what it leaves is done at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.clear();
    const turns = Promise.all([...this.#states.values()].map((state) => state.turn));
    let timer: ClockTimer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#options.clock.setTimeout(resolve, STOP_WAIT_MS);
    });
    await Promise.race([turns, late]);
    timer?.clear();
  }

  /** One look at all volumes; removes what is too much. Volumes work beside each other. */
  async turn(): Promise<void> {
    await Promise.all(this.#options.volumes().map((volume) => this.#turnOf(volume)));
  }

  /** A volume whose last turn has not ended is left alone. */
  #turnSoon(): void {
    for (const volume of this.#options.volumes()) {
      const state = this.#stateOf(volume.id);
      if (state.turn !== undefined) continue;
      state.turn = this.#turnOf(volume).finally(() => {
        state.turn = undefined;
      });
    }
  }

  async #turnOf(volume: VolumeAccess): Promise<void> {
    const state = this.#stateOf(volume.id);
    try {
      await this.#options.index.ready();
      await this.#unlinkNoted(volume);
      const excess = await this.#excessBytes(volume, state);
      const removedBytes = excess > 0 ? await this.#free(volume, excess) : 0;
      if (removedBytes < excess) {
        this.#options.log.warn(
          { volume: volume.id, excess, removedBytes },
          "too little to remove on a volume",
        );
      }
      state.usedBytes = this.#options.index.volumeBytes(volume.id);
      if (state.failing) this.#options.log.info({ volume: volume.id }, "retention works again");
      state.failing = false;
    } catch (error) {
      if (!state.failing) {
        this.#options.log.error(
          { volume: volume.id, error: errorText(error) },
          "retention fails on a volume",
        );
      }
      state.failing = true;
    }
  }

  /** Bytes to remove now: beyond the quota or out of the reserve, and the room that the next turn's time will need. */
  async #excessBytes(volume: VolumeAccess, state: VolumeState): Promise<number> {
    const { quotaBytes, reserveBytes } = await this.#options.quotaOf(volume);
    const usedBytes = this.#options.index.volumeBytes(volume.id);
    const grownBytes = Math.max(0, usedBytes - (state.usedBytes ?? usedBytes));
    const headroom = grownBytes * HEADROOM_FACTOR;
    const overQuota =
      quotaBytes === undefined ? 0 : usedBytes + Math.min(headroom, quotaBytes / 2) - quotaBytes;
    if (reserveBytes === undefined) return Math.max(0, overQuota);
    const { freeBytes } = await volume.space();
    return Math.max(0, overQuota, reserveBytes + headroom - freeBytes);
  }

  /** Removes the oldest segments until `bytes` are gone or nothing is left; returns the bytes removed. */
  async #free(volume: VolumeAccess, bytes: number): Promise<number> {
    let removedBytes = 0;
    while (removedBytes < bytes && !this.#stopped) {
      const oldest = this.#options.index.oldest(BATCH_SEGMENTS, volume.id);
      const batch: SegmentSummary[] = [];
      for (const segment of oldest) {
        if (removedBytes >= bytes) break;
        batch.push(segment);
        removedBytes += segment.bytes;
      }
      if (batch.length === 0) break;
      await this.#removeFromIndex(batch);
      await this.#unlink(volume, batch);
    }
    return removedBytes;
  }

  async #removeFromIndex(batch: readonly SegmentSummary[]): Promise<void> {
    let timer: ClockTimer | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = this.#options.clock.setTimeout(() => resolve("late"), DURABLE_WAIT_MS);
    });
    try {
      const outcome = await Promise.race([this.#options.index.remove(batch), late]);
      if (outcome === "late") {
        this.#options.log.warn(
          { segments: batch.length },
          "the index cannot be written: removing files without it",
        );
      }
    } finally {
      timer?.clear();
    }
  }

  async #unlinkNoted(volume: VolumeAccess): Promise<void> {
    const noted = this.#options.index.pendingUnlinks(volume.id);
    await this.#unlink(
      volume,
      noted.map(({ file }) => file),
    );
  }

  async #unlink(volume: VolumeAccess, files: readonly SegmentFile[]): Promise<void> {
    for (let at = 0; at < files.length; at += UNLINKS_AT_ONCE) {
      const batch = files.slice(at, at + UNLINKS_AT_ONCE);
      const outcomes = await Promise.allSettled(batch.map((file) => volume.unlink(file)));
      const gone = batch.filter((_, position) => outcomes[position]?.status === "fulfilled");
      this.#options.index.unlinked(
        gone.map(({ key, segmentId }) => ({ volumeId: volume.id, file: { key, segmentId } })),
      );
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    }
  }

  #stateOf(volumeId: Guid): VolumeState {
    const known = this.#states.get(volumeId);
    if (known !== undefined) return known;
    const state: VolumeState = { usedBytes: undefined, failing: false, turn: undefined };
    this.#states.set(volumeId, state);
    return state;
  }
}
