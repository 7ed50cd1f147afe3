import { HELD_BYTES_MAX_DEFAULT, READER_MEMORY_BYTES_MAX, READERS_MAX_DEFAULT } from "../../archive/index.js";
import {
  EXPORT_MEMORY_BYTES,
  EXPORTS_MAX,
  REMEMBERED_ANSWER_BYTES_MAX,
  SNAPSHOT_BYTES_MAX,
} from "../../compat/index.js";
import { BODIES_BYTES_MAX } from "../../http/index.js";
import { SLAB_POOL_BYTES_MAX_DEFAULT } from "../../live/index.js";
import {
  CODEC_FRAME_BYTES_MAX,
  RUN_BYTES_MAX,
  STILLS_AT_ONCE_MAX,
  STILLS_PREPARING_MAX,
} from "../../picture/index.js";
import {
  ARCHIVE_PLAYING_BYTES_MAX,
  CLIENTS_WAITING_BYTES_MAX,
  FEEDS_BYTES_MAX,
  PACKAGING_BYTES_MAX,
} from "../../player/index.js";
import { PRE_ROLL_TOTAL_BYTES_MAX } from "../../recording/index.js";
import { UNSENT_BYTES_MAX } from "../../rtsp/server/index.js";
import type { ApiMemory } from "../api/index.js";
import { RTSP_CONNECTIONS_MAX } from "./rtsp-outlet.js";

const MIB = 1024 * 1024;

/** One share of the memory: at least `floor`, plus `weight` of what remains after all floors, at most `cap`. */
export interface MemoryShare {
  readonly floor: number;
  /** Thousandths; the sum over all shares is 1000. */
  readonly weight: number;
  readonly cap: number;
  /** Before all others, half of what there is beyond so many bytes is its, up to the cap. */
  readonly beyond?: number;
  /** What the memory is used for; docs/design/memory.md is checked against this. */
  readonly use: string;
  readonly whenUsedUp: string;
}

function share(floorMib: number, weight: number, cap: number, words: readonly [string, string]): MemoryShare {
  const [use, whenUsedUp] = words;
  return { floor: floorMib * MIB, weight, cap, use, whenUsedUp };
}

/** What the process of the detector of objects may take; beyond it, it is ended. The library and the weights take some 120 MiB. */
export const DETECTOR_BYTES_MAX = 192 * MIB;
/** A smaller recorder has nothing to spare for that process. */
const DETECTOR_BEYOND_BYTES = 800 * MIB;
/** With so much memory the detector has its whole share. */
export const DETECTOR_MEMORY_BYTES_MIN = DETECTOR_BEYOND_BYTES + 2 * DETECTOR_BYTES_MAX;

/**
 * Fraction of the memory for pictures that decoded frames may use; the codec counts these. The rest is for what it does not
 * count: decoder tables, scaled and encoded pictures (measured with 16 streams of 1080p: 145 MB of memory for 80 MB of frames).
 */
const PICTURE_FRAMES_SHARE = 0.6;

/**
 * Everything that grows with cameras, viewers and requests, in bytes. `process`, `heap` and `pageCache` are not assigned to a part:
 * the process, V8 and the kernel use them.
 */
export const MEMORY_SHARES = {
  process: share(128, 0, 128 * MIB, [
    "code, libraries, threads, child processes",
    "not limited by nvrd: it does not grow",
  ]),
  detector: {
    ...share(0, 0, DETECTOR_BYTES_MAX, [
      "the process of the detector of objects",
      "that process is ended, and started again after a pause",
    ]),
    beyond: DETECTOR_BEYOND_BYTES,
  },
  heap: share(64, 100, 512 * MIB, [
    "JavaScript objects: configuration, index tables, events",
    "V8's own limit, half of the memory",
  ]),
  pageCache: share(16, 50, 256 * MIB, [
    "file pages waiting to be written to the disks",
    "the kernel writes them out first",
  ]),
  frames: share(48, 300, SLAB_POOL_BYTES_MAX_DEFAULT, [
    "slabs: frames from the socket to their last user",
    "above 75 % nothing is buffered for viewers; then frames are dropped up to the next key frame",
  ]),
  pictures: share(64, 290, Math.ceil(CODEC_FRAME_BYTES_MAX / PICTURE_FRAMES_SHARE), [
    "decoded pictures of stills, transcodes and motion detectors",
    "503 for new transcodes above 75 %; then for stills",
  ]),
  stills: share(32, 40, STILLS_AT_ONCE_MAX * RUN_BYTES_MAX, [
    "coded frames of the stills being made",
    "fewer are made at a time, others wait; then 503",
  ]),
  snapshots: share(8, 30, STILLS_PREPARING_MAX * SNAPSHOT_BYTES_MAX, [
    "JPEG files requested from cameras",
    "503",
  ]),
  stillCache: share(1, 20, 1000 * MIB, [
    "cached stills; at most `stillCacheBytes`",
    "the oldest are evicted; unused ones go within 40 s",
  ]),
  reading: share(16, 40, READERS_MAX_DEFAULT * READER_MEMORY_BYTES_MAX, ["readers of recordings", "503"]),
  exports: share(4, 10, EXPORTS_MAX * EXPORT_MEMORY_BYTES, ["running exports", "503"]),
  socket: share(8, 30, FEEDS_BYTES_MAX + CLIENTS_WAITING_BYTES_MAX, [
    "the live socket: the newest group of pictures of the streams that are watched, and what waits for slow clients; half each",
    "a new viewer begins with the next key frame; slow clients lose pictures earlier",
  ]),
  packaging: share(12, 40, PACKAGING_BYTES_MAX, [
    "live HLS: segments of all streams",
    "the oldest segments are deleted early; 503 for streams that are not packaged yet",
  ]),
  playing: share(4, 20, ARCHIVE_PLAYING_BYTES_MAX, [
    "recorded HLS: segments read ahead",
    "segments are read again when requested",
  ]),
  bodies: share(2, 10, 2 * BODIES_BYTES_MAX, ["bodies of requests being received", "503"]),
  answers: share(1, 10, REMEMBERED_ANSWER_BYTES_MAX, [
    "cached answers of GET /configex",
    "the oldest are evicted, and created again when requested",
  ]),
  rtspViewers: share(2, 10, RTSP_CONNECTIONS_MAX * UNSENT_BYTES_MAX, [
    "data that RTSP viewers have not read yet",
    "a further connection is closed",
  ]),
} as const satisfies Readonly<Record<string, MemoryShare>>;

