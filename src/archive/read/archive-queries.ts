import type { StreamKey } from "../../base/index.js";
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

/** What the index knows of one stream's recording, or of the recordings of a channel's streams as one. */
export class ArchiveQueries {
  readonly #index: QueriedIndex;

  constructor(index: QueriedIndex) {
    this.#index = index;
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
    return streamsOf(key).some((stream) =>
      this.#index
        .fragments(stream, timeUs, timeUs + 1)
        .some((found) => found.fromUs <= timeUs && timeUs < found.toUs),
    );
  }

  hasSoundAt(key: StreamKey, timeUs: number): boolean | undefined {
    const segment = this.#index.seek(key, timeUs, { withGops: false });
    return segment === undefined || segment.fromUs > timeUs ? undefined : segment.audioFrames > 0;
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
    const streams = streamsOf(key);
    const [only] = streams;
    return only !== undefined && streams.length === 1 ? only : new JoinedStretches(this.#index, streams);
  }
}

function streamsOf(key: ArchiveKey): StreamKey[] {
  return streamTypesOf(key).map((streamType) => ({ channelId: key.channelId, streamType }));
}
