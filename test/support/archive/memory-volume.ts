import type {
  SegmentFile,
  SegmentListing,
  SegmentSummary,
  StrayFile,
  SummaryOutcome,
  VolumeAccess,
  VolumeSpace,
} from "../../../src/archive/index.js";
import { type Guid, streamKeyText } from "../../../src/base/index.js";

const LIST_BATCH = 100;
/** A segment counted from its frames ends with its last frame, a little before the next segment begins. */
const UNKNOWN_END_US = 3_000;

/** A volume whose files are entries of a map: what retention, check and rebuild see of a real one. */
export class MemoryVolume implements VolumeAccess {
  readonly id: Guid;
  readonly directory = "/memory";
  readonly files = new Map<number, SegmentSummary>();
  /** Files whose header cannot be read. */
  readonly torn = new Set<number>();
  /** Files whose footer is damaged. */
  readonly unclosed = new Set<number>();
  readonly strays: StrayFile[] = [];
  /** Segments that lie at paths of `strays`. */
  readonly misplaced = new Map<string, SegmentSummary>();
  /** Files with a frame that does not pass its CRC. */
  readonly damaged = new Set<number>();
  readonly unlinked: number[] = [];
  totalBytes: number;
  failUnlinks = false;
  /** Inodes of its file system; without, it sets no limit. */
  inodes: number | undefined;
  filesRefused = 0;

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

  async *listSegments(): AsyncIterable<SegmentListing> {
    const all = [...this.files.values()].map(({ key, segmentId }) => ({ key, segmentId }));
    if (this.strays.length > 0) yield { files: [], strays: this.strays, share: 0 };
    for (let at = 0; at < all.length; at += LIST_BATCH) {
      const files = all.slice(at, at + LIST_BATCH);
      yield { files, strays: [], share: (at + files.length) / all.length };
    }
  }

  async readSummaries(
    files: readonly SegmentFile[],
    options: { readonly deep: boolean; readonly fromFrames?: boolean },
  ): Promise<SummaryOutcome[]> {
    return files.map((file) => {
      const summary = this.files.get(file.segmentId);
      if (summary === undefined) return { file, error: failure("ENOENT", "no such segment") };
      if (this.torn.has(file.segmentId)) return { file, error: failure("DAMAGED", "no whole header") };
      if (options.deep && this.damaged.has(file.segmentId))
        return { file, error: failure("DAMAGED", "a frame's CRC is wrong") };
      const closed = !this.unclosed.has(file.segmentId);
      if (closed) return { file, summary, closed };
      if (options.fromFrames !== true) return { file, error: failure("UNCLOSED", "no footer") };
      return { file, summary: { ...summary, toUs: summary.toUs - UNKNOWN_END_US }, closed };
    });
  }

  async newestFiles(): Promise<SegmentFile[]> {
    const newest = new Map<string, SegmentFile>();
    for (const { key, segmentId } of this.files.values()) {
      const text = streamKeyText(key);
      if (segmentId > (newest.get(text)?.segmentId ?? 0)) newest.set(text, { key, segmentId });
    }
    return [...newest.values()];
  }

  async closeAgain({ segmentId }: SegmentFile, durationUs: number | undefined): Promise<void> {
    const summary = this.files.get(segmentId);
    if (summary === undefined) throw failure("ENOENT", "no such segment");
    this.unclosed.delete(segmentId);
    this.put({
      ...summary,
      toUs: durationUs === undefined ? summary.toUs - UNKNOWN_END_US : summary.fromUs + durationUs,
      bytes: summary.bytes + 1000,
    });
  }

  async putInPlace(path: string): Promise<SegmentFile> {
    const at = this.strays.findIndex((stray) => stray.path === path);
    const summary = this.misplaced.get(path);
    if (at < 0 || summary === undefined) throw failure("ENOENT", "no such file");
    this.strays.splice(at, 1);
    this.put(summary);
    return summary;
  }

  /** How often segments were moved; 0 unless named. */
  readonly moves = new Map<number, number>();

  async movesOf({ segmentId }: SegmentFile): Promise<number> {
    return this.moves.get(segmentId) ?? 0;
  }

  async unlink(file: SegmentFile): Promise<void> {
    if (this.failUnlinks) throw new Error("read-only file system");
    this.files.delete(file.segmentId);
    this.unlinked.push(file.segmentId);
  }

  async space(): Promise<VolumeSpace> {
    const bytes = { totalBytes: this.totalBytes, freeBytes: Math.max(0, this.totalBytes - this.bytes) };
    if (this.inodes === undefined) return bytes;
    return { ...bytes, files: { total: this.inodes, free: this.inodes - this.files.size } };
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
