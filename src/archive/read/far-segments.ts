import { errorText, type Guid } from "../../base/index.js";
import { VolumeError } from "../disk/volume-thread.js";
import { checkRecords } from "../segment/record-check.js";
import { HEADER_BYTES_MAX, SegmentFormatError, type SegmentFraming } from "../segment/segment-format.js";
import { readSegmentFormats } from "../segment/segment-header.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type {
  OpenedSegment,
  ReadableSegment,
  ReadResult,
  RecordRead,
  SegmentReading,
} from "../segment/segment-reading.js";
import { readFraming } from "../segment/segment-scan.js";
import type { SegmentFile, SegmentSummary } from "../segment/segment-summary.js";

/** Read first: the header of most segments, and nothing else. */
export const HEAD_BYTES = 4096;
/** A GOP's first block: the key frame of most cameras; short GOPs are read together up to this size. */
const FIRST_BLOCK_BYTES = 256 * 1024;
/** What follows of a long GOP. */
const BLOCK_BYTES = 512 * 1024;
/** So much is fetched ahead of who reads. */
export const AHEAD_BYTES = 3 * 1024 * 1024;

/** A segment that lies far away; the fragment distinguishes it from its key frames alone, which are another object. */
export interface FarSegment extends SegmentFile {
  readonly fragmentId: Guid;
}

/** Bytes of segments that lie far away. */
export interface FarBytes {
  /**
   * Bytes `[from, to)` of a segment's file; fewer where the file is shorter. Rejects with VolumeError `ENOENT` where there is none,
   * with NvrdError NOT_AVAILABLE where it cannot be fetched now, with either once `signal` is aborted.
   */
  read(file: FarSegment, range: FarRange, signal: AbortSignal): Promise<Uint8Array>;
  /** The same bytes will be read soon. Never throws. */
  ahead(file: FarSegment, range: FarRange, signal: AbortSignal): void;
}

export interface FarRange {
  readonly from: number;
  readonly to: number;
}

interface OpenFar {
  readonly segment: SegmentSummary;
  /** Where blocks begin, and the end of the file. */
  readonly bounds: readonly number[];
  readonly closing: AbortController;
  framing: SegmentFraming | undefined;
}

/** Reads segments that lie far away: GOP by GOP, each record checked by its CRC as on a volume. */
export class FarSegments implements SegmentReading {
  readonly #index: Pick<SegmentIndex, "last" | "following">;
  readonly #bytes: FarBytes;
  readonly #open = new Map<number, OpenFar>();

  constructor(index: Pick<SegmentIndex, "last" | "following">, bytes: FarBytes) {
    this.#index = index;
    this.#bytes = bytes;
  }

  async open(wanted: ReadableSegment, handle: number, fromUs = wanted.fromUs): Promise<OpenedSegment> {
    const { key, epoch } = wanted;
    const segment = this.#index.last(key, { epoch, fromUs: wanted.fromUs });
    if (segment?.segmentId !== wanted.segmentId || segment.fragmentId !== wanted.fragmentId)
      throw new VolumeError("ENOENT", "it is not there any more");
    const closing = new AbortController();
    const far: OpenFar = { segment, bounds: blockBounds(segment), closing, framing: undefined };
    this.#open.set(handle, far);
    try {
      // The first pictures come beside the header, not after it.
      const gop = segment.gops.findLast(({ decodeTimeUs }) => decodeTimeUs <= fromUs) ?? segment.gops[0];
      this.#bytes.ahead(segment, blockAt(far.bounds, gop?.offset ?? 0), closing.signal);
      const { framing, head } = await this.#head(far);
      far.framing = framing;
      const { headerBytes, fromUs: startUs, provisionalOffsetUs } = framing;
      return { headerBytes, fromUs: startUs, provisionalOffsetUs, ...readSegmentFormats(head, headerBytes) };
    } catch (error) {
      this.close(handle);
      if (error instanceof SegmentFormatError) throw new VolumeError("DAMAGED", errorText(error));
      throw error;
    }
  }

