import { type Clock, type Log, NvrdError, streamKeyText } from "../../base/index.js";
import type { Codec } from "../../live/index.js";
import { READ_CHUNK_BYTES } from "../disk/volume-messages.js";
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
import type { SegmentReading } from "../segment/segment-reading.js";
import type { OpenSegment, SegmentSummary } from "../segment/segment-summary.js";
import type { ArchivedFrame, ArchiveReader, ReadOptions } from "../segment/types.js";
import type { BootTimes } from "../time/boot-times.js";
import type { WritingSegment } from "../write/writing-segment.js";
import type { LiveEdge } from "./live-edge.js";
import { whenKnown } from "./recordings-needed.js";
import type { SegmentOrder, SegmentPart } from "./segment-order.js";
import { type OpenedAt, openSegment, type SegmentPlaces } from "./segment-places.js";

/** Memory that a reader keeps after it read a frame longer than a chunk. */
export const READER_MEMORY_BYTES_MAX = 2 * 1024 * 1024;

export interface ReaderContext {
  readonly order: SegmentOrder;
  readonly places: SegmentPlaces;
  /** The segment while this service writes it. */
  readonly writingOf: (segmentId: number) => WritingSegment | undefined;
  readonly bootTimes: Pick<BootTimes, "redate">;
  readonly edge: LiveEdge;
  readonly takeHandle: () => number;
  readonly clock: Clock;
  readonly onClose: () => void;
  readonly log: Log;
}

interface CurrentSegment {
  readonly segment: SegmentSummary | OpenSegment;
  readonly writing: WritingSegment | undefined;
  readonly reading: SegmentReading;
  readonly handle: number;
  /** What its header says of the frames. */
  readonly formats: SegmentFormats;
  /** Added to the times in the file; not 0 for a redated segment. */
  readonly shiftUs: number;
  /** Frames from here on are not read. */
  readonly untilUs: number;
  position: number;
  /** A picture from `untilUs` on was met. */
  isOver: boolean;
}

/** Reads segments in order; frames are views on its one piece of memory. */
export class SegmentReader implements ArchiveReader {
  readonly #options: ReadOptions;
  readonly #context: ReaderContext;
  readonly #log: Log;
  #memory = new SharedArrayBuffer(READ_CHUNK_BYTES);
  #current: CurrentSegment | undefined;
  #last: SegmentPart | undefined;
  /** Of a last segment that is still dated provisionally: provisional less monotonic time. */
  #lastOffsetUs: number | undefined;
  #needsKey = true;
  #startsFragment = false;
  readonly #gone = new AbortController();
  #closed = false;
  #busy = false;
  #cancelWait: (() => void) | undefined;
  /** Gives up what is read just now. */
  #cancelFetch: (() => void) | undefined;

  constructor(options: ReadOptions, context: ReaderContext) {
    this.#options = options;
    this.#context = context;
    this.#log = context.log.child({ streams: context.order.keys.map(streamKeyText).join(" ") });
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
    this.#gone.abort();
    this.#cancelWait?.();
    if (this.#busy) this.#cancelFetch?.();
    else this.#leave();
    this.#context.onClose();
  }

  /** One turn: enter a segment, read a chunk, leave a segment, or wait. */
  async #step(): Promise<readonly ArchivedFrame[]> {
    const current = this.#current;
    if (current === undefined) {
      const next = await this.#knownNext();
      if (this.#closed) return [];
      if (next === undefined) await this.#wait();
      else await this.#enter(next);
      return [];
    }
    const limit = limitOf(current);
    if (current.position < limit && !current.isOver) return this.#read(current, limit);
    const { writing } = current;
    const isGrowing = writing?.state === "open" || writing?.state === "closing";
    if (isGrowing && !current.isOver && !this.#context.order.isLeft(writing)) await this.#wait();
    else this.#leave();
    return [];
  }

  /** The next segment, once what is recorded is known. Closing the reader gives up waiting for that, which is no failure. */
  async #knownNext(): Promise<SegmentPart | undefined> {
    try {
      return await whenKnown(() => this.#nextSegment(), this.#context.clock, {
        gone: () => this.#gone.signal,
      });
    } catch (error) {
      if (!this.#closed) throw error;
      return undefined;
    }
  }

  async #wait(): Promise<void> {
    if (this.#options.endsAtEdge === true) {
      this.close();
      return;
    }
    const { edge, order } = this.#context;
    const { woken, cancel } = edge.wait(order.keys.map(streamKeyText));
    this.#cancelWait = cancel;
    this.#options.onEdge?.();
    await woken;
    this.#cancelWait = undefined;
  }

