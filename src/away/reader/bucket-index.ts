import type {
  ArchiveFragment,
  AwayRecordings,
  RecordedChangeListener,
  SegmentSummary,
} from "../../archive/index.js";
import { NvrdError, type StreamKey, US_PER_DAY, US_PER_MINUTE } from "../../base/index.js";
import type { BoxChannel } from "./bucket-boxes.js";
import { type BucketDays, type DaySegment, summaryOfDay } from "./bucket-days.js";
import { dayNumber } from "./day-list.js";

/** No segment is longer: one of the day before may reach so far into a day. */
const SEGMENT_US_MAX = 10 * US_PER_MINUTE;
/** Days with recordings that one question may need. */
const DAYS_MAX = 400;

type Index = AwayRecordings["index"];
type Stretch = ReturnType<Index["stretches"]>[number];
interface Position {
  readonly epoch: number;
  readonly fromUs: number;
}

/**
 * What a bucket has recorded, day by day as it is asked. Runs of recording are cut to the days that a question needs: a bucket's
 * answer depends on the question and the bucket alone. The segment that follows an epoch's last is the first of a newer epoch on
 * that day or a later one. Each question throws as `BucketDays` does.
 */
export class BucketIndex implements Index {
  readonly #days: BucketDays;

  constructor(days: BucketDays) {
    this.#days = days;
  }

