import type { SegmentSummary } from "../segment/segment-summary.js";

interface Extent {
  firstId: number;
  lastId: number;
}

/** Epochs of each stream: a later one holds only segments that were made later, and none is newer than the archive's own. */
export class EpochCheck {
  readonly #extents = new Map<number, Map<number, Extent>>();

  take(stream: number, { epoch, segmentId }: Pick<SegmentSummary, "epoch" | "segmentId">): void {
    let epochs = this.#extents.get(stream);
    if (epochs === undefined) {
      epochs = new Map();
      this.#extents.set(stream, epochs);
    }
    const extent = epochs.get(epoch);
    if (extent === undefined) epochs.set(epoch, { firstId: segmentId, lastId: segmentId });
    else {
      extent.firstId = Math.min(extent.firstId, segmentId);
      extent.lastId = Math.max(extent.lastId, segmentId);
    }
  }

  /** `newest`: the archive's epoch, where it is known. */
  *faults(newest: number | undefined): Generator<{ readonly stream: number; readonly detail: string }> {
    for (const [stream, epochs] of this.#extents) {
      const rising = [...epochs].sort(([a], [b]) => a - b);
      for (const [at, [epoch, extent]] of rising.entries()) {
        const before = rising[at - 1];
        if (before !== undefined && before[1].lastId >= extent.firstId)
          yield { stream, detail: `epoch ${epoch} began before epoch ${before[0]} ended` };
        if (newest !== undefined && epoch > newest)
          yield { stream, detail: `epoch ${epoch} is newer than the archive's, ${newest}` };
      }
    }
  }
}
