/** What a volume may hold, and what it may still take: the one figure for placing, moving, removing and reporting. */
import type { VolumeSpace } from "./volume-space.js";

/**
 * Files that stay free: each stream needs one for its next segment while the last one is being closed, a directory each day, and
 * one to spare, and a large recorder has 256 streams.
 */
const RESERVE_FILES_MAX = 1024;
/** A file system with few inodes keeps this share of them free instead. */
const RESERVE_SHARE_MAX = 1 / 8;
/** The average size of fewer segments says nothing of those to come. */
const SEGMENTS_TO_JUDGE = 100;

/** What a volume may hold. Absent members set no bound. */
export interface VolumeQuota {
  /** Most bytes of segments, those being written included. */
  readonly quotaBytes?: number;
  /** Bytes that stay free on the volume's file system. */
  readonly reserveBytes?: number;
}

export interface VolumeUse {
  readonly quota: VolumeQuota;
  /** Bytes of segments, those being written included. */
  readonly usedBytes: number;
  /** Closed segments; absent: not known. */
  readonly segments?: number;
  readonly space: VolumeSpace;
  /** The other volumes on its file system: each has its share of what is free there. Absent: none. */
  readonly neighbours?: readonly NeighbourUse[];
}

/** Another volume on the same file system. */
export interface NeighbourUse {
  readonly usedBytes: number;
  /** What its quota leaves it, infinity without one; 0 of one that nothing is recorded onto. */
  readonly wantedBytes: number;
}

/** What its quota leaves a volume. */
export function quotaLeft({
  quota: { quotaBytes = Number.POSITIVE_INFINITY },
  usedBytes,
}: VolumeUse): number {
  return Math.max(0, quotaBytes - usedBytes);
}

/** Files that stay free on a file system that has room for `totalFiles`. */
export function reservedFiles(totalFiles: number): number {
  return Math.min(RESERVE_FILES_MAX, Math.floor(totalFiles * RESERVE_SHARE_MAX));
}

/**
 * Bytes of recordings that a volume may hold by its quota, and by what the reserve and other files leave of its disk: below 0 where
 * they leave less than nothing.
 */
export function boundBytes({ quota, usedBytes, space, neighbours = [] }: VolumeUse): number {
  const { quotaBytes = Number.POSITIVE_INFINITY, reserveBytes = 0 } = quota;
  return Math.min(quotaBytes, usedBytes + shareOf(space.freeBytes - reserveBytes, neighbours));
}

/** A share of what is free: all get as much, but for those that want less. What is lacking is shared as well. */
function shareOf(freeBytes: number, neighbours: readonly NeighbourUse[]): number {
  let left = freeBytes;
  let sharers = neighbours.length + 1;
  const wanted = neighbours.map(({ wantedBytes }) => wantedBytes).sort((a, b) => a - b);
  for (const bytes of wanted) {
    if (bytes >= left / sharers) break;
    left -= bytes;
    sharers -= 1;
  }
  return left / sharers;
}

/** Bytes of recordings on the whole file system. */
function recordedBytes({ usedBytes, neighbours = [] }: VolumeUse): number {
  return neighbours.reduce((sum, neighbour) => sum + neighbour.usedBytes, usedBytes);
}

/** Bytes of the file system that are neither free nor recordings. */
function otherBytesOf(use: VolumeUse): number {
  const { totalBytes, freeBytes } = use.space;
  return Math.max(0, totalBytes - freeBytes - recordedBytes(use));
}

/** Bytes of recordings that a volume may hold: its bound, or what its inodes suffice for. */
export function allowedBytes(use: VolumeUse): number {
  return Math.max(0, Math.min(boundBytes(use), bytesByFiles(use)));
}

/** Bytes of recordings that a volume may still take before some must be removed. */
export function roomBytes(use: VolumeUse): number {
  return Math.max(0, allowedBytes(use) - use.usedBytes);
}

/** What the volume holds when its free inodes are used up by segments of the present size; infinity if nothing says how much. */
function bytesByFiles({ space: { files }, usedBytes, segments = 0, neighbours = [] }: VolumeUse): number {
  if (files === undefined || segments < SEGMENTS_TO_JUDGE) return Number.POSITIVE_INFINITY;
  const sharers = 1 + neighbours.filter(({ wantedBytes }) => wantedBytes > 0).length;
  const further = Math.max(0, files.free - reservedFiles(files.total)) / sharers;
  return usedBytes + (further * usedBytes) / segments;
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
 * The reserve and the room of a volume whose reserve leaves next to nothing; undefined if it leaves enough, or if other files are
 * the reason: they take as much as the reserve does, or leave next to nothing even without it. Where the reserve is the whole disk,
 * it is the reason whatever else is there.
 */
export function tooSmall(use: VolumeUse): TooSmall | undefined {
  const { quota, space } = use;
  const { reserveBytes = 0 } = quota;
  const roomBytes = recordedBytes(use) + space.freeBytes;
  const isMore = reserveBytes > otherBytesOf(use) && roomBytes >= ALLOWED_BYTES_MIN;
  const isReserveAtFault = isMore || reserveBytes >= space.totalBytes;
  return isReserveAtFault && roomBytes - reserveBytes < ALLOWED_BYTES_MIN
    ? { reserveBytes, roomBytes }
    : undefined;
}

/** What files that are no recordings take of a volume's disk, and what they leave for recordings. */
export interface Crowded {
  readonly otherBytes: number;
  readonly leftBytes: number;
}

/**
 * The figures of a volume on which other files take at least as much as they leave, where what they leave is less than a day at
 * `bytesADay`, or next to nothing; otherwise undefined.
 */
export function crowded(use: VolumeUse, bytesADay: number): Crowded | undefined {
  const { quota, space } = use;
  const { quotaBytes = Number.POSITIVE_INFINITY, reserveBytes = 0 } = quota;
  const otherBytes = otherBytesOf(use);
  const leftBytes = Math.max(0, recordedBytes(use) + space.freeBytes - reserveBytes);
  const isLittle = leftBytes < Math.max(ALLOWED_BYTES_MIN, bytesADay) && leftBytes < quotaBytes;
  const isTheirs = otherBytes >= leftBytes && tooSmall(use) === undefined;
  return isLittle && isTheirs && space.totalBytes > 0 ? { otherBytes, leftBytes } : undefined;
}
