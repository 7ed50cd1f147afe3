import { invariant, type StreamKey } from "../../base/index.js";
import type { SeekOptions } from "../segment/segment-index.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { ArchiveFragment, RecordedStretch } from "../segment/types.js";
import { comparePositions, type Stretch } from "./fragment-table.js";
import { TIME_US_MAX } from "./index-keys.js";
import type { IndexStore } from "./index-store.js";
import type { OpenSegments } from "./open-segments.js";
import type { StoredSegment } from "./segment-table.js";

type Segment = SegmentSummary | OpenSegment;

/** In the recorded order of a stream. */
interface Position {
  readonly epoch: number;
  readonly fromUs: number;
}

/** Segments without a key frame that `nearestKeyFrameUs` passes in either direction before it gives up. */
const KEYLESS_SEGMENTS_MAX = 256;

/**
 * Queries of the index, over stored segments and those being written. A stream's recorded order is epoch,
 * then time; a time that several epochs hold (the clock was set back) is looked up in the newest one.
 */
export class SegmentQueries {
  readonly #store: () => IndexStore;
  readonly #open: OpenSegments;

  constructor(store: () => IndexStore, open: OpenSegments) {
    this.#store = store;
    this.#open = open;
  }

  seek(key: StreamKey, timeUs: number, { withGops = true }: SeekOptions = {}): Segment | undefined {
    let next: Segment | undefined;
    for (const epoch of this.#epochs(key)) {
      const holder = this.#last(key, epoch, timeUs, withGops);
      if (holder !== undefined && holder.toUs > timeUs) return holder;
      const behind = this.following(key, { epoch, fromUs: timeUs }, { withGops });
      if (behind?.epoch !== epoch) continue;
      if (next === undefined || behind.fromUs < next.fromUs) next = behind;
    }
    return next;
  }

