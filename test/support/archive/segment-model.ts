import type { ArchiveFragment, SegmentSummary } from "../../../src/archive/index.js";
import { type StreamKey, streamKeyText } from "../../../src/base/index.js";

/** What the index must answer, computed the slow and plain way from the segments alone. */
export class SegmentModel {
  readonly segments = new Map<number, SegmentSummary>();

  of(key: StreamKey): SegmentSummary[] {
    return [...this.segments.values()]
      .filter((segment) => streamKeyText(segment.key) === streamKeyText(key))
      .sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs);
  }

  seek(key: StreamKey, timeUs: number): SegmentSummary | undefined {
    const all = this.of(key);
    const holders = all.filter((segment) => segment.fromUs <= timeUs && segment.toUs > timeUs);
    const later = all.filter((segment) => segment.fromUs > timeUs);
    later.sort((a, b) => a.fromUs - b.fromUs || b.epoch - a.epoch);
    return holders.at(-1) ?? later[0];
  }

  following(key: StreamKey, at: { epoch: number; fromUs: number }): SegmentSummary | undefined {
    return this.of(key).find((s) => s.epoch > at.epoch || (s.epoch === at.epoch && s.fromUs > at.fromUs));
  }

  fragments(key: StreamKey, fromUs: number, toUs: number): ArchiveFragment[] {
    if (toUs <= fromUs) return [];
    const runs: { id: string; fromUs: number; toUs: number; epoch: number }[] = [];
    for (const { fragmentId: id, epoch, ...segment } of this.of(key)) {
      const last = runs.at(-1);
      if (last?.id === id && last.epoch === epoch && last.toUs === segment.fromUs) last.toUs = segment.toUs;
      else runs.push({ id, epoch, fromUs: segment.fromUs, toUs: segment.toUs });
    }
    return runs
      .filter((run) => run.fromUs < toUs && run.toUs > fromUs)
      .sort((a, b) => a.fromUs - b.fromUs || a.epoch - b.epoch)
      .map((run) => ({ id: run.id, fromUs: run.fromUs, toUs: run.toUs }));
  }

  /** Of the newest epoch that holds the time and has a key frame; where none does, of all. */
  nearestKeyFrameUs(key: StreamKey, timeUs: number): number | undefined {
    const all = this.of(key);
    const gopsOf = (segments: readonly SegmentSummary[]) =>
      segments.flatMap((segment) => segment.gops.map((gop) => gop.decodeTimeUs));
    const holders = all.filter((segment) => segment.fromUs <= timeUs && segment.toUs > timeUs).reverse();
    const ofHolder = holders
      .map(({ epoch }) => gopsOf(all.filter((segment) => segment.epoch === epoch)))
      .find((gops) => gops.length > 0);
    return (ofHolder ?? gopsOf(all)).reduce<number | undefined>((best, time) => {
      if (best === undefined) return time;
      return Math.abs(time - timeUs) < Math.abs(best - timeUs) ? time : best;
    }, undefined);
  }

  newest(key: StreamKey): SegmentSummary | undefined {
    return this.of(key).at(-1);
  }
}
