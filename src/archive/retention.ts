import { type Clock, type ClockTimer, errorText, type Guid, type Log } from "../base/index.js";
import type { SegmentIndex } from "./segment-index.js";
import type { SegmentFile, SegmentSummary, VolumeAccess } from "./segment-summary.js";

/** Segments taken out of the index in one transaction. */
const BATCH_SEGMENTS = 256;
/** Files handed to one volume's thread at once. */
const UNLINKS_AT_ONCE = 8;
const TURN_INTERVAL_MS = 2_000;
const STOP_WAIT_MS = 1000;
/** After this wait for a durable removal the files go anyway. */
const DURABLE_WAIT_MS = 30_000;
/** Room kept below the bounds, as a multiple of what comes between two turns. */
const HEADROOM_FACTOR = 1.5;
/** When something must go, room is made for so many turns at once, so that the index is not written each time. */
const TURNS_AHEAD = 5;
/** But no more than this share of the bound: what is recorded is there to be kept. */
const AHEAD_SHARE_MAX = 1 / 8;
const HEADROOM_SHARE_MAX = 1 / 2;
const GROWTH_DECAY = 0.9;

/** What a volume may hold. Absent members set no bound. */
export interface VolumeQuota {
  /** Most bytes of segments, those being written included. */
  readonly quotaBytes?: number;
  /** Bytes that stay free on the volume's file system. */
  readonly reserveBytes?: number;
}

export type RetentionIndex = Pick<
  SegmentIndex,
  "oldest" | "remove" | "flush" | "pendingUnlinks" | "unlinked"
> & {
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
  /** Bytes that come between two turns. */
  growthBytes: number;
  failing: boolean;
  /** There was too little to remove. */
  short: boolean;
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
      const excess = await this.#excessOf(volume, state);
      const removedBytes = excess.bytes > 0 ? await this.#free(volume, excess) : 0;
      this.#noteShortage(volume, state, excess.bytes - removedBytes);
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

  #noteShortage(volume: VolumeAccess, state: VolumeState, missingBytes: number): void {
    const short = missingBytes > 0;
    if (short && !state.short) {
      this.#options.log.warn({ volume: volume.id, missingBytes }, "too little to remove on a volume");
    }
    state.short = short;
  }

  async #excessOf(volume: VolumeAccess, state: VolumeState): Promise<Excess> {
    const { quotaBytes, reserveBytes } = await this.#options.quotaOf(volume);
    const usedBytes = this.#options.index.volumeBytes(volume.id);
    const grownBytes = Math.max(0, usedBytes - (state.usedBytes ?? usedBytes));
    // The peak of late: streams grow in bursts, and those that pause come back.
    state.growthBytes = Math.max(grownBytes, state.growthBytes * GROWTH_DECAY);
    const growthBytes = state.growthBytes * HEADROOM_FACTOR;
    const overQuota = quotaBytes === undefined ? NO_EXCESS : excessBeyond(usedBytes, quotaBytes, growthBytes);
    if (reserveBytes === undefined) return overQuota;
    const { totalBytes, freeBytes } = await volume.space();
    const overReserve = excessBeyond(totalBytes - freeBytes, totalBytes - reserveBytes, growthBytes);
    return overReserve.bytes > overQuota.bytes ? overReserve : overQuota;
  }

  /** Removes the oldest segments, at least `bytes` of them while there are any; returns the bytes removed. */
  async #free(volume: VolumeAccess, excess: Excess): Promise<number> {
    const { index } = this.#options;
    let removedBytes = 0;
    let flushed = false;
    while (removedBytes < excess.bytes && !this.#stopped) {
      const batch: SegmentSummary[] = [];
      for (const segment of index.oldest(BATCH_SEGMENTS, volume.id)) {
        if (removedBytes >= excess.wantedBytes) break;
        batch.push(segment);
        removedBytes += segment.bytes;
      }
      if (batch.length > 0) {
        await this.#removeFromIndex(batch);
        await this.#unlink(volume, batch);
        continue;
      }
      if (flushed) break;
      // What is closed but not durable in the index yet may not go: on a small volume that is most of it.
      await this.#inTime(index.flush());
      flushed = true;
    }
    return removedBytes;
  }

  async #removeFromIndex(batch: readonly SegmentSummary[]): Promise<void> {
    if (await this.#inTime(this.#options.index.remove(batch))) return;
    this.#options.log.warn(
      { segments: batch.length },
      "the index cannot be written: removing files without it",
    );
  }

  /** Waits for something durable of the index, but not for ever: a full system disk must not fill the volumes. */
  async #inTime(durable: Promise<void>): Promise<boolean> {
    let timer: ClockTimer | undefined;
    const late = new Promise<false>((resolve) => {
      timer = this.#options.clock.setTimeout(() => resolve(false), DURABLE_WAIT_MS);
    });
    try {
      return await Promise.race([durable.then(() => true), late]);
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
    const state: VolumeState = {
      usedBytes: undefined,
      growthBytes: 0,
      failing: false,
      short: false,
      turn: undefined,
    };
    this.#states.set(volumeId, state);
    return state;
  }
}

/** What a volume holds too much. */
interface Excess {
  /** Bytes that must go. */
  readonly bytes: number;
  /** Bytes that go when they do. */
  readonly wantedBytes: number;
}

const NO_EXCESS: Excess = { bytes: 0, wantedBytes: 0 };

/** Where `usedBytes` grow by `growthBytes` a turn: what must go to stay below `boundBytes` until the next turn. */
function excessBeyond(usedBytes: number, boundBytes: number, growthBytes: number): Excess {
  const bytes = usedBytes + Math.min(growthBytes, boundBytes * HEADROOM_SHARE_MAX) - boundBytes;
  if (bytes <= 0) return NO_EXCESS;
  const ahead = Math.min(growthBytes * TURNS_AHEAD, boundBytes * AHEAD_SHARE_MAX);
  return { bytes, wantedBytes: Math.max(bytes, usedBytes + ahead - boundBytes) };
}
