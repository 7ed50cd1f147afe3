import { setImmediate } from "node:timers/promises";
import { type Guid, type StreamKey, streamKeyText } from "../../base/index.js";
import { TIME_US_MAX } from "../index/index-keys.js";
import type { RecordedPosition, StoredSegments } from "../index/stored-segments.js";
import type { SegmentSummary } from "../segment/segment-summary.js";

/** How many days of a channel's recordings are kept. */
export interface ChannelDays {
  /** Younger recordings are deleted only when nothing else is left. */
  readonly minDays: number;
  /** Older recordings are deleted even if there is space; 0 sets no bound. */
  readonly maxDays: number;
}

/** Where a channel's protection of a time ends: see `protectedUntil`. */
export type ProtectedUntil = (channelId: Guid, fromUs: number, toUs: number) => number | undefined;

export interface RemovalQueueOptions {
  readonly index: {
    streams(): StreamKey[];
    isDurable(segmentId: number): boolean;
    readonly stored: Pick<StoredSegments, "followingOn" | "lateSegments" | "newestRun">;
  };
  readonly volumeId: Guid;
  readonly daysOf: (channelId: Guid) => ChannelDays;
  /** End of the protected time that overlaps `[fromUs, toUs)` last; undefined when none does. */
  readonly protectedUntil: ProtectedUntil;
}

/** The oldest removable segment of a stream on a volume. */
export interface RemovalHead {
  readonly segment: SegmentSummary;
  readonly days: ChannelDays;
}

const BEGINNING: RecordedPosition = { epoch: 0, fromUs: -1 };

/**
 * A volume's removable segments, each stream's oldest first: what is protected, not yet durable in the index, or on
 * another volume is not among them. Finding the next one costs some look-ups, whatever lies before it: protected times
 * are passed in one step, and where a stream begins on the volume is remembered.
 */
export class RemovalQueue {
  readonly #options: RemovalQueueOptions;
  readonly #heads = new Map<string, RemovalHead>();
  readonly #beginnings = new Map<string, RecordedPosition>();
  #lateSegments = 0;
  #nowUs = 0;

  constructor(options: RemovalQueueOptions) {
    this.#options = options;
  }

  /** Looks for each stream's oldest. What is dated behind `nowUs` comes after the stream's later epochs. */
  async open(nowUs: number): Promise<void> {
    const { index, daysOf } = this.#options;
    const { lateSegments } = index.stored;
    if (lateSegments !== this.#lateSegments) this.#beginnings.clear();
    this.#lateSegments = lateSegments;
    this.#nowUs = nowUs;
    this.#heads.clear();
    for (const key of index.streams()) {
      const text = streamKeyText(key);
      const known = this.#beginnings.get(text);
      // A stream that recorded on motion has thousands of runs, all on another volume perhaps.
      if (known === undefined) await setImmediate();
      const first = index.stored.followingOn(this.#options.volumeId, key, known ?? BEGINNING);
      const newest = first === undefined ? index.stored.newestRun(key) : undefined;
      if (newest !== undefined) this.#beginnings.set(text, newest);
      if (first === undefined) continue;
      this.#beginnings.set(text, { epoch: first.epoch, fromUs: first.fromUs - 1 });
      this.#put(text, this.#unprotected(key, first), daysOf(key.channelId));
    }
  }

  /** The heads as they are, in no order. */
  heads(): Iterable<RemovalHead> {
    return this.#heads.values();
  }

  /** Takes out the oldest segment whose head `accept` agrees to; undefined when there is none. */
  take(accept: (head: RemovalHead) => boolean): SegmentSummary | undefined {
    for (;;) {
      const oldest = this.#oldest(accept);
      if (oldest === undefined) return undefined;
      const { segment, days } = oldest;
      const { key, fromUs, toUs } = segment;
      const text = streamKeyText(key);
      // It may be held, by a move, since its stream was looked at: what is newer waits for it.
      if (!this.#options.index.isDurable(segment.segmentId)) {
        this.#heads.delete(text);
        continue;
      }
      this.#put(text, this.#unprotected(key, this.#following(segment)), days);
      // It may have been protected since its stream was looked at.
      if (this.#options.protectedUntil(key.channelId, fromUs, toUs) === undefined) return segment;
    }
  }

  #oldest(accept: (head: RemovalHead) => boolean): RemovalHead | undefined {
    let oldest: RemovalHead | undefined;
    for (const head of this.#heads.values()) {
      if (oldest !== undefined && oldest.segment.fromUs <= head.segment.fromUs) continue;
      if (accept(head)) oldest = head;
    }
    return oldest;
  }

  #put(text: string, segment: SegmentSummary | undefined, days: ChannelDays): void {
    if (segment === undefined || !this.#options.index.isDurable(segment.segmentId)) this.#heads.delete(text);
    else this.#heads.set(text, { segment, days });
  }

  #following(segment: SegmentSummary): SegmentSummary | undefined {
    return this.#options.index.stored.followingOn(this.#options.volumeId, segment.key, segment);
  }

  /** The first removable segment from `from` on; those dated in the future come last. */
  #unprotected(key: StreamKey, from: SegmentSummary | undefined): SegmentSummary | undefined {
    const { index, volumeId, protectedUntil } = this.#options;
    let segment = from;
    let later: SegmentSummary | undefined;
    while (segment !== undefined) {
      const { epoch, fromUs, toUs } = segment;
      const endUs = protectedUntil(key.channelId, fromUs, toUs);
      if (endUs === undefined && fromUs <= this.#nowUs) return segment;
      if (endUs === undefined) later ??= segment;
      // All that starts before the end of the protection is part of it; all behind a future time is future too.
      const at = { epoch, fromUs: endUs === undefined ? TIME_US_MAX : Math.max(endUs - 1, fromUs) };
      segment = index.stored.followingOn(volumeId, key, at);
    }
    return later;
  }
}
