import { BYTES_PER_TB, DAYS_PER_YEAR, type Guid, type StreamKey, US_PER_DAY } from "../../base/index.js";
import type { StoredSegments } from "../index/stored-segments.js";
import {
  allowedBytes,
  type Crowded,
  crowded,
  type TooSmall,
  tooSmall,
  type VolumeUse,
} from "../segment/volume-room.js";
import type { VolumeSpace } from "../segment/volume-space.js";
import type { ChannelDays } from "./removal-queue.js";
import type { Wear } from "./volume-wear.js";

const BEGINNING = { epoch: 0, fromUs: -1 };

/** What the health report says of a volume. */
export interface VolumeStatus extends Wear {
  readonly id: Guid;
  readonly directory: string;
  /** Nothing new is recorded onto it. */
  readonly isRetired: boolean;
  /** Its recordings could not be read into the index. */
  readonly isUnread: boolean;
  /** Of the file system, as last asked for. */
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly files?: VolumeSpace["files"];
  /** Bytes of segments, those being written included. */
  readonly usedBytes: number;
  /** Most bytes of segments that quota, reserve and inodes allow. */
  readonly allowedBytes: number;
  /** Where what is to stay free leaves next to nothing: both figures. */
  readonly tooSmall: TooSmall | undefined;
  /** Where files that are no recordings leave next to nothing: both figures. */
  readonly crowded: Crowded | undefined;
  readonly protectedBytes: number;
  /** The drive's workload rating, terabytes (10^12) a year; undefined where none is set. */
  readonly workloadTbPerYear: number | undefined;
  /** Projected writing as a share of the rating. */
  readonly workloadShare: number | undefined;
  readonly channels: readonly ChannelDepth[];
}

/**
 * When a volume onto which nothing is recorded since `retiredUs` holds no recordings any more, by their age; undefined where some
 * have no limit. Protected ones stay.
 */
export function emptyUs(
  { channels }: Pick<VolumeStatus, "channels">,
  retiredUs: number,
  daysOf: (channelId: Guid) => ChannelDays,
): number | undefined {
  const limits = channels.map(({ channelId }) => daysOf(channelId).maxDays);
  if (limits.some((maxDays) => maxDays <= 0)) return undefined;
  return retiredUs + Math.max(0, ...limits) * US_PER_DAY;
}

/** How far back a channel's recordings on a volume reach. */
export interface ChannelDepth {
  readonly channelId: Guid;
  /** Start of the oldest segment on the volume, Unix µs. */
  readonly oldestUs: number;
}

export interface VolumeStatusInput extends VolumeUse {
  readonly id: Guid;
  readonly directory: string;
  readonly isRetired: boolean;
  readonly isUnread: boolean;
  readonly protectedBytes: number;
  readonly wear: Wear;
  readonly workloadTbPerYear: number | undefined;
  readonly channels: readonly ChannelDepth[];
}

/** Puts a volume's figures together. */
export function volumeStatus(input: VolumeStatusInput): VolumeStatus {
  const { id, directory, isRetired, isUnread, space, usedBytes } = input;
  const { protectedBytes, wear, workloadTbPerYear, channels } = input;
  return {
    ...{ id, directory, isRetired, isUnread, ...space, usedBytes, protectedBytes, ...wear },
    allowedBytes: allowedBytes(input),
    tooSmall: tooSmall(input),
    crowded: crowded(input, wear.projectedYearBytes / DAYS_PER_YEAR),
    workloadTbPerYear,
    workloadShare:
      workloadTbPerYear === undefined
        ? undefined
        : wear.projectedYearBytes / (workloadTbPerYear * BYTES_PER_TB),
    channels,
  };
}

/** Each channel's oldest time on a volume, all its streams together. */
export function channelDepths(
  index: { streams(): StreamKey[]; readonly stored: Pick<StoredSegments, "followingOn"> },
  volumeId: Guid,
): ChannelDepth[] {
  const oldest = new Map<Guid, number>();
  for (const key of index.streams()) {
    const first = index.stored.followingOn(volumeId, key, BEGINNING);
    if (first === undefined) continue;
    const knownUs = oldest.get(key.channelId) ?? first.fromUs;
    oldest.set(key.channelId, Math.min(knownUs, first.fromUs));
  }
  return [...oldest].map(([channelId, oldestUs]) => ({ channelId, oldestUs }));
}