  #nextSegment(): SegmentPart | undefined {
    const { order, bootTimes } = this.#context;
    const last = this.#last;
    if (last === undefined) return order.first(this.#options.fromUs);
    // The segment was redated after it was opened. Continuing from its old time would return its frames a second time.
    const { segment, untilUs, startUs = segment.fromUs } = last;
    const { key, segmentId } = segment;
    const { epoch, fromUs, toUs } = bootTimes.redate(segment, this.#lastOffsetUs);
    const shiftUs = fromUs - segment.fromUs;
    const endedUs = Math.max(Math.min(toUs, untilUs + shiftUs), startUs + shiftUs);
    return order.after({ key, segmentId, epoch, fromUs, endedUs });
  }

  async #enter(part: SegmentPart): Promise<void> {
    const { segment, startUs, untilUs } = part;
    const previous = this.#last;
    const before = previous?.segment;
    // Retention or a crash may have taken a piece out of the middle of a fragment: what follows it starts again.
    const continues =
      startUs === undefined && before?.fragmentId === segment.fragmentId && before.toUs === segment.fromUs;
    this.#last = part;
    this.#lastOffsetUs = undefined;
    const handle = this.#context.takeHandle();
    let found: OpenedAt;
    try {
      found = await openSegment(segment, {
        ...{ places: this.#context.places, handle, fromUs: startUs },
        onTry: (reading) => {
          this.#cancelFetch = () => reading.close(handle);
        },
      });
    } catch (error) {
      if (error instanceof VolumeError) {
        const keyFrames = this.#context.places.keyFramesOf(segment);
        if (keyFrames === undefined) return this.#skip(segment, error.message);
        this.#last = previous;
        return await this.#enter({ ...part, segment: keyFrames });
      }
      this.#last = previous; // its place does not answer: asked again, the reader tries this segment again
      throw error;
    }
    const { reading, opened } = found;
    const writing = this.#context.writingOf(segment.segmentId);
    const { headerBytes, video, audio } = opened;
    const shiftUs = segment.fromUs - opened.fromUs;
    this.#lastOffsetUs = shiftUs === 0 ? opened.provisionalOffsetUs : undefined;
    const position =
      startUs === undefined ? headerBytes : startOffset(writing ?? segment, startUs, headerBytes);
    const atFragmentStart = segment.fragmentSequence === 0 && position === headerBytes;
    if (before === undefined ? atFragmentStart : !continues) this.#startsFragment = true;
    if (!continues) this.#needsKey = true;
    const formats = { video, audio };
    const isOver = false;
    this.#current = { segment, writing, reading, handle, formats, shiftUs, untilUs, position, isOver };
  }

  /** A segment that retention has removed, or that cannot be read, is skipped. */
  #skip(segment: SegmentSummary, reason: string): void {
    this.#needsKey = true;
    this.#log.info({ segment: segment.segmentId }, `segment passed over: ${reason}`);
  }

  async #read(current: CurrentSegment, limit: number): Promise<readonly ArchivedFrame[]> {
    const { reading, handle, position } = current;
    if (this.#memory.byteLength > READER_MEMORY_BYTES_MAX)
      this.#memory = new SharedArrayBuffer(READ_CHUNK_BYTES);
    let result = await this.#readChunk(reading, { handle, position, limit });
    if (typeof result === "object" && result.neededBytes > 0 && !result.damaged) {
      this.#memory = new SharedArrayBuffer(
        Math.min(result.neededBytes, RECORD_PAYLOAD_BYTES_MAX + RECORD_HEADER_BYTES),
      );
      result = await this.#readChunk(reading, { handle, position, limit });
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

  async #readChunk(reading: SegmentReading, at: { handle: number; position: number; limit: number }) {
    try {
      return await reading.read({ ...at, memory: this.#memory });
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

  #framesIn(wholeBytes: number, current: CurrentSegment): ArchivedFrame[] {
    const { shiftUs, formats, untilUs } = current;
    const { streamType } = current.segment.key;
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
      const decodeTimeUs = record.decodeTimeUs + shiftUs;
      if (decodeTimeUs >= untilUs) {
        current.isOver ||= !audio;
        continue;
      }
      if (audio && this.#options.videoOnly === true) continue;
      if (this.#needsKey && (audio || !key)) continue;
      this.#needsKey = false;
      const format = audio ? formats.audio : formats.video;
      frames.push({
        codec: record.codec as Codec,
        streamType,
        ...(format?.codec === record.codec ? { format } : {}),
        decodeTimeUs,
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
    this.#cancelFetch = undefined;
    current.reading.close(current.handle);
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
