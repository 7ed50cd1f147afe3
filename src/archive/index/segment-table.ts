import { US_PER_MINUTE } from "../../base/index.js";
import { minuteOf, readSegmentKey, segmentKey, TIME_US_MAX, tieOf } from "./index-keys.js";
import { type IndexTable, KEY_HIGHEST, KEY_LOWEST, type TableEntry } from "./index-table.js";
import { recordEpoch, SEGMENT_DURATION_MAX_US } from "./segment-record.js";

const TIE_MAX = 0xffff_ffff;
const LAST_US_OF_MINUTE = US_PER_MINUTE - 1;

/** A stored segment: its key's numbers and its record, not yet unpacked. */
export interface StoredSegment {
  readonly stream: number;
  readonly fromUs: number;
  readonly entry: TableEntry;
}

interface EpochTime {
  readonly stream: number;
  readonly epoch: number;
  readonly timeUs: number;
}

/**
 * The segments' records, time-major. A stream's segments near a time are found by looking into the buckets of the
 * minutes around it, no further than the longest segment.
 */
export class SegmentTable {
  readonly #table: IndexTable;

  constructor(table: IndexTable) {
    this.#table = table;
  }

  get(stream: number, segment: { readonly fromUs: number; readonly segmentId: number }): Buffer | undefined {
    return this.#table.get(segmentKey({ stream, fromUs: segment.fromUs, tie: tieOf(segment.segmentId) }));
  }

  /** The stream's last segment of an epoch that starts at or before `timeUs`, but not before `lowUs`. */
  lastFrom(at: EpochTime, lowUs: number): StoredSegment | undefined {
    const lowestUs = Math.max(lowUs, at.timeUs - SEGMENT_DURATION_MAX_US, 0);
    for (let minute = minuteOf(at.timeUs); minute >= minuteOf(lowestUs); minute--) {
      const startUs = minute * US_PER_MINUTE;
      const low = segmentKey({ stream: at.stream, fromUs: Math.max(startUs, lowestUs), tie: 0 });
      const highUs = Math.min(startUs + LAST_US_OF_MINUTE, at.timeUs);
      const high = segmentKey({ stream: at.stream, fromUs: highUs, tie: TIE_MAX });
      const entry = this.#table.last(low, high);
      if (entry === undefined) continue;
      if (recordEpoch(entry.value) === at.epoch) return stored(entry);
      for (const other of this.#table.scan(low, high, { reverse: true }))
        if (recordEpoch(other.value) === at.epoch) return stored(other);
    }
    return undefined;
  }

  /** The stream's first segment of an epoch that starts at or after `timeUs`, but not after `highUs`. */
  firstFrom(at: EpochTime, highUs: number): StoredSegment | undefined {
    const highestUs = Math.min(highUs, at.timeUs + SEGMENT_DURATION_MAX_US, TIME_US_MAX);
    for (let minute = minuteOf(at.timeUs); minute <= minuteOf(highestUs); minute++) {
      const startUs = minute * US_PER_MINUTE;
      const low = segmentKey({ stream: at.stream, fromUs: Math.max(startUs, at.timeUs), tie: 0 });
      const toUs = Math.min(startUs + LAST_US_OF_MINUTE, highestUs);
      const high = segmentKey({ stream: at.stream, fromUs: toUs, tie: TIE_MAX });
      const entry = this.#table.first(low, high);
      if (entry === undefined) continue;
      if (recordEpoch(entry.value) === at.epoch) return stored(entry);
      for (const other of this.#table.scan(low, high))
        if (recordEpoch(other.value) === at.epoch) return stored(other);
    }
    return undefined;
  }

  /** All streams' segments in order of time, from the one after `afterKey` on, or from `fromMinute` on. */
  *inTime(after: { readonly key?: Buffer; readonly fromMinute?: number }): Generator<StoredSegment> {
    let low: Buffer = KEY_LOWEST;
    if (after.key !== undefined) low = Buffer.concat([after.key, Buffer.alloc(1)]);
    else if (after.fromMinute !== undefined) {
      low = segmentKey({ stream: 0, fromUs: after.fromMinute * US_PER_MINUTE, tie: 0 });
    }
    for (const entry of this.#table.scan(low, KEY_HIGHEST)) yield stored(entry);
  }

  /** All streams' segments against the order of time, from the one before `key` on, or from the newest. */
  *newestFirst(key?: Buffer): Generator<StoredSegment> {
    for (const entry of this.#table.scan(KEY_LOWEST, key ?? KEY_HIGHEST, { reverse: true }))
      if (key === undefined || !entry.key.equals(key)) yield stored(entry);
  }

  /** All segments of one stream in order of time: looks into the bucket of every minute. */
  *ofStream(stream: number): Generator<StoredSegment> {
    const first = this.#table.first(KEY_LOWEST, KEY_HIGHEST);
    const newest = this.newestMinute();
    if (first === undefined || newest === undefined) return;
    for (let minute = minuteOf(readSegmentKey(first.key).fromUs); minute <= newest; minute++) {
      const startUs = minute * US_PER_MINUTE;
      const low = segmentKey({ stream, fromUs: startUs, tie: 0 });
      const high = segmentKey({ stream, fromUs: startUs + LAST_US_OF_MINUTE, tie: TIE_MAX });
      for (const entry of this.#table.scan(low, high)) yield stored(entry);
    }
  }

  /** Minute of the newest segment of any stream. */
  newestMinute(): number | undefined {
    const entry = this.#table.last(KEY_LOWEST, KEY_HIGHEST);
    return entry === undefined ? undefined : minuteOf(readSegmentKey(entry.key).fromUs);
  }
}

function stored(entry: TableEntry): StoredSegment {
  const { stream, fromUs } = readSegmentKey(entry.key);
  return { stream, fromUs, entry };
}
