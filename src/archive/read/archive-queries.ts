import type { Guid, StreamKey } from "../../base/index.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import { type ArchiveFragment, type ArchiveKey, streamTypesOf } from "../segment/types.js";
import { JoinedStretches } from "./joined-stretches.js";
import {
  joinedSegments,
  type RecordedQuery,
  type RecordedSegment,
  recordedSegments,
} from "./recorded-segments.js";
import { JoinedOrder, type SegmentOrder, StreamOrder } from "./segment-order.js";

type QueriedIndex = Pick<
  SegmentIndex,
  "fragments" | "stretches" | "following" | "seek" | "last" | "nearestKeyFrameUs"
>;

/** A channel, and the former cameras whose recordings it has. */
export type FamilyOf = (channelId: Guid) => readonly Guid[];

/**
 * What the index knows of one stream's recording, or of the recordings of a channel's streams as one. A camera that was given the
 * recordings of former ones has them beside its own: each moment comes from its own where they have it, else from the first one that does.
 */
export class ArchiveQueries {
  readonly #index: QueriedIndex;
  readonly #familyOf: FamilyOf;

  /** `familyOf`: default: nothing was given to any camera. */
  constructor(index: QueriedIndex, familyOf: FamilyOf = (channelId) => [channelId]) {
    this.#index = index;
    this.#familyOf = familyOf;
  }

  /** The streams that are read, the preferred one first. */
  streams(key: ArchiveKey): StreamKey[] {
    const streamTypes = streamTypesOf(key);
    return this.#familyOf(key.channelId).flatMap((channelId) =>
      streamTypes.map((streamType) => ({ channelId, streamType })),
    );
  }

  /** Oldest first; those of several epochs may overlap. */
  fragments(key: ArchiveKey, fromUs: number, toUs: number): ArchiveFragment[] {
    const of = this.#of(key);
    if (!(of instanceof JoinedStretches)) return this.#index.fragments(of, fromUs, toUs);
    const found = of.overlapping(Math.max(0, fromUs), toUs);
    found.sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch);
    return found.map(({ id, fromUs: startUs, toUs: endUs }) => ({ id, fromUs: startUs, toUs: endUs }));
  }

  hasArchiveAt(key: ArchiveKey, timeUs: number): boolean {
    return this.streams(key).some((stream) =>
      this.#index
        .fragments(stream, timeUs, timeUs + 1)
        .some((found) => found.fromUs <= timeUs && timeUs < found.toUs),
    );
  }

  hasSoundAt(key: StreamKey, timeUs: number): boolean | undefined {
    for (const stream of this.streams(key)) {
      const segment = this.#index.seek(stream, timeUs, { withGops: false });
      if (segment !== undefined && segment.fromUs <= timeUs) return segment.audioFrames > 0;
    }
    return undefined;
  }

  /** Where a stream has the moment, the key frame is one of its own. */
  nearestFrameUs(key: ArchiveKey, timeUs: number): number | undefined {
    const of = this.#of(key);
    if (!(of instanceof JoinedStretches)) return this.#index.nearestKeyFrameUs(of, timeUs);
    const holder = of.at(timeUs);
    if (holder !== undefined) {
      const frameUs = this.#index.nearestKeyFrameUs(holder.key, timeUs);
      const isInside = frameUs !== undefined && frameUs >= holder.fromUs && frameUs < holder.toUs;
      return isInside ? frameUs : holder.fromUs;
    }
    let nearest: number | undefined;
    for (const stream of of.keys) {
      const frameUs = this.#index.nearestKeyFrameUs(stream, timeUs);
      if (frameUs === undefined) continue;
      if (nearest === undefined || Math.abs(frameUs - timeUs) < Math.abs(nearest - timeUs)) nearest = frameUs;
    }
    return nearest;
  }

  /** In which order a reader reads. */
  order(key: ArchiveKey): SegmentOrder {
    const of = this.#of(key);
    return of instanceof JoinedStretches
      ? new JoinedOrder(this.#index, of)
      : new StreamOrder(this.#index, of);
  }

  recorded(key: ArchiveKey, time: RecordedQuery): Iterable<RecordedSegment> {
    const of = this.#of(key);
    return of instanceof JoinedStretches
      ? joinedSegments(this.#index, of, time)
      : recordedSegments(this.#index, of, time);
  }

  #of(key: ArchiveKey): StreamKey | JoinedStretches {
    const streams = this.streams(key);
    const [only] = streams;
    return only !== undefined && streams.length === 1 ? only : new JoinedStretches(this.#index, streams);
  }
}
