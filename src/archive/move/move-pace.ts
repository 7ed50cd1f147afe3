import { type Clock, pauseUnlessAborted } from "../../base/index.js";
import { TakeLevel } from "../write/held-frames.js";
import type { MovingVolume } from "./moving-volume.js";

/** Most bytes moved in a second, whatever the disks could do. */
const RATE_BYTES_MAX = 32 * 1024 * 1024;
/** Disks that take longer with what they were given first, to write, to sync and to read, are left alone. */
const WRITE_STALL_MS_MAX = 500;
const SYNC_STALL_MS_MAX = 2000;
const READ_STALL_MS_MAX = 500;
const LOOK_MS = 500;
const MS_PER_S = 1000;

/**
 * How fast a move goes: at most every second moment is its own, so that whoever else reads the disks has as much, and none is
 * while they do not keep up with the cameras.
 */
export class MovePace {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Does a piece of work of so many bytes, when the disks have time for it; leaves them alone for at least as long then. */
  async piece<T>(
    work: () => Promise<T>,
    at: { readonly volumes: readonly MovingVolume[]; readonly bytes: number; readonly signal: AbortSignal },
  ): Promise<T> {
    const { volumes, bytes, signal } = at;
    while (volumes.some(isBusy)) {
      await pauseUnlessAborted(this.#clock, LOOK_MS, signal);
      signal.throwIfAborted();
    }
    const beganUs = this.#clock.monotonicUs();
    const done = await work();
    const tookMs = (this.#clock.monotonicUs() - beganUs) / 1000;
    await pauseUnlessAborted(this.#clock, Math.max(tookMs, (bytes * MS_PER_S) / RATE_BYTES_MAX), signal);
    return done;
  }
}

function isBusy({ writer, reads }: MovingVolume): boolean {
  if (reads.stallMs > READ_STALL_MS_MAX) return true;
  if (writer === undefined) return false;
  const { level, writeStallMs, syncStallMs } = writer;
  return level !== TakeLevel.ALL || writeStallMs > WRITE_STALL_MS_MAX || syncStallMs > SYNC_STALL_MS_MAX;
}
