import type { SegmentFile, SegmentSummary, VolumeAccess, VolumeSpace } from "../../src/archive/index.js";
import type { Guid } from "../../src/base/index.js";

const LIST_BATCH = 100;

/** A volume whose files are entries of a map: what retention, check and rebuild see of a real one. */
export class MemoryVolume implements VolumeAccess {
  readonly id: Guid;
  readonly directory = "/memory";
  readonly files = new Map<number, SegmentSummary>();
  /** Files whose header cannot be read. */
  readonly torn = new Set<number>();
  /** Files with a frame that does not pass its CRC. */
  readonly damaged = new Set<number>();
  readonly unlinked: number[] = [];
  totalBytes: number;
  failUnlinks = false;

  constructor(id: Guid, totalBytes = Number.MAX_SAFE_INTEGER) {
    this.id = id;
    this.totalBytes = totalBytes;
  }

  put(summary: SegmentSummary): void {
    this.files.set(summary.segmentId, summary);
  }

  get bytes(): number {
    return [...this.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  }

  async *listSegments(): AsyncIterable<readonly SegmentFile[]> {
    const files = [...this.files.values()].map(({ key, segmentId }) => ({ key, segmentId }));
    for (let at = 0; at < files.length; at += LIST_BATCH) yield files.slice(at, at + LIST_BATCH);
  }

  async readSummary(file: SegmentFile, options: { readonly deep: boolean }): Promise<SegmentSummary> {
    const summary = this.files.get(file.segmentId);
    if (summary === undefined) throw Object.assign(new Error("no such segment"), { code: "ENOENT" });
    if (this.torn.has(file.segmentId)) throw new Error("no whole header");
    if (options.deep && this.damaged.has(file.segmentId)) throw new Error("a frame's CRC is wrong");
    return summary;
  }

  async unlink(file: SegmentFile): Promise<void> {
    if (this.failUnlinks) throw new Error("read-only file system");
    this.files.delete(file.segmentId);
    this.unlinked.push(file.segmentId);
  }

  async space(): Promise<VolumeSpace> {
    return { totalBytes: this.totalBytes, freeBytes: Math.max(0, this.totalBytes - this.bytes) };
  }
}
