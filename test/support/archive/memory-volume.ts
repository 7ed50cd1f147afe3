import {
  type SegmentFile,
  type SegmentListing,
  type SegmentSummary,
  type StrayFile,
  type SummaryOutcome,
  type VolumeAccess,
  VolumeError,
  type VolumeSpace,
} from "../../../src/archive/index.js";
import { segmentIdOf } from "../../../src/archive/segment/segment-summary.js";
import { type Guid, NvrdError, streamKeyText } from "../../../src/base/index.js";

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
    const all = [...this.files.values()].sort((a, b) => a.segmentId - b.segmentId).map(fileOf);
    if (this.strays.length > 0) yield { files: [], strays: [...this.strays], share: 0 };
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
      try {
        return this.#read(file, options);
      } catch (error) {
        if (error instanceof VolumeError) return { file, error };
        throw error;
      }
    });
  }

  #read(
    file: SegmentFile,
    { deep, fromFrames = false }: { readonly deep: boolean; readonly fromFrames?: boolean },
  ): SummaryOutcome {
    const summary = this.#readable(file);
    const { segmentId, volumeId } = summary;
    const closed = !this.unclosed.has(segmentId);
    if (!closed && !fromFrames) throw new VolumeError("UNCLOSED", "no footer");
    if (deep && this.damaged.has(segmentId)) throw new VolumeError("DAMAGED", "a frame's CRC is wrong");
    if (volumeId !== this.id) throw new VolumeError("DAMAGED", `it is of volume ${volumeId}`);
    return { file, summary: closed ? summary : { ...summary, toUs: lastFrameEndUs(summary) }, closed };
  }

  async newestFiles(): Promise<SegmentFile[]> {
    const newest = new Map<string, SegmentFile>();
    for (const { key, segmentId } of this.files.values()) {
      const text = streamKeyText(key);
      if (segmentId > (newest.get(text)?.segmentId ?? 0)) newest.set(text, { key, segmentId });
    }
    return [...newest.values()];
  }

  async closeAgain(file: SegmentFile, durationUs: number | undefined): Promise<void> {
    const summary = this.#readable(file);
    if (!this.unclosed.delete(file.segmentId)) throw new VolumeError("DAMAGED", "its footer is whole");
    const endsUs = summary.fromUs + (durationUs ?? 0);
    const isLater = endsUs > (summary.gops.at(-1)?.decodeTimeUs ?? summary.fromUs);
    const toUs = isLater ? endsUs : lastFrameEndUs(summary);
    this.put({ ...summary, toUs, bytes: summary.bytes + 1000 });
  }

  async putInPlace(path: string): Promise<SegmentFile> {
    const at = this.strays.findIndex((stray) => stray.path === path);
    const summary = this.misplaced.get(path);
    if (at < 0 || summary === undefined) throw new VolumeError("ENOENT", "no such file");
    if (summary.volumeId !== this.id || summary.segmentId !== segmentIdOf(path))
      throw new VolumeError("DAMAGED", `it is segment ${summary.segmentId} of volume ${summary.volumeId}`);
    if (this.#find(summary) !== undefined)
      throw new NvrdError("CONFLICT", "there is a file in its place already");
    this.strays.splice(at, 1);
    this.misplaced.delete(path);
    this.put(summary);
    return fileOf(summary);
  }

  /** How often segments were moved; 0 unless named. */
  readonly moves = new Map<number, number>();

  async movesOf(file: SegmentFile): Promise<number> {
    return this.moves.get(this.#readable(file).segmentId) ?? 0;
  }

  async unlink(file: SegmentFile): Promise<void> {
    if (this.failUnlinks) throw new VolumeError("EROFS", "read-only file system");
    if (this.#find(file) !== undefined) this.files.delete(file.segmentId);
    this.unlinked.push(file.segmentId);
  }

  #find({ key, segmentId }: SegmentFile): SegmentSummary | undefined {
    const found = this.files.get(segmentId);
    return found !== undefined && streamKeyText(found.key) === streamKeyText(key) ? found : undefined;
  }

  /** What its header says. */
  #readable(file: SegmentFile): SegmentSummary {
    const summary = this.#find(file);
    if (summary === undefined) throw new VolumeError("ENOENT", "no such segment");
    if (this.torn.has(file.segmentId)) throw new VolumeError("DAMAGED", "no whole header");
    return summary;
  }

  async space(): Promise<VolumeSpace> {
    const bytes = { totalBytes: this.totalBytes, freeBytes: Math.max(0, this.totalBytes - this.bytes) };
    if (this.inodes === undefined) return bytes;
    return { ...bytes, files: { total: this.inodes, free: this.inodes - this.files.size } };
  }
}

function fileOf({ key, segmentId }: SegmentFile): SegmentFile {
  return { key, segmentId };
}

function lastFrameEndUs({ toUs }: SegmentSummary): number {
  return toUs - UNKNOWN_END_US;
}
