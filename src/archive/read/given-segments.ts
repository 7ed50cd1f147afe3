import {
  type Guid,
  type Interval,
  STREAM_TYPES,
  type StreamKey,
  streamKeyText,
  union,
} from "../../base/index.js";
import { TIME_US_MAX } from "../index/index-keys.js";
import type { SeekOptions, SegmentIndex } from "../segment/segment-index.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { ArchiveFragment, RecordedChange, RecordedStretch } from "../segment/types.js";
import { spansWithout } from "./all-segments.js";
import type { PlacedSegment } from "./segment-places.js";

type Queries = Pick<
  SegmentIndex,
  "fragments" | "stretches" | "following" | "seek" | "last" | "nearestKeyFrameUs"
>;
type Segment = SegmentSummary | OpenSegment;

interface Position {
  readonly segmentId: number;
  readonly epoch: number;
  readonly fromUs: number;
}

/** A stream's recordings of an epoch. */
interface EpochSpan extends Interval {
  readonly epoch: number;
}

/** The part of an epoch that belongs to an era. */
interface EraPart extends EpochSpan {
  readonly era: number;
}

/** A camera and the former ones whose recordings it has. */
interface Family {
  /** The camera's eras, oldest first, each by its newest epoch. */
  readonly eras: readonly { readonly epoch: number; readonly fromUs: number }[];
  /** By stream, oldest first. */
  readonly parts: Map<string, readonly EraPart[]>;
  /** The archive's epoch when this was found out. */
  readonly epoch: number;
}

export interface GivenSegmentsOptions {
  readonly all: Queries;
  /** The camera that has a channel's recordings; the channel itself where nobody was given them. */
  readonly ownerOf: (channelId: Guid) => Guid;
  /** A channel, and those whose recordings it was given. */
  readonly familyOf: (channelId: Guid) => readonly Guid[];
  /** The epoch that is being recorded. */
  readonly epoch: () => number;
}

/**
 * The segments of all channels, those of a camera that was given recordings, and of what it was given, in one order. Epochs tell the
 * order within one recorder's streams, and say nothing of another's. So these streams are in the order of their times, in eras: a new
 * one begins only where an epoch of the camera began before the end of an earlier one, as its clock was set back. What was given
 * belongs to the era that had begun by then. Where given epochs overlap, the newest one counts. An era is identified by its newest epoch.
 */
export class GivenSegments implements Queries {
  readonly #options: GivenSegmentsOptions;
  readonly #all: Queries;
  readonly #families = new Map<Guid, Family>();

  constructor(options: GivenSegmentsOptions) {
    this.#options = options;
    this.#all = options.all;
  }

