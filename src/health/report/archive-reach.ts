import type { ChannelBytes, ChannelDays, RemovedTime, VolumeStatus } from "../../archive/index.js";
import { type Guid, US_PER_DAY } from "../../base/index.js";
import type { ReachReason } from "../../contract/answer/index.js";
import { reachForecast } from "./reach-forecast.js";

/** Before so much is recorded a rate says nothing. */
const RATE_LEAST_US = 10 * 60_000_000;
/** A recording is kept to its limit within this: whole segments are removed, once a minute. */
const NEAR_US = 3 * 3_600_000_000;

/** What is known of a channel's recordings. */
export interface ReachChannel {
  readonly id: Guid;
  readonly name: string;
  readonly days: ChannelDays;
  readonly bytes: ChannelBytes | undefined;
  /** Where its recording of the last hours begins: what is being recorded is on no list of closed segments yet. */
  readonly startedUs: number | undefined;
  /** What retention removed, the oldest first. */
  readonly removed: readonly RemovedTime[];
}

export interface ChannelReach {
  readonly id: Guid;
  readonly name: string;
  readonly days: ChannelDays;
  readonly oldestUs: number | undefined;
  /** Nothing recorded since then was removed; what is older is on another disk, or protected. */
  readonly completeSinceUs: number | undefined;
  readonly reason: ReachReason;
  /** At the rate of today and yesterday. */
  readonly bytesPerDay: number | undefined;
  /** How far back it will reach; undefined while its rate is not known. */
  readonly forecastDays: number | undefined;
  readonly bytes: ChannelBytes | undefined;
}

/** How far back the recordings reach, why, and what is to be expected. */
export interface ArchiveReach {
  readonly usedBytes: number;
  readonly allowedBytes: number;
  readonly protectedBytes: number;
  /** Of all channels whose rate is known; where none is yet, what is written now; undefined where that is not known either. */
  readonly bytesPerDay: number | undefined;
  /** That a channel without limits reaches back when the disks are full; undefined if they never are, or no rate is known. */
  readonly daysHeld: number | undefined;
  /** When the oldest recordings begin to make room, and in how many days; undefined where that is not to be expected. */
  readonly fullUs: number | undefined;
  readonly daysLeft: number | undefined;
  readonly channels: readonly ChannelReach[];
}

/**
 * `writtenPerDay`: what is written to the volumes, bytes a day at the rate of now. In the first minutes nothing else is known: it
 * counts as that of all channels alike.
 */
export function archiveReach(
  statuses: readonly VolumeStatus[],
  known: readonly ReachChannel[],
  nowUs: number,
  writtenPerDay?: number,
): ArchiveReach {
  const recorded = statuses.filter(({ isRetired }) => !isRetired);
  const sum = (of: (status: (typeof statuses)[number]) => number): number =>
    recorded.reduce((total, status) => total + of(status), 0);
  const [usedBytes, allowedBytes] = [sum((status) => status.usedBytes), sum((status) => status.allowedBytes)];
  const protectedBytes = sum((status) => status.protectedBytes);
  const oldest = (id: Guid, startedUs: number | undefined): number | undefined => {
    const times = statuses.flatMap(({ channels }) => channels.filter(({ channelId }) => channelId === id));
    return times.length === 0 ? startedUs : Math.min(...times.map(({ oldestUs }) => oldestUs));
  };
  const rated = known.map((channel) => {
    const oldestUs = oldest(channel.id, channel.startedUs);
    return { channel, oldestUs, bytesPerDay: rateOf(channel, oldestUs, nowUs) };
  });
  const rates = rated.flatMap(({ bytesPerDay }) => bytesPerDay ?? []);
  const early = rates.length === 0 && writtenPerDay !== undefined ? writtenPerDay / known.length : 0;
  const forecast = reachForecast(
    rated.map(({ channel, bytesPerDay = early }) => ({ bytesPerDay, ...channel.days })),
    Math.max(0, allowedBytes - protectedBytes),
  );
  const bytesPerDay = rates.length === 0 ? writtenPerDay : rates.reduce((total, rate) => total + rate, 0);
  const isFilling =
    recorded.length > 0 && bytesPerDay !== undefined && bytesPerDay > 0 && forecast.days !== undefined;
  const daysLeft = isFilling ? Math.max(0, allowedBytes - usedBytes) / bytesPerDay : undefined;
  return {
    ...{ usedBytes, allowedBytes, protectedBytes, bytesPerDay },
    daysHeld: isFilling ? forecast.days : undefined,
    fullUs: daysLeft === undefined ? undefined : nowUs + daysLeft * US_PER_DAY,
    daysLeft,
    channels: rated.map(({ channel, oldestUs, bytesPerDay }, at) => ({
      ...reachOf(channel, oldestUs, nowUs),
      bytesPerDay,
      forecastDays: bytesPerDay === undefined || bytesPerDay === 0 ? undefined : forecast.channels[at],
    })),
  };
}

/** Bytes a day, of today and yesterday; of the time since the first recording where that is shorter. */
function rateOf({ bytes }: ReachChannel, oldestUs: number | undefined, nowUs: number): number | undefined {
  if (bytes === undefined || oldestUs === undefined) return undefined;
  const yesterday = Math.floor(nowUs / US_PER_DAY) - 1;
  const passedUs = nowUs - Math.max(oldestUs, yesterday * US_PER_DAY);
  if (passedUs < RATE_LEAST_US) return undefined;
  const recent = bytes.days.filter(({ day }) => day >= yesterday);
  return (recent.reduce((total, day) => total + day.bytes, 0) / passedUs) * US_PER_DAY;
}

function reachOf(channel: ReachChannel, oldestUs: number | undefined, nowUs: number) {
  const { id, name, days, bytes, removed } = channel;
  const last = removed.at(-1);
  const completeSinceUs = oldestUs === undefined ? undefined : Math.max(oldestUs, last?.toUs ?? oldestUs);
  return { id, name, days, bytes, oldestUs, completeSinceUs, reason: reasonOf() };

  function reasonOf(): ReachReason {
    if (completeSinceUs === undefined) return "Nothing";
    if (last === undefined) return "Began";
    if (last.cause === "age") return "Age";
    const minUs = days.minDays * US_PER_DAY;
    const depthUs = nowUs - completeSinceUs;
    if (minUs > 0 && depthUs < minUs - NEAR_US) return "MinimumUnmet";
    return minUs > 0 && depthUs <= minUs + NEAR_US ? "Minimum" : "Space";
  }
}