  /** Manifests are read when they are asked for: there are no notifications. */
  onChange(_listener: RecordedChangeListener): void {
    // There is no moment at which something becomes known.
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    return this.stretches(key, fromUs, toUs).map(({ id, fromUs: from, toUs: to }) => ({
      id,
      fromUs: from,
      toUs: to,
    }));
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): Stretch[] {
    const channel = this.#days.channel(key.channelId);
    if (channel === undefined) return [];
    const days = daysOf(channel, fromUs, toUs);
    const runs = this.#days.runs(channel, key.streamType, days).flat();
    const joined: Stretch[] = [];
    for (const run of [...runs].sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs)) {
      const last = joined.at(-1);
      if (last?.id === run.id && last.epoch === run.epoch && run.fromUs <= last.toUs)
        joined[joined.length - 1] = { ...last, toUs: Math.max(last.toUs, run.toUs) };
      else joined.push(run);
    }
    return joined
      .filter((run) => run.fromUs < toUs && run.toUs > fromUs)
      .sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch);
  }

  seek(key: StreamKey, timeUs: number): SegmentSummary | undefined {
    const channel = this.#days.channel(key.channelId);
    if (channel === undefined) return undefined;
    const near = this.#segments(channel, key, daysOf(channel, timeUs, timeUs + 1));
    const holders = near.filter(({ fromUs, toUs }) => fromUs <= timeUs && timeUs < toUs);
    const holder = best(holders, (a, b) => b.epoch - a.epoch);
    if (holder !== undefined) return summaryOfDay(holder);
    const today = dayNumber(timeUs);
    for (const day of daysFrom(channel, today)) {
      const behind = this.#segments(channel, key, [day]).filter(({ fromUs }) => fromUs > timeUs);
      const next = best(behind, (a, b) => a.fromUs - b.fromUs);
      if (next !== undefined) return summaryOfDay(next);
    }
    return undefined;
  }

  following(key: StreamKey, at: Position): SegmentSummary | undefined {
    const channel = this.#days.channel(key.channelId);
    if (channel === undefined) return undefined;
    const found = this.#next(channel, at, (day) => this.#segments(channel, key, [day]));
    return found === undefined ? undefined : summaryOfDay(found);
  }

  /** As `following`, of days in memory; those that are not are fetched. */
  followingAhead(key: StreamKey, at: Position): SegmentSummary | undefined {
    try {
      const channel = this.#days.channel(key.channelId);
      if (channel === undefined) return undefined;
      const segments = (day: number) => this.#days.segmentsAhead(channel, key.streamType, day) ?? [];
      const found = this.#next(channel, at, segments);
      return found === undefined ? undefined : summaryOfDay(found);
    } catch (error) {
      if (error instanceof NvrdError) return undefined; // who reads on gets the error
      throw error;
    }
  }

  last(key: StreamKey, { epoch, fromUs: untilUs }: Position): SegmentSummary | undefined {
    const channel = this.#days.channel(key.channelId);
    if (channel === undefined) return undefined;
    const today = dayNumber(untilUs);
    // A GOP that began the day before is looked for there, and no further.
    for (const day of [today, channel.days.before(today)]) {
      if (day === undefined || channel.days.revisionOf(day) === undefined) continue;
      const own = this.#segments(channel, key, [day]);
      const found = own.findLast((segment) => segment.epoch === epoch && segment.fromUs <= untilUs);
      if (found !== undefined) return summaryOfDay(found);
    }
    return undefined;
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    const channel = this.#days.channel(key.channelId);
    if (channel === undefined) return undefined;
    const today = dayNumber(timeUs);
    let nearest = this.#nearestOn(channel, key, today, timeUs);
    const isNearer = (edgeUs: number): boolean =>
      nearest === undefined || Math.abs(edgeUs - timeUs) < Math.abs(nearest - timeUs);
    for (let day = channel.days.before(today); day !== undefined; day = channel.days.before(day)) {
      if (!isNearer((day + 1) * US_PER_DAY + SEGMENT_US_MAX)) break;
      nearest = nearer(timeUs, nearest, this.#nearestOn(channel, key, day, timeUs));
    }
    for (let day = channel.days.after(today); day !== undefined; day = channel.days.after(day)) {
      if (!isNearer(day * US_PER_DAY)) break;
      nearest = nearer(timeUs, nearest, this.#nearestOn(channel, key, day, timeUs));
    }
    return nearest;
  }

  #nearestOn(channel: BoxChannel, key: StreamKey, day: number, timeUs: number): number | undefined {
    if (channel.days.revisionOf(day) === undefined) return undefined;
    let nearest: number | undefined;
    for (const segment of this.#segments(channel, key, [day])) {
      const isFar =
        nearest !== undefined &&
        Math.min(Math.abs(segment.fromUs - timeUs), Math.abs(segment.toUs - timeUs)) >
          Math.abs(nearest - timeUs) &&
        (timeUs < segment.fromUs || timeUs >= segment.toUs);
      if (isFar) continue;
      for (const { decodeTimeUs } of summaryOfDay(segment).gops)
        nearest = nearer(timeUs, nearest, decodeTimeUs);
    }
    return nearest;
  }

  /** The next of the same epoch on the day or the next one with recordings, else the first of a newer epoch there, else later. */
  #next(
    channel: BoxChannel,
    { epoch, fromUs }: Position,
    segmentsOf: (day: number) => readonly DaySegment[],
  ): DaySegment | undefined {
    let newer: DaySegment | undefined;
    let isSecond = false;
    for (const day of daysFrom(channel, dayNumber(fromUs))) {
      const own = segmentsOf(day);
      const same = own.find((segment) => segment.epoch === epoch && segment.fromUs > fromUs);
      if (same !== undefined) return same;
      const other = own.find((segment) => segment.epoch > epoch);
      if (other !== undefined && (newer === undefined || other.epoch < newer.epoch)) newer = other;
      if (newer !== undefined && isSecond) return newer;
      isSecond = true;
    }
    return newer;
  }

  #segments(channel: BoxChannel, { streamType }: StreamKey, days: readonly number[]): readonly DaySegment[] {
    return this.#days.segments(channel, streamType, days).flat();
  }
}

/** Those that may hold something of `[fromUs, toUs)`. Throws NvrdError BAD_REQUEST beyond a bound. */
function daysOf({ days }: BoxChannel, fromUs: number, toUs: number): readonly number[] {
  const from = dayNumber(Math.max(0, fromUs - SEGMENT_US_MAX));
  const found = days.between(from, dayNumber(Math.max(fromUs, toUs - 1)));
  if (found.length > DAYS_MAX)
    throw new NvrdError("BAD_REQUEST", `the question needs ${found.length} days of a channel in the bucket`, {
      hint: `ask for ${DAYS_MAX} days at most`,
    });
  return found;
}

/** The day, where it has recordings, and all behind it. */
function* daysFrom({ days }: BoxChannel, first: number): Generator<number> {
  const begin = days.revisionOf(first) === undefined ? days.after(first) : first;
  for (let day = begin; day !== undefined; day = days.after(day)) yield day;
}

function best<T>(all: readonly T[], order: (a: T, b: T) => number): T | undefined {
  return all.reduce<T | undefined>(
    (found, one) => (found === undefined || order(one, found) < 0 ? one : found),
    undefined,
  );
}

function nearer(timeUs: number, a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.abs(b - timeUs) < Math.abs(a - timeUs) ? b : a;
}
