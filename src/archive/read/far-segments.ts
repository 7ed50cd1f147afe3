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
  /** What was read there is damaged: it is fetched anew when it is read again, wherever it is kept. */
  doubt(file: FarSegment, range: FarRange): void;
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
  /** Where blocks begin that were fetched anew: what is damaged there is so at the other end. */
  readonly doubted: Set<number>;
}

interface FarRead {
  readonly result: ReadResult;
  /** So much was there to be read. */
  readonly readBytes: number;
  readonly far: OpenFar;
}

interface FarHead {
  readonly framing: SegmentFraming;
  readonly head: Buffer;
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
    const far: OpenFar = {
      segment,
      bounds: blockBounds(segment),
      closing,
      framing: undefined,
      doubted: new Set(),
    };
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

  async read(read: RecordRead): Promise<ReadResult> {
    const { result, readBytes, far } = await this.#read(read);
    const { wholeBytes, damaged } = result;
    const isDoubted = damaged && this.#doubt(far, read.position + wholeBytes, read.position + readBytes);
    return isDoubted ? (await this.#read(read)).result : result;
  }

  /** Whether any of the blocks from `from` to the one that holds `to` was not fetched anew yet. */
  #doubt({ segment, bounds, doubted }: OpenFar, from: number, to: number): boolean {
    let isNew = false;
    for (let at = from; at <= to && at < segment.bytes; ) {
      const range = blockAt(bounds, at);
      if (range.to <= at) break;
      if (!doubted.has(range.from)) {
        doubted.add(range.from);
        this.#bytes.doubt(segment, range);
        isNew = true;
      }
      at = range.to;
    }
    return isNew;
  }

  async #read({ handle, position, limit, memory, memoryOffset = 0 }: RecordRead): Promise<FarRead> {
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
      if (taken <= 0)
        return { result: checkRecords(out.subarray(0, filled), framing, "missing"), readBytes: filled, far };
      out.set(block.subarray(skipped, skipped + taken), filled);
      filled += taken;
      const isAll = filled >= wanted;
      const end = isAll && wanted < out.length ? "reached" : "beyond";
      const result = checkRecords(out.subarray(0, filled), framing, end);
      // What is whole is given at once: the first picture need not wait for the second.
      if (isAll || result.wholeBytes > 0 || result.damaged) return { result, readBytes: filled, far };
    }
    return { result: { wholeBytes: 0, damaged: false, neededBytes: 0 }, readBytes: 0, far };
  }

  close(handle: number): void {
    const far = this.#open.get(handle);
    this.#open.delete(handle);
    far?.closing.abort();
  }

  /** One that cannot be read is fetched once more. */
  async #head(far: OpenFar): Promise<FarHead> {
    const { segment } = far;
    try {
      return await this.#headAsItIs(far);
    } catch (error) {
      if (!(error instanceof SegmentFormatError)) throw error;
      for (const length of [HEAD_BYTES, HEADER_BYTES_MAX])
        this.#bytes.doubt(segment, { from: 0, to: Math.min(length, segment.bytes) });
      return await this.#headAsItIs(far);
    }
  }

  async #headAsItIs({ segment, closing }: OpenFar): Promise<FarHead> {
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
