import { type Guid, type StreamKey, streamKeyText } from "../../base/index.js";
import type { OpenSegment } from "../segment/segment-summary.js";
import { comparePositions } from "./fragment-table.js";

/** The segments being written, of all streams: one a stream, two while the older one is being closed. */
export class OpenSegments {
  readonly #streams = new Map<string, OpenSegment[]>();
  readonly #keys = new Map<number, StreamKey>();

  track(segment: OpenSegment): void {
    this.forget(segment.segmentId);
    const text = streamKeyText(segment.key);
    this.#streams.set(text, [...(this.#streams.get(text) ?? []), segment]);
    this.#keys.set(segment.segmentId, segment.key);
  }

  forget(segmentId: number): void {
    const key = this.#keys.get(segmentId);
    if (key === undefined) return;
    this.#keys.delete(segmentId);
    const text = streamKeyText(key);
    const left = (this.#streams.get(text) ?? []).filter((segment) => segment.segmentId !== segmentId);
    if (left.length === 0) this.#streams.delete(text);
    else this.#streams.set(text, left);
  }

  /** The stream's open segments that hold a frame, in recorded order. */
  of(key: StreamKey): OpenSegment[] {
    const segments = this.#streams.get(streamKeyText(key));
    if (segments === undefined) return [];
    return segments.filter((segment) => segment.toUs > segment.fromUs).sort(comparePositions);
  }

  /** Bytes being written on a volume. */
  bytesOf(volumeId: Guid): number {
    let bytes = 0;
    for (const segments of this.#streams.values()) {
      for (const segment of segments) if (segment.volumeId === volumeId) bytes += segment.bytes;
    }
    return bytes;
  }

  keys(): StreamKey[] {
    return [...this.#streams.values()].flatMap((segments) => segments.slice(0, 1).map(({ key }) => key));
  }
}