  following(key: StreamKey, at: Position, { withGops = true }: SeekOptions = {}): Segment | undefined {
    const stored = this.#storedAfter(key, at, withGops);
    const open = this.#open.of(key).find((segment) => comparePositions(segment, at) > 0);
    const isOpenNext = open !== undefined && (stored === undefined || comparePositions(open, stored) < 0);
    const next = isOpenNext ? open : stored;
    // Whoever goes from segment to segment would not come to an end.
    invariant(next === undefined || comparePositions(next, at) > 0, "index-order");
    return next;
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    return this.stretches(key, fromUs, toUs).map((run) => ({
      id: run.id,
      fromUs: run.fromUs,
      toUs: run.toUs,
    }));
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    const lowUs = Math.max(0, fromUs);
    const highUs = Math.min(TIME_US_MAX, toUs);
    if (highUs <= lowUs) return [];
    const stream = this.#store().streamNumber(key);
    const runs = stream === undefined ? [] : this.#store().fragments.overlapping(stream, lowUs, highUs);
    for (const chain of this.#openChains(key, stream)) {
      const at = runs.findIndex((run) => comparePositions(run, chain) === 0);
      if (at >= 0) runs[at] = chain;
      else if (chain.fromUs < highUs && chain.toUs > lowUs) runs.push(chain);
    }
    if (!isInTime(runs)) runs.sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch);
    return runs.map(({ id, epoch, fromUs: startUs, toUs: endUs }) => ({
      id,
      epoch,
      fromUs: startUs,
      toUs: endUs,
    }));
  }

  last(key: StreamKey, at: Position): Segment | undefined {
    return this.#last(key, at.epoch, at.fromUs);
  }

  newest(key: StreamKey): Segment | undefined {
    for (const epoch of this.#epochs(key)) {
      const segment = this.#last(key, epoch, TIME_US_MAX);
      if (segment !== undefined) return segment;
    }
    return undefined;
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    let nearest: number | undefined;
    for (const epoch of this.#epochs(key)) {
      const around = this.#last(key, epoch, timeUs);
      const before = this.#keyFrameBefore(key, around, timeUs);
      const from = around ?? this.following(key, { epoch, fromUs: timeUs });
      const after = this.#keyFrameAfter(key, from, epoch, timeUs);
      // The time is served from the newest epoch that holds it: so is its key frame.
      if (around !== undefined && around.toUs > timeUs) {
        const inEpoch = nearer(before, after, timeUs);
        if (inEpoch !== undefined) return inEpoch;
      }
      nearest = nearer(nearest, nearer(before, after, timeUs), timeUs);
    }
    return nearest;
  }

  streams(): StreamKey[] {
    const store = this.#store();
    const stored: StreamKey[] = [];
    for (const number of store.streamNumbers()) {
      const key = store.streamKey(number);
      const [newestEpoch] = store.fragments.epochs(number);
      if (key !== undefined && newestEpoch !== undefined) stored.push(key);
    }
    const open = this.#open.keys().filter((key) => {
      const number = store.streamNumber(key);
      return number === undefined || [...store.fragments.epochs(number)].length === 0;
    });
    return [...stored, ...open];
  }

  /** Last key frame at or before `timeUs`, in `from` or a segment before it in its epoch. */
  #keyFrameBefore(key: StreamKey, from: Segment | undefined, timeUs: number): number | undefined {
    let segment = from;
    for (let passed = 0; segment !== undefined && passed < KEYLESS_SEGMENTS_MAX; passed++) {
      const gop = segment.gops.findLast((entry) => entry.decodeTimeUs <= timeUs);
      if (gop !== undefined) return gop.decodeTimeUs;
      segment = this.#last(key, segment.epoch, segment.fromUs - 1);
    }
    return undefined;
  }

  /** First key frame after `timeUs`, in `from` or a segment behind it in this epoch. */
  #keyFrameAfter(
    key: StreamKey,
    from: Segment | undefined,
    epoch: number,
    timeUs: number,
  ): number | undefined {
    let segment = from;
    for (let passed = 0; segment?.epoch === epoch && passed < KEYLESS_SEGMENTS_MAX; passed++) {
      const gop = segment.gops.find((entry) => entry.decodeTimeUs > timeUs);
      if (gop !== undefined) return gop.decodeTimeUs;
      segment = this.following(key, segment);
    }
    return undefined;
  }

  /** Epochs of stored and open segments, newest first. */
  #epochs(key: StreamKey): number[] {
    const stream = this.#store().streamNumber(key);
    const stored = stream === undefined ? [] : [...this.#store().fragments.epochs(stream)];
    const open = this.#open.of(key).map((segment) => segment.epoch);
    if (open.every((epoch) => stored.includes(epoch))) return stored;
    return [...new Set([...stored, ...open])].sort((a, b) => b - a);
  }

  /** The epoch's last segment that starts at or before `timeUs`. */
  #last(key: StreamKey, epoch: number, timeUs: number, withGops = true): Segment | undefined {
    const stored = this.#storedLast(key, { epoch, fromUs: timeUs }, withGops);
    const open = this.#open
      .of(key)
      .findLast((segment) => segment.epoch === epoch && segment.fromUs <= timeUs);
    if (stored === undefined || open === undefined) return stored ?? open;
    return open.fromUs >= stored.fromUs ? open : stored;
  }

  #storedLast(
    key: StreamKey,
    { epoch, fromUs: timeUs }: Position,
    withGops: boolean,
  ): SegmentSummary | undefined {
    const store = this.#store();
    const stream = store.streamNumber(key);
    if (stream === undefined || timeUs < 0) return undefined;
    const fromUs = Math.min(timeUs, TIME_US_MAX);
    const run = store.fragments.floor({ stream, epoch, fromUs });
    if (run === undefined) return undefined;
    const lastUs = Math.min(fromUs, run.toUs - 1);
    return this.#summary(store.segments.lastFrom({ stream, epoch, timeUs: lastUs }, run.fromUs), withGops);
  }

  #storedAfter(key: StreamKey, at: Position, withGops: boolean): SegmentSummary | undefined {
    const store = this.#store();
    const stream = store.streamNumber(key);
    if (stream === undefined || at.fromUs >= TIME_US_MAX) return undefined;
    const fromUs = Math.max(0, at.fromUs);
    const run = store.fragments.floor({ stream, epoch: at.epoch, fromUs });
    if (run !== undefined && run.toUs > fromUs + 1) {
      const from = { stream, epoch: at.epoch, timeUs: Math.floor(fromUs) + 1 };
      const inside = this.#summary(store.segments.firstFrom(from, run.toUs - 1), withGops);
      if (inside !== undefined) return inside;
    }
    const next = store.fragments.after({ stream, epoch: at.epoch, fromUs });
    if (next === undefined) return undefined;
    const first = { stream, epoch: next.epoch, timeUs: next.fromUs };
    return this.#summary(store.segments.firstFrom(first, next.toUs - 1), withGops);
  }

  #summary(segment: StoredSegment | undefined, withGops: boolean): SegmentSummary | undefined {
    return segment === undefined ? undefined : this.#store().summary(segment, withGops);
  }

  /** The runs that the stream's open segments make, joined with the stored run they continue. */
  #openChains(key: StreamKey, stream: number | undefined): Stretch[] {
    const chains: Stretch[] = [];
    for (const { epoch, fromUs, toUs, fragmentId: id } of this.#open.of(key)) {
      const last = chains.at(-1) ?? undefined;
      if (last?.id === id && last.epoch === epoch && last.toUs === fromUs) {
        chains[chains.length - 1] = { ...last, toUs };
        continue;
      }
      const stored =
        stream === undefined ? undefined : this.#store().fragments.floor({ stream, epoch, fromUs });
      const follows = stored?.id === id && stored.toUs === fromUs;
      const startUs = follows ? this.#store().fragments.startOf(stored) : fromUs;
      chains.push({ stream: stream ?? 0, epoch, fromUs: startUs, toUs, id });
    }
    return chains;
  }
}

/** The one of two times that is nearer; the first one if equal. */
function nearer(a: number | undefined, b: number | undefined, timeUs: number): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.abs(b - timeUs) < Math.abs(a - timeUs) ? b : a;
}

function isInTime(runs: readonly Stretch[]): boolean {
  return runs.every((run, at) => at === 0 || run.fromUs > (runs[at - 1]?.fromUs ?? 0));
}
