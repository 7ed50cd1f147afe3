import { type Guid, type Interval, type StreamKey, union } from "../../base/index.js";
import { isKeyFramesFragment } from "../segment/fragment-origin.js";
import type { SeekOptions, SegmentIndex } from "../segment/segment-index.js";
import type { SegmentReading } from "../segment/segment-reading.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type {
  ArchiveFragment,
  RecordedChangeListener,
  RecordedChannel,
  RecordedStretch,
} from "../segment/types.js";
import { SegmentCopies } from "./segment-copies.js";
import type { PlacedSegment } from "./segment-places.js";

type Queries = Pick<
  SegmentIndex,
  "fragments" | "stretches" | "following" | "seek" | "last" | "nearestKeyFrameUs"
>;
type Segment = SegmentSummary | OpenSegment;

/** A channel that anything is recorded of off the box. */
export interface AwayChannel extends RecordedChannel {
  /** Undefined where the place does not say. */
  readonly name: string | undefined;
}

/** Recordings off the box: what is known of them, and where they are read. */
export interface AwayRecordings {
  /** Absent: those that are configured. */
  readonly channels?: () => readonly AwayChannel[];
  readonly index: Queries & Pick<SegmentIndex, "onChange">;
  readonly reading: SegmentReading;
  /** Its stretches are cut to days: what lies beyond those that were asked for is not looked for. Default: they are whole. */
  readonly isCutToDays?: boolean;
}

/** Joins at the ends of a stretch: a fragment lies partly here and partly away where retention has come to. */
const JOINS_MAX = 64;

/**
 * The segments on the volumes and those off the box as one index. What is here is read here: a segment off the box is found only
 * where the volumes' index has none at its place. Of a segment that is whole in one place and key frames alone in another the whole
 * one is found. While nothing is off the box it is the volumes' index alone.
 */
export class AllSegments implements Queries {
  readonly #here: Queries;
  readonly #listeners: RecordedChangeListener[] = [];
  #away: readonly AwayRecordings[] = [];

  constructor(here: Queries) {
    this.#here = here;
  }

