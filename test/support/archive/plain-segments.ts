import type { SegmentSummary } from "../../../src/archive/index.js";
import { type StreamKey, streamKeyText } from "../../../src/base/index.js";

/** Closed segments in a plain list: what the evidence lock asks of the index, obviously right. */
export class PlainSegments {
  readonly list: SegmentSummary[] = [];
  readonly stored = {
    lateSegments: 0,
    closedBetween: (key: StreamKey, fromUs: number, toUs: number) =>
      this.#of(key)
        .filter((segment) => segment.fromUs < toUs && segment.toUs > fromUs)
        .values(),
  };

  streams(): StreamKey[] {
    return [...new Map(this.list.map(({ key }) => [streamKeyText(key), key])).values()];
  }

  async ready(): Promise<void> {
    await Promise.resolve();
  }

  #of(key: StreamKey): SegmentSummary[] {
    const text = streamKeyText(key);
    const segments = this.list.filter((segment) => streamKeyText(segment.key) === text);
    return segments.sort((a, b) => a.fromUs - b.fromUs);
  }
}
