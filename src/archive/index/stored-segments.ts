import { setImmediate } from "node:timers/promises";
import { type Guid, type StreamKey, US_PER_MINUTE } from "../../base/index.js";
import type { SegmentSummary } from "../segment/segment-summary.js";
import { EPOCH_MAX, TIME_US_MAX } from "./index-keys.js";
import type { IndexStore } from "./index-store.js";
import type { StoredSegment } from "./segment-table.js";

/** Records that are looked at without a pause: some two milliseconds. */
const RECORDS_A_STEP = 256;
/** Segments of the volume that are handed out at once: what becomes of them takes long, and they may be gone by then. */
const FOUND_A_STEP = 16;

/** A place in a stream's recorded order: epoch, then time. */
export interface RecordedPosition {
  readonly epoch: number;
  /** Unix µs; -1 stands before everything. */
  readonly fromUs: number;
}

/** The closed segments of the index as retention and the evidence lock walk through them: by stream and volume. */
export class StoredSegments {
  readonly #store: () => IndexStore;

  constructor(store: () => IndexStore) {
    this.#store = store;
  }

  /** The stream's first closed segment on a volume behind `(epoch, fromUs)`, in recorded order. */
  followingOn(volumeId: Guid, key: StreamKey, at: RecordedPosition): SegmentSummary | undefined {
    const store = this.#store();
    const stream = store.streamNumber(key);
    const volume = store.volumeNumber(volumeId);
    const isEnd = at.fromUs >= TIME_US_MAX;
    if (stream === undefined || volume === undefined || (isEnd && at.epoch >= EPOCH_MAX)) return undefined;
    let from = isEnd
      ? { stream, epoch: at.epoch + 1, fromUs: 0 }
      : { stream, epoch: at.epoch, fromUs: at.fromUs + 1 };
    for (;;) {
      const run = store.fragments.firstOn(volume, from);
      if (run === undefined) return undefined;
      const timeUs = run.epoch === from.epoch ? Math.max(run.fromUs, from.fromUs) : run.fromUs;
      const found = store.segments.firstFrom({ stream, epoch: run.epoch, timeUs }, run.toUs - 1);
      const summary = summaryOf(store, found);
      if (summary?.volumeId === volumeId) return summary;
      // The rest holds none, or a record that cannot be read: `check` reports that one.
      from = { stream, epoch: run.epoch, fromUs: found === undefined ? run.toUs : found.fromUs + 1 };
    }
  }

  /** The stream's newest closed segment on a volume. */
  newestOn(volumeId: Guid, key: StreamKey): SegmentSummary | undefined {
    const store = this.#store();
    const stream = store.streamNumber(key);
    const volume = store.volumeNumber(volumeId);
    if (stream === undefined || volume === undefined) return undefined;
    const run = store.fragments.newestOn(volume, stream);
    if (run === undefined) return undefined;
    const { epoch, fromUs, toUs } = run;
    const summary = summaryOf(store, store.segments.lastFrom({ stream, epoch, timeUs: toUs - 1 }, fromUs));
    return summary?.volumeId === volumeId ? summary : undefined;
  }

  /** The stream's closed segments that overlap `[fromUs, toUs)`, of all epochs. It may be changed between two steps. */
  *closedBetween(key: StreamKey, fromUs: number, toUs: number): Generator<SegmentSummary> {
    const store = this.#store();
    const stream = store.streamNumber(key);
    const highUs = Math.min(TIME_US_MAX, toUs);
    if (stream === undefined || fromUs >= highUs) return;
    for (const { epoch, ...stretch } of store.fragments.overlapping(stream, Math.max(0, fromUs), highUs)) {
      const lastUs = Math.min(highUs, stretch.toUs) - 1;
      const holder = store.segments.lastFrom({ stream, epoch, timeUs: fromUs }, stretch.fromUs);
      const startUs = Math.max(stretch.fromUs, fromUs);
      let found = holder ?? store.segments.firstFrom({ stream, epoch, timeUs: startUs }, lastUs);
      while (found !== undefined && found.fromUs <= lastUs) {
        const summary = summaryOf(store, found);
        if (summary !== undefined && summary.toUs > fromUs) yield summary;
        found = store.segments.firstFrom({ stream, epoch, timeUs: found.fromUs + 1 }, lastUs);
      }
    }
  }

  /** The volume's closed segments, newest first; others have their turn in between, and may change what comes. */
  async *newestFirst(volumeId: Guid): AsyncGenerator<SegmentSummary> {
    let key: Buffer | undefined;
    for (;;) {
      const store = this.#store();
      const found: SegmentSummary[] = [];
      let records = 0;
      for (const segment of store.segments.newestFirst(key)) {
        key = segment.entry.key;
        const summary = store.summary(segment);
        if (summary?.volumeId === volumeId) found.push(summary);
        records += 1;
        if (records >= RECORDS_A_STEP || found.length >= FOUND_A_STEP) break;
      }
      yield* found;
      if (records === 0) return;
      await setImmediate();
    }
  }

  /** Where the stream's newest run begins; undefined when it has none. */
  newestRun(key: StreamKey): RecordedPosition | undefined {
    const stream = this.#store().streamNumber(key);
    return stream === undefined ? undefined : this.#store().fragments.newestOf(stream);
  }

  /** Rises with each segment that came later than newer ones of its stream: what was passed over may have changed. */
  get lateSegments(): number {
    return this.#store().lateSegments;
  }

  /** Start of the minute in which the newest closed segment begins, Unix µs. */
  get newestMinuteUs(): number | undefined {
    const minute = this.#store().segments.newestMinute();
    return minute === undefined ? undefined : minute * US_PER_MINUTE;
  }
}

function summaryOf(store: IndexStore, segment: StoredSegment | undefined): SegmentSummary | undefined {
  return segment === undefined ? undefined : store.summary(segment);
}
