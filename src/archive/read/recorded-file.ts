import { NvrdError, type StreamType } from "../../base/index.js";
import type { Codec } from "../../live/index.js";
import { VolumeError } from "../disk/volume-thread.js";
import {
  FLAG_DAMAGED,
  FLAG_KEY,
  FLAG_UNDECODABLE,
  RECORD_HEADER_BYTES,
  RECORD_PAYLOAD_BYTES_MAX,
  RecordKind,
  readRecordHeader,
} from "../segment/segment-format.js";
import type { SegmentFormats } from "../segment/segment-header.js";
import type { SegmentReading } from "../segment/segment-reading.js";
import type { ArchivedFrame } from "../segment/types.js";
import type { RecordedPiece, RecordedSegment } from "./recorded-segments.js";
import { type OpenedAt, openSegment, type SegmentPlaces } from "./segment-places.js";

/** The part of a piece that one read returned. */
export interface PieceRead {
  /** Views on the memory that was given. */
  readonly frames: readonly ArchivedFrame[];
  /** Where the record of each frame begins in the file. */
  readonly positions: readonly number[];
  /** Where to go on reading; the end of the piece when there is no more, or what follows is damaged. */
  readonly position: number;
  /** If nothing was read, the bytes of memory that the next frame needs; otherwise 0. */
  readonly neededBytes: number;
}

/** One segment's file, open: it can be read to its end though retention removes it meanwhile. */
export interface RecordedFile {
  readonly formats: SegmentFormats;
  /** Where a piece begins. */
  start(piece: RecordedPiece): number;
  /**
   * Reads records of a piece from `position` on into `memory`, from `memoryOffset` on: as many as fit, or fewer, each checked.
   * Whoever wants the whole piece asks again until `position` is its end. Rejects with NvrdError NOT_AVAILABLE when the disk
   * fails or does not answer; what is damaged is left out, with all behind it in the piece.
   */
  read(
    piece: RecordedPiece,
    position: number,
    memory: SharedArrayBuffer,
    memoryOffset?: number,
  ): Promise<PieceRead>;
  close(): void;
}

export interface RecordedFileContext {
  readonly places: SegmentPlaces;
  readonly takeHandle: () => number;
  readonly onClose: () => void;
  /** Aborted when nobody needs it any more. */
  readonly gone?: AbortSignal | undefined;
}

/** Rejects with NvrdError NOT_FOUND when the segment is gone, NOT_AVAILABLE when its volume is or does not answer. */
export async function openRecordedFile(
  segment: RecordedSegment,
  context: RecordedFileContext,
): Promise<RecordedFile> {
  const handle = context.takeHandle();
  const { places, onClose, gone } = context;
  requireWaiting(gone);
  let cancel: () => void = () => undefined;
  const giveUp = (): void => cancel();
  gone?.addEventListener("abort", giveUp, { once: true });
  try {
    const fromUs = segment.pieces[0]?.fromUs;
    const onTry = (reading: SegmentReading): void => {
      cancel = () => reading.close(handle);
    };
    const found = await openSegment(segment, { places, handle, fromUs, onTry });
    requireWaiting(gone);
    const file = new OpenRecordedFile(segment, found, {
      handle,
      onClose: () => {
        gone?.removeEventListener("abort", giveUp);
        onClose();
      },
    });
    cancel = () => file.close();
    return file;
  } catch (error) {
    gone?.removeEventListener("abort", giveUp);
    if (!(error instanceof VolumeError)) throw error;
    const isRemoved = error.code === "ENOENT";
    throw new NvrdError(
      isRemoved ? "NOT_FOUND" : "NOT_AVAILABLE",
      isRemoved ? "the recording was removed meanwhile" : `the recording cannot be read: ${error.message}`,
    );
  }
}

function requireWaiting(gone: AbortSignal | undefined): void {
  if (gone?.aborted === true) throw new NvrdError("NOT_AVAILABLE", "nobody waits any longer");
}

