import {
  errorText,
  type Guid,
  type Log,
  NvrdError,
  type StreamKey,
  streamKeyText,
} from "../../base/index.js";
import type { Codec } from "../../live/index.js";
import { type OpenedSegment, READ_CHUNK_BYTES } from "../disk/volume-messages.js";
import { VolumeError } from "../disk/volume-thread.js";
import {
  FLAG_DAMAGED,
  FLAG_KEY,
  FLAG_UNDECODABLE,
  isAudioCodecNumber,
  RECORD_HEADER_BYTES,
  RECORD_PAYLOAD_BYTES_MAX,
  RecordKind,
  readRecordHeader,
  TRAILER_BYTES,
} from "../segment/segment-format.js";
import type { SegmentFormats } from "../segment/segment-header.js";
import type { SegmentIndex } from "../segment/segment-index.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { ArchivedFrame, ArchiveReader, ReadOptions } from "../segment/types.js";
import type { BootTimes } from "../time/boot-times.js";
import { DISK_TIMEOUT_MS, type Volume } from "../volume/volume.js";
import { segmentPaths } from "../volume/volume-segments.js";
import type { WritingSegment } from "../write/writing-segment.js";
import type { LiveEdge } from "./live-edge.js";

/** Memory that a reader keeps after it read a frame longer than a chunk. */
export const READER_MEMORY_BYTES_MAX = 2 * 1024 * 1024;
/** Segments looked back through for the key frame of a GOP that is longer than a segment. */
const SEGMENTS_BACK_MAX = 16;

export interface ReaderContext {
  readonly index: SegmentIndex;
  readonly volumeOf: (volumeId: Guid) => Volume | undefined;
  /** The segment while this service writes it. */
  readonly writingOf: (segmentId: number) => WritingSegment | undefined;
  readonly bootTimes: Pick<BootTimes, "redate">;
  readonly edge: LiveEdge;
  readonly takeHandle: () => number;
  readonly onClose: () => void;
  readonly log: Log;
}

interface CurrentSegment {
  readonly segment: SegmentSummary | OpenSegment;
  readonly writing: WritingSegment | undefined;
  readonly volume: Volume;
  readonly handle: number;
  /** What its header says of the frames. */
  readonly formats: SegmentFormats;
  /** Added to the times in the file; not 0 for a redated segment. */
  readonly shiftUs: number;
  position: number;
}

/** Reads one stream's segments in order; frames are views on its one piece of memory. */
export class SegmentReader implements ArchiveReader {
  readonly #key: StreamKey;
  readonly #options: ReadOptions;
  readonly #context: ReaderContext;
  readonly #log: Log;
  #memory = new SharedArrayBuffer(READ_CHUNK_BYTES);
  #current: CurrentSegment | undefined;
  #last: SegmentSummary | OpenSegment | undefined;
  /** Of a last segment that is still dated provisionally: provisional less monotonic time. */
  #lastOffsetUs: number | undefined;
  #needsKey = true;
  #startsFragment = false;
  #closed = false;
  #busy = false;
  #cancelWait: (() => void) | undefined;

  constructor(key: StreamKey, options: ReadOptions, context: ReaderContext) {
    this.#key = key;
    this.#options = options;
    this.#context = context;
    this.#log = context.log.child({ stream: streamKeyText(key) });
  }

