import { fillingView, type Guid, NvrdError, returnPages, Semaphore } from "../../base/index.js";
import {
  Frame,
  type FrameReader,
  type FrameRecording,
  type RecordedFrame,
  SlabFiller,
  type SlabPool,
} from "../../live/index.js";
import { RECORD_HEADER_BYTES } from "../segment/segment-format.js";
import { WritingSegment } from "../write/writing-segment.js";
import { openRecordedFile, type RecordedFile } from "./recorded-file.js";
import type { RecordedPiece } from "./recorded-segments.js";
import type { SegmentPlaces } from "./segment-places.js";

/** Read at once: each reading is a wait for the thread, which a viewer waits for too. */
const READ_BYTES_MAX = 1024 * 1024;
/** Of one volume: more would wait for the same thread, each with memory of its own. */
const READINGS_AT_ONCE_MAX = 4;
/** A page with all cameras of a large recorder begins as many at once. */
const READINGS_WAITING_MAX = 1024;

export interface RecordedFrameReaderOptions {
  readonly places: SegmentPlaces;
  readonly takeHandle: () => number;
  /** Memory of the frames that are read. */
  readonly pool: SlabPool;
}

/** Reads back frames that this service recorded a moment ago, by the reader threads of their volumes. */
export class RecordedFrameReader implements FrameReader {
  readonly #options: Omit<RecordedFrameReaderOptions, "places">;
  readonly #places: SegmentPlaces;
  /** By volume, so that one that hangs holds up its own streams alone. */
  readonly #turns = new Map<Guid, Semaphore>();

  constructor(options: RecordedFrameReaderOptions) {
    this.#options = options;
    // What is recorded now is on its volume, if anywhere.
    this.#places = { ...options.places, copyOf: () => undefined, leavesCache: true };
  }

  async read(frames: readonly RecordedFrame[], gone: AbortSignal): Promise<Frame[]> {
    const read: Frame[] = [];
    const filler = new SlabFiller(this.#options.pool);
    try {
      for (const run of runsOf(frames)) {
        const turns = this.#turnsOf(run.segment.volumeId);
        await turns.run(() => this.#readRun(run, { filler, read, gone }), gone);
        if (gone.aborted) throw nobodyWaits();
      }
      return read;
    } catch (error) {
      for (const frame of read) frame.release();
      throw error;
    } finally {
      filler.close();
    }
  }

  #turnsOf(volumeId: Guid): Semaphore {
    const known = this.#turns.get(volumeId);
    if (known !== undefined) return known;
    const turns = new Semaphore({ atOnce: READINGS_AT_ONCE_MAX, waitingMax: READINGS_WAITING_MAX });
    this.#turns.set(volumeId, turns);
    return turns;
  }

  /** Reads frames of one file. */
  async #readRun({ segment, frames }: Run, into: Into): Promise<void> {
    const { takeHandle } = this.#options;
    const file = await openRecordedFile(
      { ...namesOf(segment), hasAudio: false, continues: false, pieces: [] },
      { places: this.#places, takeHandle, onClose: () => undefined, gone: into.gone },
    );
    try {
      await readRecords(file, frames, into);
    } finally {
      file.close();
    }
  }
}

interface Run {
  readonly segment: WritingSegment;
  readonly frames: readonly RecordedFrame[];
}

interface Into {
  readonly filler: SlabFiller;
  readonly read: Frame[];
  readonly gone: AbortSignal;
}

/** The frames by the file that each is in. */
function runsOf(frames: readonly RecordedFrame[]): Run[] {
  const runs: { segment: WritingSegment; frames: RecordedFrame[] }[] = [];
  for (const frame of frames) {
    const segment = segmentOf(frame.recording);
    const last = runs.at(-1);
    if (last?.segment === segment) last.frames.push(frame);
    else runs.push({ segment, frames: [frame] });
  }
  return runs;
}

function segmentOf(recording: FrameRecording | undefined): WritingSegment {
  if (recording instanceof WritingSegment) return recording;
  throw new NvrdError("NOT_FOUND", "a picture was not recorded by this archive");
}

function namesOf({ key, volumeId, segmentId, fragmentId, epoch, fromUs }: WritingSegment) {
  return { key, volumeId, segmentId, fragmentId, epoch, fromUs };
}

/**
 * The file is read into memory that is not used for anything else: a disk that answers when nobody waits any longer must not write
 * into a frame.
 */
async function readRecords(file: RecordedFile, frames: readonly RecordedFrame[], into: Into): Promise<void> {
  const piece = pieceOf(frames);
  let memory = new SharedArrayBuffer(Math.min(piece.bytesMax, READ_BYTES_MAX));
  let taken = 0;
  for (let position = piece.offset; position < piece.endOffset; ) {
    const found = await file.read(piece, position, memory);
    if (into.gone.aborted) throw nobodyWaits();
    if (found.neededBytes > 0) {
      memory = new SharedArrayBuffer(found.neededBytes);
      continue;
    }
    const bytes = fillingView(Buffer.from(memory));
    for (const [at, start] of found.positions.entries()) {
      const next = frames[taken];
      const record = found.frames[at]?.bytes;
      if (next === undefined || record === undefined || start !== next.recordPosition) continue;
      const end = record.byteOffset + record.length;
      takeFrame(next, bytes.subarray(record.byteOffset, end), into);
      taken += 1;
    }
    position = found.position;
  }
  returnPages?.(Buffer.from(memory));
  const lacking = frames.length - taken;
  if (lacking > 0) throw new NvrdError("NOT_AVAILABLE", `${lacking} pictures are not whole on the disk`);
}

/** From the first frame's record to the end of the last one's. */
function pieceOf(frames: readonly RecordedFrame[]): RecordedPiece & { readonly offset: number } {
  const [first] = frames;
  const last = frames.at(-1);
  if (first === undefined || last === undefined) throw new Error("a run without a frame");
  const offset = first.recordPosition;
  const endOffset = last.recordPosition + RECORD_HEADER_BYTES + last.byteLength;
  const bytesMax = endOffset - offset;
  return { fromUs: first.decodeTimeUs, toUs: last.decodeTimeUs, offset, endOffset, bytesMax, key: false };
}

function takeFrame(frame: RecordedFrame, bytes: Uint8Array, { filler, read }: Into): void {
  if (bytes.length !== frame.byteLength)
    throw new NvrdError("NOT_AVAILABLE", "a picture on the disk is not the one that was recorded");
  const isThere = filler.add(bytes, (ranges) => read.push(Frame.readBack(frame, ranges)));
  if (!isThere) throw new NvrdError("NOT_AVAILABLE", "there is no memory for frames");
}

function nobodyWaits(): NvrdError {
  return new NvrdError("NOT_AVAILABLE", "nobody waits any longer");
}