/** The first frame of a piece that is wanted, and the memory that it is in: more than was given, where it needs that. */
export async function firstFrame(
  file: RecordedFile,
  piece: RecordedPiece,
  given: SharedArrayBuffer,
  isWanted: (frame: ArchivedFrame) => boolean,
): Promise<{ readonly frame: ArchivedFrame | undefined; readonly memory: SharedArrayBuffer }> {
  let memory = given;
  for (let position = file.start(piece); position < piece.endOffset; ) {
    const read = await file.read(piece, position, memory);
    const frame = read.frames.find(isWanted);
    if (frame !== undefined) return { frame, memory };
    if (read.neededBytes > 0) memory = new SharedArrayBuffer(read.neededBytes);
    position = read.position;
  }
  return { frame: undefined, memory };
}

class OpenRecordedFile implements RecordedFile {
  readonly formats: SegmentFormats;
  readonly #streamType: StreamType;
  readonly #headerBytes: number;
  readonly #shiftUs: number;
  readonly #reading: SegmentReading;
  readonly #handle: number;
  readonly #onClose: () => void;
  #closed = false;

  constructor(
    segment: RecordedSegment,
    { opened, reading }: OpenedAt,
    at: { readonly handle: number; readonly onClose: () => void },
  ) {
    this.formats = { video: opened.video, audio: opened.audio };
    this.#streamType = segment.key.streamType;
    this.#headerBytes = opened.headerBytes;
    // Times as the index has them: those of a segment that was redated differ from its file's.
    this.#shiftUs = segment.fromUs - opened.fromUs;
    this.#reading = reading;
    this.#handle = at.handle;
    this.#onClose = at.onClose;
  }

  start(piece: RecordedPiece): number {
    return piece.offset ?? this.#headerBytes;
  }

  async read(
    piece: RecordedPiece,
    position: number,
    memory: SharedArrayBuffer,
    memoryOffset = 0,
  ): Promise<PieceRead> {
    const limit = piece.endOffset;
    if (memory.byteLength - memoryOffset < RECORD_HEADER_BYTES)
      return { frames: [], positions: [], position, neededBytes: RECORD_HEADER_BYTES };
    try {
      const result = await this.#reading.read({
        handle: this.#handle,
        position,
        limit,
        memory,
        memoryOffset,
      });
      if (result.neededBytes > 0 && !result.damaged) {
        const neededBytes = Math.min(result.neededBytes, RECORD_PAYLOAD_BYTES_MAX + RECORD_HEADER_BYTES);
        return { frames: [], positions: [], position, neededBytes };
      }
      const frames = this.#framesIn(Buffer.from(memory, memoryOffset, result.wholeBytes));
      const before = memoryOffset + RECORD_HEADER_BYTES;
      const positions = frames.map(({ bytes }) => position + bytes.byteOffset - before);
      const ends = result.damaged || result.wholeBytes === 0;
      return { frames, positions, position: ends ? limit : position + result.wholeBytes, neededBytes: 0 };
    } catch (error) {
      if (!(error instanceof VolumeError)) throw error;
      throw new NvrdError("NOT_AVAILABLE", `the recording cannot be read: ${error.message}`);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reading.close(this.#handle);
    this.#onClose();
  }

  #framesIn(bytes: Buffer): ArchivedFrame[] {
    const frames: ArchivedFrame[] = [];
    for (let at = 0; at < bytes.length; ) {
      const record = readRecordHeader(bytes, at);
      const start = at + RECORD_HEADER_BYTES;
      at = start + record.payloadBytes;
      if (record.kind !== RecordKind.FRAME) continue;
      frames.push({
        codec: record.codec as Codec,
        streamType: this.#streamType,
        decodeTimeUs: record.decodeTimeUs + this.#shiftUs,
        presentationOffsetUs: record.presentationOffsetUs,
        key: (record.flags & FLAG_KEY) !== 0,
        damaged: (record.flags & FLAG_DAMAGED) !== 0,
        undecodable: (record.flags & FLAG_UNDECODABLE) !== 0,
        startsFragment: false,
        bytes: bytes.subarray(start, at),
      });
    }
    return frames;
  }
}