  async next(): Promise<readonly ArchivedFrame[]> {
    if (this.#busy)
      throw new NvrdError("INTERNAL", "next() of an archive reader called while one is running");
    this.#busy = true;
    try {
      while (!this.#closed) {
        const frames = await this.#step();
        if (frames.length > 0) return this.#closed ? [] : frames;
      }
      return [];
    } finally {
      this.#busy = false;
      if (this.#closed) this.#leave();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelWait?.();
    if (!this.#busy) this.#leave();
    this.#context.onClose();
  }

  /** One turn: enter a segment, read a chunk, leave a segment, or wait. */
  async #step(): Promise<readonly ArchivedFrame[]> {
    const current = this.#current;
    if (current === undefined) {
      const next = this.#nextSegment();
      if (next === undefined) await this.#wait();
      else await this.#enter(next);
      return [];
    }
    const limit = limitOf(current);
    if (current.position < limit) return this.#read(current, limit);
    if (current.writing?.state === "open" || current.writing?.state === "closing") await this.#wait();
    else this.#leave();
    return [];
  }

  async #wait(): Promise<void> {
    if (this.#options.endsAtEdge === true) {
      this.close();
      return;
    }
    const { woken, cancel } = this.#context.edge.wait(streamKeyText(this.#key));
    this.#cancelWait = cancel;
    await woken;
    this.#cancelWait = undefined;
  }

  #nextSegment(): SegmentSummary | OpenSegment | undefined {
    const { index } = this.#context;
    const last = this.#last;
    if (last !== undefined) {
      // The segment was redated after it was opened. Continuing from its old time would return its frames a second time.
      const { epoch, fromUs } = this.#context.bootTimes.redate(last, this.#lastOffsetUs);
      return index.following(this.#key, { segmentId: last.segmentId, epoch, fromUs });
    }
    return this.#startingSegment(index.seek(this.#key, this.#options.fromUs));
  }

  /** The segment with the last key frame at or before the start: `found`, or an earlier one if a GOP spans segments. */
  #startingSegment(
    found: SegmentSummary | OpenSegment | undefined,
  ): SegmentSummary | OpenSegment | undefined {
    let segment = found;
    for (let back = 0; segment !== undefined && back < SEGMENTS_BACK_MAX; back++) {
      const first = segment.gops[0];
      const spans =
        segment.fragmentSequence > 0 && (first === undefined || first.decodeTimeUs > this.#options.fromUs);
      if (!spans) return segment;
      const before = this.#context.index.seek(this.#key, segment.fromUs - 1);
      if (before?.fragmentId !== segment.fragmentId || before.segmentId === segment.segmentId) return segment;
      segment = before;
    }
    return found;
  }

  async #enter(segment: SegmentSummary | OpenSegment): Promise<void> {
    const previous = this.#last;
    const first = previous === undefined;
    // Retention or a crash may have taken a piece out of the middle of a fragment: what follows it starts again.
    const continues = previous?.fragmentId === segment.fragmentId && previous.toUs === segment.fromUs;
    this.#last = segment;
    this.#lastOffsetUs = undefined;
    const volume = this.#context.volumeOf(segment.volumeId);
    if (volume === undefined) return this.#skip(segment, "its volume is not there");
    const handle = this.#context.takeHandle();
    let opened: OpenedSegment;
    try {
      const paths = segmentPaths(segment);
      opened = await volume.reads.read({ op: "open-segment", handle, paths }, DISK_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof VolumeError) return this.#skip(segment, error.message);
      this.#last = previous; // the disk does not answer: asked again, the reader tries this segment again
      throw error;
    }
    const writing = this.#context.writingOf(segment.segmentId);
    const { headerBytes, video, audio } = opened;
    const shiftUs = segment.fromUs - opened.fromUs;
    this.#lastOffsetUs = shiftUs === 0 ? opened.provisionalOffsetUs : undefined;
    const position = first ? startOffset(writing ?? segment, this.#options.fromUs, headerBytes) : headerBytes;
    const atFragmentStart = segment.fragmentSequence === 0 && position === headerBytes;
    if (first ? atFragmentStart : !continues) this.#startsFragment = true;
    if (!continues) this.#needsKey = true;
    const formats = { video, audio };
    this.#current = { segment, writing, volume, handle, formats, shiftUs, position };
  }

  /** A segment that retention has removed, or that cannot be read, is skipped. */
  #skip(segment: SegmentSummary, reason: string): void {
    this.#needsKey = true;
    this.#log.info({ segment: segment.segmentId }, `segment passed over: ${reason}`);
  }

  async #read(current: CurrentSegment, limit: number): Promise<readonly ArchivedFrame[]> {
    const { volume, handle, position } = current;
    if (this.#memory.byteLength > READER_MEMORY_BYTES_MAX)
      this.#memory = new SharedArrayBuffer(READ_CHUNK_BYTES);
    let result = await this.#readChunk(volume, { handle, position, limit });
    if (typeof result === "object" && result.neededBytes > 0 && !result.damaged) {
      this.#memory = new SharedArrayBuffer(
        Math.min(result.neededBytes, RECORD_PAYLOAD_BYTES_MAX + RECORD_HEADER_BYTES),
      );
      result = await this.#readChunk(volume, { handle, position, limit });
    }
    if (typeof result === "string") {
      this.#log.warn({ segment: current.segment.segmentId, position }, `archive cannot be read: ${result}`);
      this.#skipDamage(current);
      return [];
    }
    const frames = this.#framesIn(result.wholeBytes, current);
    current.position += result.wholeBytes;
    if (result.damaged) {
      this.#log.warn(
        { segment: current.segment.segmentId, position: current.position },
        "damaged record in the archive",
      );
      this.#skipDamage(current);
    }
    return frames;
  }

  async #readChunk(volume: Volume, at: { handle: number; position: number; limit: number }) {
    try {
      return await volume.reads.read({ op: "read", ...at, memory: this.#memory }, DISK_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof VolumeError) return error.message;
      throw error;
    }
  }

  /** Continues with the next key frame that the segment's table names, or with the next segment. */
  #skipDamage(current: CurrentSegment): void {
    this.#needsKey = true;
    const gops = (current.writing ?? current.segment).gops;
    const next = gops.find((gop) => gop.offset > current.position);
    current.position = next?.offset ?? limitOf(current);
  }

  #framesIn(wholeBytes: number, { shiftUs, formats }: CurrentSegment): ArchivedFrame[] {
    const bytes = Buffer.from(this.#memory, 0, wholeBytes);
    const frames: ArchivedFrame[] = [];
    let at = 0;
    while (at < wholeBytes) {
      const record = readRecordHeader(bytes, at);
      const start = at + RECORD_HEADER_BYTES;
      at = start + record.payloadBytes;
      if (record.kind !== RecordKind.FRAME) continue;
      const audio = isAudioCodecNumber(record.codec);
      const key = (record.flags & FLAG_KEY) !== 0;
      if (audio && this.#options.videoOnly === true) continue;
      if (this.#needsKey && (audio || !key)) continue;
      this.#needsKey = false;
      const format = audio ? formats.audio : formats.video;
      frames.push({
        codec: record.codec as Codec,
        ...(format?.codec === record.codec ? { format } : {}),
        decodeTimeUs: record.decodeTimeUs + shiftUs,
        presentationOffsetUs: record.presentationOffsetUs,
        key,
        damaged: (record.flags & FLAG_DAMAGED) !== 0,
        undecodable: (record.flags & FLAG_UNDECODABLE) !== 0,
        startsFragment: this.#startsFragment,
        bytes: bytes.subarray(start, at),
      });
      this.#startsFragment = false;
    }
    return frames;
  }

  #leave(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    try {
      const closed = current.volume.reads.read(
        { op: "close-segment", handle: current.handle },
        DISK_TIMEOUT_MS,
      );
      closed.catch((error: unknown) => this.#log.debug(`close: ${errorText(error)}`));
    } catch (error) {
      this.#log.debug(`close: ${errorText(error)}`); // the volume's thread is gone, and the descriptor with it
    }
  }
}

/** End of what may be read of a segment now. */
function limitOf(current: CurrentSegment): number {
  return current.writing?.readableBytes ?? current.segment.bytes - TRAILER_BYTES;
}

/** Offset of the last key frame at or before `fromUs`, else of the first one. */
function startOffset(segment: SegmentSummary, fromUs: number, headerBytes: number): number {
  const before = segment.gops.findLast((gop) => gop.decodeTimeUs <= fromUs);
  return (before ?? segment.gops[0])?.offset ?? headerBytes;
}
