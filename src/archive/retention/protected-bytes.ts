import { setImmediate } from "node:timers/promises";
import type { Clock, Guid, Interval, StreamKey } from "../../base/index.js";
import type { SegmentSummary } from "../segment/segment-summary.js";

/** Segments counted before others get their turn: some five milliseconds. */
const SEGMENTS_A_STEP = 200;
/** How long a count is valid for times that are still being recorded, or indexed late. */
const FRESH_US = 10_000_000;
/** How long a count of older times is valid: protected segments are not removed. */
const SETTLED_FRESH_US = 3_600_000_000;
/** Segments that end before this much ago are closed and indexed. */
const SETTLED_AFTER_US = 600_000_000;

export interface ProtectedBytesOptions {
  readonly index: {
    streams(): StreamKey[];
    readonly stored: {
      closedBetween(key: StreamKey, fromUs: number, toUs: number): Iterable<SegmentSummary>;
      readonly lateSegments: number;
    };
  };
  readonly clock: Clock;
}

export type VolumeBytes = ReadonlyMap<Guid, number>;

interface Counted {
  readonly spans: string;
  readonly lateSegments: number;
  readonly untilUs: number;
  readonly bytes: VolumeBytes;
}

/** Counts the bytes of channels' segments that overlap protected times, each segment once and whole, per volume. */
export class ProtectedBytes {
  readonly #options: ProtectedBytesOptions;
  readonly #counted = new Map<string, Counted>();

  constructor(options: ProtectedBytesOptions) {
    this.#options = options;
  }

  /** `name` stands for these spans: a count under the same name is used again while it is fresh. */
  async of(name: string, channelIds: readonly Guid[], spans: readonly Interval[]): Promise<VolumeBytes> {
    const { clock, index } = this.#options;
    const { lateSegments } = index.stored;
    const text = JSON.stringify(spans);
    const known = this.#counted.get(name);
    const isSame = known?.spans === text && known.lateSegments === lateSegments;
    if (isSame && clock.monotonicUs() < known.untilUs) return known.bytes;
    const bytes = await this.#count(channelIds, spans);
    const isSettled = (spans.at(-1)?.toUs ?? 0) < clock.nowUs() - SETTLED_AFTER_US;
    const untilUs = clock.monotonicUs() + (isSettled ? SETTLED_FRESH_US : FRESH_US);
    this.#counted.set(name, { spans: text, lateSegments, untilUs, bytes });
    return bytes;
  }

  forget(name: string): void {
    this.#counted.delete(name);
  }

  forgetAll(): void {
    this.#counted.clear();
  }

  async #count(channelIds: readonly Guid[], spans: readonly Interval[]): Promise<VolumeBytes> {
    const { index } = this.#options;
    const bytes = new Map<Guid, number>();
    let steps = 0;
    for (const key of index.streams().filter(({ channelId }) => channelIds.includes(channelId))) {
      let countedToUs = 0;
      for (const { fromUs, toUs } of spans) {
        for (const segment of index.stored.closedBetween(key, fromUs, toUs)) {
          // A segment that reaches into the next span has been counted with the one before.
          if (segment.fromUs < countedToUs) continue;
          bytes.set(segment.volumeId, (bytes.get(segment.volumeId) ?? 0) + segment.bytes);
          steps += 1;
          if (steps % SEGMENTS_A_STEP === 0) await setImmediate();
        }
        countedToUs = toUs;
      }
    }
    return bytes;
  }
}

export function totalOf(bytes: VolumeBytes): number {
  let total = 0;
  for (const some of bytes.values()) total += some;
  return total;
}