  async read({ handle, position, limit, memory, memoryOffset = 0 }: RecordRead): Promise<ReadResult> {
    const far = this.#open.get(handle);
    if (far?.framing === undefined) throw new VolumeError("CLOSED", "it was closed meanwhile");
    const { segment, bounds, closing, framing } = far;
    const out = Buffer.from(memory, memoryOffset);
    const wanted = Math.max(0, Math.min(out.length, limit - position));
    for (let filled = 0; filled < wanted; ) {
      const range = blockAt(bounds, position + filled);
      const block = await this.#bytes.read(segment, range, closing.signal);
      this.#fetchAhead(far, range.to);
      const skipped = position + filled - range.from;
      const taken = Math.min(block.length - skipped, wanted - filled);
      if (taken <= 0) return checkRecords(out.subarray(0, filled), framing, "missing");
      out.set(block.subarray(skipped, skipped + taken), filled);
      filled += taken;
      const isAll = filled >= wanted;
      const end = isAll && wanted < out.length ? "reached" : "beyond";
      const result = checkRecords(out.subarray(0, filled), framing, end);
      // What is whole is given at once: the first picture need not wait for the second.
      if (isAll || result.wholeBytes > 0 || result.damaged) return result;
    }
    return { wholeBytes: 0, damaged: false, neededBytes: 0 };
  }

  close(handle: number): void {
    const far = this.#open.get(handle);
    this.#open.delete(handle);
    far?.closing.abort();
  }

  async #head({
    segment,
    closing,
  }: OpenFar): Promise<{ readonly framing: SegmentFraming; readonly head: Buffer }> {
    const { signal } = closing;
    const source = async (length: number): Promise<Buffer> => {
      const range = { from: 0, to: Math.min(length, segment.bytes) };
      const bytes = await this.#bytes.read(segment, range, signal);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    };
    let head = await source(HEAD_BYTES);
    const statedBytes = head.length >= 16 ? head.readUInt32LE(12) : 0;
    if (statedBytes > head.length && statedBytes <= HEADER_BYTES_MAX) head = await source(statedBytes);
    const framing = readFraming({
      bytes: segment.bytes,
      read: (position, length) => head.subarray(position, position + length),
    });
    return { framing, head };
  }

  /** At the end of a segment the beginning of the next one. */
  #fetchAhead({ segment, bounds, closing }: OpenFar, position: number): void {
    const untilBytes = Math.min(segment.bytes, position + AHEAD_BYTES);
    let at = position;
    while (at < untilBytes) {
      const range = blockAt(bounds, at);
      this.#bytes.ahead(segment, range, closing.signal);
      at = range.to;
    }
    if (at < segment.bytes || position + AHEAD_BYTES < segment.bytes) return;
    const next = this.#index.following(segment.key, segment);
    if (next === undefined || next.epoch !== segment.epoch) return;
    this.#bytes.ahead(next, { from: 0, to: Math.min(HEAD_BYTES, next.bytes) }, closing.signal);
    this.#bytes.ahead(next, blockAt(blockBounds(next), next.gops[0]?.offset ?? 0), closing.signal);
  }
}

/** Where blocks begin, the same for whoever reads: with a GOP, but for long ones, of which each has several. */
function blockBounds({ gops, bytes }: SegmentSummary): number[] {
  const bounds = [0];
  const ends = [...gops.map(({ offset }) => offset), bytes];
  let begin = 0;
  for (const [at, end] of ends.entries()) {
    const next = ends[at + 1] ?? bytes;
    // Short GOPs stay together.
    if (at < gops.length && next - begin <= FIRST_BLOCK_BYTES) continue;
    let size = FIRST_BLOCK_BYTES;
    for (let from = begin + size; from < end; from += size) {
      bounds.push(from);
      size = BLOCK_BYTES;
    }
    if (end > begin) bounds.push(end);
    begin = end;
  }
  return bounds;
}

/** The block that holds a byte. */
function blockAt(bounds: readonly number[], position: number): FarRange {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bounds[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  const from = bounds[low] ?? 0;
  return { from, to: bounds[low + 1] ?? from };
}