export type MemoryShareName = keyof typeof MEMORY_SHARES;
export type MemoryShares = Readonly<Record<MemoryShareName, number>>;

export const MEMORY_SHARE_NAMES = Object.keys(MEMORY_SHARES) as readonly MemoryShareName[];

/** The sum of all floors. With less memory the recorder runs, but may be killed. */
export const MEMORY_BYTES_MIN = MEMORY_SHARE_NAMES.reduce((sum, name) => sum + MEMORY_SHARES[name].floor, 0);

/** Fraction of the memory for frames that may be queued for all volumes together; the same fraction is for the pre-roll. */
const FRAMES_HELD_SHARE = 0.375;
/** Minimum queue per volume: the largest frame and some more. */
const VOLUME_HELD_BYTES_MIN = 16 * MIB;

/**
 * Divides `totalBytes`: each share gets its floor, plus its weight of the rest, up to its cap. The sum exceeds `totalBytes`
 * only if the floors alone do. What exceeds the caps is not assigned.
 */
export function shareOut(totalBytes: number): MemoryShares {
  const first = (share: MemoryShare): number => firstBytes(share, totalBytes);
  const taken = MEMORY_SHARE_NAMES.reduce((sum, name) => sum + first(MEMORY_SHARES[name]), 0);
  const left = Math.max(0, totalBytes - taken - MEMORY_BYTES_MIN);
  const shares = MEMORY_SHARE_NAMES.map((name) => {
    const { floor, weight, cap } = MEMORY_SHARES[name];
    const bytes = first(MEMORY_SHARES[name]) + floor + Math.floor((left * weight) / 1000);
    return [name, Math.min(cap, bytes)] as const;
  });
  return Object.fromEntries(shares) as MemoryShares;
}

/** What a share has before all others. */
function firstBytes({ beyond, cap }: MemoryShare, totalBytes: number): number {
  return beyond === undefined ? 0 : Math.min(cap, Math.max(0, Math.floor((totalBytes - beyond) / 2)));
}

/** Maximum size of decoded frames. */
export function codecFrameBytes({ pictures }: Pick<MemoryShares, "pictures">): number {
  return Math.min(CODEC_FRAME_BYTES_MAX, Math.floor(pictures * PICTURE_FRAMES_SHARE));
}

/** Maximum size of the frames queued for each of `volumes` volumes. */
export function volumeHeldBytes({ frames }: Pick<MemoryShares, "frames">, volumes: number): number {
  const each = Math.floor((frames * FRAMES_HELD_SHARE) / Math.max(1, volumes));
  return Math.min(HELD_BYTES_MAX_DEFAULT, Math.max(VOLUME_HELD_BYTES_MIN, each));
}

/** Maximum size of the frames kept for the pre-roll. */
export function preRollBytes({ frames }: Pick<MemoryShares, "frames">): number {
  return Math.min(PRE_ROLL_TOTAL_BYTES_MAX, Math.floor(frames * FRAMES_HELD_SHARE));
}

/** How many items of `bytes` each fit into a share; at least one, at most `most`. */
export function countWithin(shareBytes: number, bytes: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(shareBytes / bytes)));
}

/** Memory limits of the HTTP API. */
export function apiMemory(shares: MemoryShares): ApiMemory {
  const { bodies, answers, exports, packaging, playing, socket } = shares;
  return {
    feedBytesMax: Math.floor(socket / 2),
    socketWaitingBytesMax: Math.floor(socket / 2),
    // Halved, because HTTP and HTTPS have separate servers.
    bodiesBytesMax: Math.floor(bodies / 2),
    answersBytesMax: answers,
    exportsMax: countWithin(exports, EXPORT_MEMORY_BYTES, EXPORTS_MAX),
    packagingBytesMax: packaging,
    playingBytesMax: playing,
  };
}

/** Maximum number of RTSP viewers. */
export function rtspConnections({ rtspViewers }: Pick<MemoryShares, "rtspViewers">): number {
  return countWithin(rtspViewers, UNSENT_BYTES_MAX, RTSP_CONNECTIONS_MAX);
}