  /** Replaces what is off the box; the first place that has a segment gives it. */
  setAway(away: readonly AwayRecordings[]): void {
    for (const place of away.filter((one) => !this.#away.includes(one)))
      place.index.onChange((change) => {
        if (this.#away.includes(place)) this.#notify(change);
      });
    this.#away = away;
    this.#notify(undefined);
  }

  /** Notifies of segments that become known off the box, or are gone. */
  onChange(listener: RecordedChangeListener): void {
    this.#listeners.push(listener);
  }

  /** The channels off the box, of all places together; a name is that of the first place that has one. */
  awayChannels(): readonly AwayChannel[] {
    const found = new Map<Guid, AwayChannel>();
    for (const { channels } of this.#away)
      for (const channel of channels?.() ?? []) {
        const known = found.get(channel.id);
        const fromUs = Math.min(channel.fromUs, known?.fromUs ?? channel.fromUs);
        const toUs = Math.max(channel.toUs, known?.toUs ?? channel.toUs);
        found.set(channel.id, { id: channel.id, name: known?.name ?? channel.name, fromUs, toUs });
      }
    return [...found.values()];
  }

  following(
    key: StreamKey,
    at: { readonly segmentId: number; readonly epoch: number; readonly fromUs: number },
    options?: SeekOptions,
  ): Segment | undefined {
    const order = (a: Segment, b: Segment): number => a.epoch - b.epoch || a.fromUs - b.fromUs;
    return this.#best(this.#here.following(key, at, options), ({ following }) => following(key, at), order);
  }

  last(key: StreamKey, at: { readonly epoch: number; readonly fromUs: number }): Segment | undefined {
    const order = (a: Segment, b: Segment): number => b.fromUs - a.fromUs;
    return this.#best(this.#here.last(key, at), ({ last }) => last(key, at), order);
  }

  /** A holder of the moment comes before a segment behind it, one of a newer epoch before an older one. */
  seek(key: StreamKey, timeUs: number, options?: SeekOptions): Segment | undefined {
    const holds = ({ fromUs, toUs }: Segment): boolean => fromUs <= timeUs && timeUs < toUs;
    const order = (a: Segment, b: Segment): number => {
      const byHolding = Number(holds(b)) - Number(holds(a));
      return byHolding || (holds(a) ? b.epoch - a.epoch : a.fromUs - b.fromUs);
    };
    return this.#best(this.#here.seek(key, timeUs, options), ({ seek }) => seek(key, timeUs), order);
  }

  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    const here = this.#here.nearestKeyFrameUs(key, timeUs);
    if (this.#away.length === 0) return here;
    // A moment that a segment holds is served from there: so is its key frame.
    const holder = this.seek(key, timeUs);
    const index = holder === undefined || holder.fromUs > timeUs ? undefined : this.#indexOf(holder);
    const own = index?.nearestKeyFrameUs(key, timeUs);
    if (own !== undefined && isIn(holder, own)) return own;
    let nearest = here;
    for (const place of this.#away) {
      const frameUs = place.index.nearestKeyFrameUs(key, timeUs);
      if (frameUs === undefined) continue;
      if (nearest === undefined || Math.abs(frameUs - timeUs) < Math.abs(nearest - timeUs)) nearest = frameUs;
    }
    return nearest;
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    if (this.#away.length === 0) return this.#here.fragments(key, fromUs, toUs);
    return this.stretches(key, fromUs, toUs).map((stretch) => ({
      id: stretch.id,
      fromUs: stretch.fromUs,
      toUs: stretch.toUs,
    }));
  }

  stretches(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    if (this.#away.length === 0) return this.#here.stretches(key, fromUs, toUs);
    const joined = this.#joined(key, fromUs, toUs);
    const isCut = this.#away.some(({ isCutToDays }) => isCutToDays === true);
    const found = isCut ? joined : joined.map((stretch) => this.#widened(key, stretch));
    return found.sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch);
  }

  /** Where what is recorded of streams is off the box alone, in order, cut to the time. */
  awayOnly(streams: readonly StreamKey[], fromUs: number, toUs: number): Interval[] {
    if (this.#away.length === 0) return [];
    const here: Interval[] = [];
    const away: Interval[] = [];
    for (const stream of streams) {
      here.push(...this.#here.stretches(stream, fromUs, toUs));
      for (const { index } of this.#away) away.push(...index.stretches(stream, fromUs, toUs));
    }
    return cutTo(spansWithout(union(away), union(here)), fromUs, toUs);
  }

  /** Whether all that is known of a stream's recording is so whatever becomes of what is off the box. */
  isHere(key: StreamKey, fromUs: number, toUs: number): boolean {
    if (this.#away.length === 0) return true;
    if (this.awayOnly([key], fromUs, toUs).length > 0) return false;
    // Key frames here are no more than that when the whole of them is gone elsewhere.
    return !this.#here.stretches(key, fromUs, toUs).some(({ id }) => isKeyFramesFragment(id));
  }

  /** Of what streams recorded nothing is left but key frames, here or off the box: in order, cut to the time. */
  keyFramesOnly(streams: readonly StreamKey[], fromUs: number, toUs: number): Interval[] {
    const whole: Interval[] = [];
    const keys: Interval[] = [];
    for (const stream of streams) {
      for (const index of [this.#here, ...this.#away.map((place) => place.index)])
        for (const stretch of index.stretches(stream, fromUs, toUs))
          (isKeyFramesFragment(stretch.id) ? keys : whole).push(stretch);
    }
    return keys.length === 0 ? [] : cutTo(spansWithout(union(keys), union(whole)), fromUs, toUs);
  }

  /** Where a segment lies off the box, just as it is: all the places that have it, as one. */
  copyOf({ key, segmentId, fragmentId, epoch, fromUs }: PlacedSegment): SegmentReading | undefined {
    const places = this.#away.filter(({ index }) => {
      const found = index.last(key, { epoch, fromUs });
      return found?.segmentId === segmentId && found.fragmentId === fragmentId;
    });
    const [first, second] = places.map(({ reading }) => reading);
    return second === undefined ? first : new SegmentCopies(places.map(({ reading }) => reading));
  }

  /** The key frames of a segment, where one place has those alone: for who cannot read the whole of it any more. */
  keyFramesOf({ key, segmentId, fragmentId, epoch, fromUs }: PlacedSegment): SegmentSummary | undefined {
    if (isKeyFramesFragment(fragmentId)) return undefined;
    for (const { index, reading } of this.#away) {
      const found = index.last(key, { epoch, fromUs });
      if (found?.segmentId === segmentId && isKeyFramesFragment(found.fragmentId))
        return { ...found, away: reading };
    }
    return undefined;
  }

  #notify(change: Parameters<RecordedChangeListener>[0]): void {
    for (const listener of this.#listeners) listener(change);
  }

  #indexOf({ away }: Segment): Queries | undefined {
    if (away === undefined) return this.#here;
    return this.#away.find(({ reading }) => reading === away)?.index;
  }

  /** The first in order of what is here and what each place has; where they are equal the first that is whole, from here on. */
  #best(
    here: Segment | undefined,
    ask: (index: Bound) => Segment | undefined,
    order: (a: Segment, b: Segment) => number,
  ): Segment | undefined {
    let best = here;
    for (const { index, reading } of this.#away) {
      const found = ask(bound(index));
      if (found === undefined) continue;
      const isFirst = best === undefined || order(found, best) < 0;
      if (isFirst || (best !== undefined && order(found, best) === 0 && isMore(found, best)))
        best = { ...found, away: reading };
    }
    return best;
  }

  #joined(key: StreamKey, fromUs: number, toUs: number): RecordedStretch[] {
    const all = [this.#here, ...this.#away.map(({ index }) => index)].flatMap((index) =>
      index.stretches(key, fromUs, toUs),
    );
    const keys = all.filter(({ id }) => isKeyFramesFragment(id));
    if (keys.length === 0) return joinedById(all);
    const whole = joinedById(all.filter(({ id }) => !isKeyFramesFragment(id)));
    const left = joinedById(keys).flatMap((stretch) => this.#besideWhole(key, stretch));
    return [...whole, ...left.filter((part) => part.fromUs < toUs && part.toUs > fromUs)];
  }

  /** What of the key frames of a fragment is whole nowhere. */
  #besideWhole(key: StreamKey, stretch: RecordedStretch): RecordedStretch[] {
    const { fromUs, toUs, epoch } = stretch;
    const whole = [this.#here, ...this.#away.map(({ index }) => index)].flatMap((index) =>
      index
        .stretches(key, fromUs, toUs)
        .filter((other) => other.epoch === epoch && !isKeyFramesFragment(other.id)),
    );
    return spansWithout([stretch], union(whole)).map((part) => ({ ...stretch, ...part }));
  }

  /** What the other places have of the same fragment beyond its ends. */
  #widened(key: StreamKey, stretch: RecordedStretch): RecordedStretch {
    let whole = stretch;
    for (let joins = 0; joins < JOINS_MAX; joins++) {
      const around = [whole.fromUs - 1, whole.toUs].flatMap((timeUs) =>
        this.#joined(key, Math.max(0, timeUs), timeUs + 1),
      );
      const own = around.filter(({ id, epoch }) => id === stretch.id && epoch === stretch.epoch);
      const touching = own.filter(({ fromUs, toUs }) => fromUs <= whole.toUs && toUs >= whole.fromUs);
      const fromUs = Math.min(whole.fromUs, ...touching.map((part) => part.fromUs));
      const toUs = Math.max(whole.toUs, ...touching.map((part) => part.toUs));
      if (fromUs === whole.fromUs && toUs === whole.toUs) return whole;
      whole = { ...whole, fromUs, toUs };
    }
    return whole;
  }
}

/** Whether one has all of the frames of which the other has the key frames alone. */
function isMore(one: Segment, other: Segment): boolean {
  return !isKeyFramesFragment(one.fragmentId) && isKeyFramesFragment(other.fragmentId);
}

/** Parts of the same fragment that touch or overlap, made one. */
function joinedById(stretches: readonly RecordedStretch[]): RecordedStretch[] {
  const joined: RecordedStretch[] = [];
  for (const stretch of [...stretches].sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs)) {
    const last = joined.at(-1);
    const joins = last?.id === stretch.id && last.epoch === stretch.epoch && stretch.fromUs <= last.toUs;
    if (!joins) joined.push(stretch);
    else joined[joined.length - 1] = { ...last, toUs: Math.max(last.toUs, stretch.toUs) };
  }
  return joined;
}

function cutTo(spans: readonly Interval[], fromUs: number, toUs: number): Interval[] {
  const cut = spans.map((span) => ({
    fromUs: Math.max(span.fromUs, fromUs),
    toUs: Math.min(span.toUs, toUs),
  }));
  return cut.filter((span) => span.toUs > span.fromUs);
}

type Bound = Pick<Queries, "following" | "last" | "seek">;

function bound(index: Queries): Bound {
  return {
    following: (key, at) => index.following(key, at),
    last: (key, at) => index.last(key, at),
    seek: (key, timeUs) => index.seek(key, timeUs),
  };
}

function isIn(segment: Segment | undefined, timeUs: number): boolean {
  return segment !== undefined && segment.fromUs <= timeUs && timeUs < segment.toUs;
}

/** What of `spans` lies outside of `others`; both in order. */
export function spansWithout(spans: readonly Interval[], others: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  let at = 0;
  for (const { fromUs, toUs } of spans) {
    let startUs = fromUs;
    while (at < others.length && (others[at]?.toUs ?? 0) <= startUs) at += 1;
    for (let next = at; next < others.length; next++) {
      const other = others[next];
      if (other === undefined || other.fromUs >= toUs) break;
      if (other.fromUs > startUs) left.push({ fromUs: startUs, toUs: other.fromUs });
      startUs = Math.max(startUs, other.toUs);
    }
    if (startUs < toUs) left.push({ fromUs: startUs, toUs });
  }
  return left;
}
