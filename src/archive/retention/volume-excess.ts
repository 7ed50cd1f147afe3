import type { VolumeSpace } from "../segment/volume-space.js";
import { reservedFiles } from "./file-excess.js";

/** Room kept below the bounds, as a multiple of what comes between two turns. */
const HEADROOM_FACTOR = 1.5;
/** When space is needed, it is freed for so many turns at once, so that the index is not written each turn. */
const TURNS_AHEAD = 5;
/** But no more than this share of the bound: recordings should be kept. */
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

/** A volume's excess. */
export interface Excess {
  /** Bytes that must be removed. */
  readonly bytes: number;
  /** Bytes that are removed at once when something must be. */
  readonly wantedBytes: number;
}

const NO_EXCESS: Excess = { bytes: 0, wantedBytes: 0 };

export interface VolumeUse {
  readonly quota: VolumeQuota;
  /** Bytes of segments, those being written included. */
  readonly usedBytes: number;
  readonly space: VolumeSpace;
}

/** Watches how fast a volume grows, so that its bounds hold between two turns of retention. */
export class VolumeGrowth {
  #usedBytes: number | undefined;
  /** Bytes that come between two turns. */
  #growthBytes = 0;

  /** What must be removed for the volume to stay within its bounds until the next turn. */
  excess({ quota, usedBytes, space }: VolumeUse): Excess {
    const { quotaBytes, reserveBytes } = quota;
    const grownBytes = Math.max(0, usedBytes - (this.#usedBytes ?? usedBytes));
    // The recent peak: streams grow in bursts, and those that pause resume.
    this.#growthBytes = Math.max(grownBytes, this.#growthBytes * GROWTH_DECAY);
    const growthBytes = this.#growthBytes * HEADROOM_FACTOR;
    const overQuota = quotaBytes === undefined ? NO_EXCESS : excessBeyond(usedBytes, quotaBytes, growthBytes);
    if (reserveBytes === undefined) return overQuota;
    const { totalBytes, freeBytes } = space;
    const overReserve = excessBeyond(totalBytes - freeBytes, totalBytes - reserveBytes, growthBytes);
    return overReserve.bytes > overQuota.bytes ? overReserve : overQuota;
  }

  /** The turn is over and left so much. */
  settle(usedBytes: number): void {
    this.#usedBytes = usedBytes;
  }
}

/** Bytes of recordings that a volume may hold: its quota, or what the reserve leaves of the room that is there for them. */
export function allowedBytes({ quota, usedBytes, space }: VolumeUse): number {
  const { quotaBytes = Number.POSITIVE_INFINITY, reserveBytes = 0 } = quota;
  return Math.max(0, Math.min(quotaBytes, usedBytes + space.freeBytes - reserveBytes));
}

/** Moved recordings leave so much room for the cameras, or this share of what the volume may hold if that is less. */
const MOVING_HEADROOM_BYTES = 512 * 1024 * 1024;
const MOVING_HEADROOM_SHARE = 1 / 8;

/**
 * Bytes that may be moved to a volume. Retention keeps some of the room free, the more the faster a volume grows: as far below its
 * bounds nothing is deleted for what was moved.
 */
export function movingRoom(use: VolumeUse): number {
  const allowed = allowedBytes(use);
  const { files } = use.space;
  if (files !== undefined && files.free < 2 * reservedFiles(files.total)) return 0;
  const headroom = Math.min(MOVING_HEADROOM_BYTES, allowed * MOVING_HEADROOM_SHARE);
  return Math.max(0, allowed - headroom - use.usedBytes);
}

/** The reserve of a volume, and what is there for it and for recordings. */
export interface TooSmall {
  readonly reserveBytes: number;
  readonly roomBytes: number;
}

/** A volume that may hold less keeps seconds of its cameras, if anything. */
export const ALLOWED_BYTES_MIN = 32_000_000;

/**
 * The reserve and the room of a volume whose reserve leaves next to nothing; undefined if it leaves enough, or if other files
 * leave next to nothing even without it. Where the reserve is the whole disk, it is the reason whatever else is there.
 */
export function tooSmall({ quota, usedBytes, space }: VolumeUse): TooSmall | undefined {
  const { reserveBytes = 0 } = quota;
  const roomBytes = usedBytes + space.freeBytes;
  const isReserveAtFault = roomBytes >= ALLOWED_BYTES_MIN || reserveBytes >= space.totalBytes;
  return isReserveAtFault && roomBytes - reserveBytes < ALLOWED_BYTES_MIN
    ? { reserveBytes, roomBytes }
    : undefined;
}

/** Where `usedBytes` grow by `growthBytes` a turn: what must go to stay below `boundBytes` until the next turn. */
function excessBeyond(usedBytes: number, boundBytes: number, growthBytes: number): Excess {
  const bytes = usedBytes + Math.min(growthBytes, boundBytes * HEADROOM_SHARE_MAX) - boundBytes;
  if (bytes <= 0) return NO_EXCESS;
  const ahead = Math.min(growthBytes * TURNS_AHEAD, boundBytes * AHEAD_SHARE_MAX);
  return { bytes, wantedBytes: Math.max(bytes, usedBytes + ahead - boundBytes) };
}