  /** What is recorded has changed; undefined: anything may have. */
  noteChange(change: RecordedChange | undefined): void {
    if (change === undefined) this.#families.clear();
    else this.#families.delete(this.#options.ownerOf(change.key.channelId));
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    if (!this.#isShared(key)) return this.#all.fragments(key, fromUs, toUs);
    return this.stretches(key, fromUs, toUs).map((stretch) => {
      return { id: stretch.id, fromUs: stretch.fromUs, toUs: stretch.toUs };
    });
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    const found = this.#all.stretches(key, fromUs, toUs);
    if (!this.#isShared(key)) return found;
    const newestFirst = [...found].sort((a, b) => b.epoch - a.epoch);
    const eras = new Map<number, RecordedStretch[]>();
    for (const stretch of newestFirst) {
      const era = this.#eraOf(key, stretch);
      const newer = eras.get(era) ?? [];
      const parts = spansWithout([stretch], union(newer));
      eras.set(era, [...newer, ...parts.map((part) => ({ id: stretch.id, ...part, epoch: era }))]);
    }
    return [...eras.values()]
      .flat()
      .filter((part) => part.fromUs < toUs && part.toUs > fromUs)
      .sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch);
  }

  following(key: StreamKey, at: Position, options?: SeekOptions): Segment | undefined {
    if (!this.#isShared(key)) return this.#all.following(key, at, options);
    const { eras } = this.#familyOf(key);
    const parts = this.#partsOf(key);
    for (const { epoch: era } of eras.slice(eraIndex(eras, at.epoch))) {
      const isAsked = era === eras[eraIndex(eras, at.epoch)]?.epoch;
      const behindUs = isAsked ? at.fromUs : -1;
      let next: Segment | undefined;
      for (const part of parts) {
        if (part.era !== era || part.toUs <= behindUs) continue;
        const from = { ...at, epoch: part.epoch, fromUs: Math.max(behindUs, part.fromUs - 1) };
        const found = this.#all.following(key, from, options);
        if (isIn(part, found) && (next === undefined || found.fromUs < next.fromUs)) next = found;
      }
      if (next !== undefined) return inEra(next, era);
    }
    return undefined;
  }

  seek(key: StreamKey, timeUs: number, options?: SeekOptions): Segment | undefined {
    const found = this.#all.seek(key, timeUs, options);
    return found === undefined || !this.#isShared(key) ? found : inEra(found, this.#eraOf(key, found));
  }

  last(key: StreamKey, at: { readonly epoch: number; readonly fromUs: number }): Segment | undefined {
    if (!this.#isShared(key)) return this.#all.last(key, at);
    const { eras } = this.#familyOf(key);
    const era = eras[eraIndex(eras, at.epoch)]?.epoch;
    let last: Segment | undefined;
    for (const part of this.#partsOf(key).toReversed()) {
      if (part.era !== era || part.fromUs > at.fromUs) continue;
      const found = this.#all.last(key, { epoch: part.epoch, fromUs: Math.min(at.fromUs, part.toUs - 1) });
      // The newest epoch that has the moment counts, else what begins last before it.
      const isHeld = last !== undefined && last.toUs > at.fromUs;
      if (isIn(part, found) && !isHeld && (last === undefined || found.fromUs > last.fromUs)) last = found;
    }
    return last === undefined || era === undefined ? undefined : inEra(last, era);
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    return this.#all.nearestKeyFrameUs(key, timeUs);
  }

  /** A segment as it was recorded: places know it by its own epoch. */
  asRecorded<T extends PlacedSegment>(segment: T): T {
    const { key, segmentId, fromUs } = segment;
    if (!this.#isShared(key)) return segment;
    const own = this.#partsOf(key).find(
      ({ epoch }) => this.#all.last(key, { epoch, fromUs })?.segmentId === segmentId,
    );
    return own === undefined || own.epoch === segment.epoch ? segment : { ...segment, epoch: own.epoch };
  }

  /** Whether the channel was given recordings, or its own were given. */
  #isShared({ channelId }: StreamKey): boolean {
    const { ownerOf, familyOf } = this.#options;
    return ownerOf(channelId) !== channelId || familyOf(channelId).length > 1;
  }

  #eraOf(key: StreamKey, { epoch, fromUs }: { readonly epoch: number; readonly fromUs: number }): number {
    const part = this.#partsOf(key).find((one) => {
      return one.epoch === epoch && one.fromUs <= fromUs && fromUs < one.toUs;
    });
    return part?.era ?? epoch;
  }

  #familyOf({ channelId }: StreamKey): Family {
    const { ownerOf, epoch } = this.#options;
    const ownerId = ownerOf(channelId);
    const known = this.#families.get(ownerId);
    if (known?.epoch === epoch()) return known;
    const family = { eras: this.#eras(ownerId), parts: new Map(), epoch: epoch() };
    this.#families.set(ownerId, family);
    return family;
  }

  #partsOf(key: StreamKey): readonly EraPart[] {
    const { eras, parts } = this.#familyOf(key);
    const text = streamKeyText(key);
    const known = parts.get(text);
    if (known !== undefined) return known;
    const isOwner = this.#options.ownerOf(key.channelId) === key.channelId;
    const found = this.#epochsOf(key).flatMap((span) =>
      isOwner
        ? { ...span, era: eras[eraIndex(eras, span.epoch)]?.epoch ?? span.epoch }
        : this.#cut(key, span),
    );
    parts.set(text, found);
    return found;
  }

  /** What was given belongs to eras by its time; no fragment of it lies in two of them. */
  #cut(key: StreamKey, span: EpochSpan): EraPart[] {
    const { eras } = this.#familyOf(key);
    const begins = eras.map(({ fromUs }, at) => (at === 0 ? 0 : this.#behindFragments(key, fromUs)));
    return eras.flatMap(({ epoch: era }, at) => {
      const fromUs = Math.max(span.fromUs, begins[at] ?? 0);
      const toUs = Math.min(span.toUs, begins[at + 1] ?? TIME_US_MAX);
      return fromUs < toUs ? { epoch: span.epoch, era, fromUs, toUs } : [];
    });
  }

  #behindFragments(key: StreamKey, timeUs: number): number {
    let behindUs = timeUs;
    for (;;) {
      const holding = this.#all
        .stretches(key, behindUs - 1, behindUs + 1)
        .filter(({ fromUs, toUs }) => fromUs < behindUs && toUs > behindUs);
      if (holding.length === 0) return behindUs;
      behindUs = Math.max(...holding.map(({ toUs }) => toUs));
    }
  }

  #eras(channelId: Guid): Family["eras"] {
    const spans = new Map<number, Interval>();
    for (const streamType of STREAM_TYPES)
      for (const { epoch, fromUs, toUs } of this.#epochsOf({ channelId, streamType })) {
        const known = spans.get(epoch) ?? { fromUs, toUs };
        spans.set(epoch, { fromUs: Math.min(known.fromUs, fromUs), toUs: Math.max(known.toUs, toUs) });
      }
    const eras: { epoch: number; fromUs: number }[] = [];
    let endUs = 0;
    for (const [epoch, { fromUs, toUs }] of [...spans].sort(([a], [b]) => a - b)) {
      const era = eras.at(-1);
      if (era === undefined || fromUs < endUs) eras.push({ epoch, fromUs });
      else era.epoch = epoch;
      endUs = era === undefined || fromUs < endUs ? toUs : Math.max(endUs, toUs);
    }
    const newest = eras.at(-1);
    // What is recorded from now on belongs to the last one.
    if (newest === undefined) return [{ epoch: this.#options.epoch(), fromUs: 0 }];
    newest.epoch = Math.max(newest.epoch, this.#options.epoch());
    return eras;
  }

  /** A stream's epochs, oldest first; what is being recorded grows without a word. */
  #epochsOf(key: StreamKey): EpochSpan[] {
    const spans: EpochSpan[] = [];
    let at: Position = { segmentId: -1, epoch: 0, fromUs: -1 };
    for (;;) {
      const first = this.#all.following(key, at, { withGops: false });
      if (first === undefined) return spans;
      const { epoch, fromUs } = first;
      const last = this.#all.last(key, { epoch, fromUs: TIME_US_MAX }) ?? first;
      spans.push({ epoch, fromUs, toUs: "readableBytes" in last ? TIME_US_MAX : last.toUs });
      at = { segmentId: Number.MAX_SAFE_INTEGER, epoch, fromUs: TIME_US_MAX };
    }
  }
}

/** The era that an epoch belongs to; one behind the last for an epoch that has not begun. */
function eraIndex(eras: Family["eras"], epoch: number): number {
  const at = eras.findIndex((era) => era.epoch >= epoch);
  return at < 0 ? eras.length : at;
}

function isIn({ epoch, fromUs, toUs }: EraPart, segment: Segment | undefined): segment is Segment {
  return segment?.epoch === epoch && segment.fromUs >= fromUs && segment.fromUs < toUs;
}

function inEra(segment: Segment, era: number): Segment {
  if (segment.epoch === era) return segment;
  if (!("readableBytes" in segment)) return { ...segment, epoch: era };
  // One that is being written grows: its members are asked for each time.
  return new Proxy(segment, { get: (of, name) => (name === "epoch" ? era : Reflect.get(of, name, of)) });
}
