import type { RecordedAccess } from "../../../../src/archive/read/recorded-access.js";
import type { PieceRead, RecordedFile } from "../../../../src/archive/read/recorded-file.js";
import type {
  RecordedPiece,
  RecordedQuery,
  RecordedSegment,
} from "../../../../src/archive/read/recorded-segments.js";
import type { SegmentSummary } from "../../../../src/archive/segment/segment-summary.js";
import { type ArchivedFrame, type ArchiveKey, streamTypesOf } from "../../../../src/archive/segment/types.js";
import { type StreamKey, streamKeyText } from "../../../../src/base/kinds/stream-type.js";
import { NvrdError } from "../../../../src/base/value/errors.js";
import { newGuid } from "../../../../src/base/value/guid.js";
import { endsUnlessAborted } from "../../../../src/base/wait/timeout.js";
import { type AudioFormat, Codec, isAudioCodec, type VideoFormat } from "../../../../src/live/codec/codec.js";

const RECORD_HEADER_BYTES = 28;
const FILE_HEADER_BYTES = 200;
const FRAME_US = 40_000;
const VOLUME_ID = "88888888-0000-4000-8000-000000000001";
const BOOT_ID = "88888888-0000-4000-8000-000000000002";

/** Baseline, 640x480. */
const SPS = Buffer.from("00000001674d001ef40501ec80", "hex");
const PPS = Buffer.from("0000000168ee3c80", "hex");
export const MEMORY_VIDEO: VideoFormat = {
  codec: Codec.H264,
  width: 640,
  height: 480,
  initialization: Buffer.concat([SPS, PPS]),
};

interface StoredSegment {
  readonly segmentId: number;
  readonly fragmentId: string;
  readonly epoch: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly frames: readonly ArchivedFrame[];
  readonly offsets: readonly number[];
  readonly bytes: number;
  readonly video: VideoFormat;
  readonly audio: AudioFormat | undefined;
}

export interface MemorySegmentOptions {
  readonly video?: VideoFormat;
  readonly audio?: AudioFormat;
  readonly fragmentId?: string;
  readonly epoch?: number;
  /** End of the last frame; its decode time and 40 ms when absent. */
  readonly toUs?: number;
}

/** Recordings in memory as `RecordedAccess` hands them out: a segment a call of `add`, a piece a GOP. */
export class MemoryRecordings implements RecordedAccess {
  readonly #segments = new Map<string, StoredSegment[]>();
  #nextId = 1_700_000_000_000_000;
  /** Files open now. */
  open = 0;
  /** Segments that retention has removed: opening one fails. */
  readonly removed = new Set<number>();
  /** Called before each read. */
  beforeRead: () => void | Promise<void> = () => undefined;
  /** Whether a read under way ends with who needs it: what is fetched does, what a disk reads does not. */
  endsWhenGone = true;
  /** Of one read; a place that is far answers what it has at hand. At least one record comes. */
  readBytesMax = Number.POSITIVE_INFINITY;

  /** Answers the segment's id. */
  add(key: StreamKey, frames: readonly ArchivedFrame[], options: MemorySegmentOptions = {}): number {
    const { video = MEMORY_VIDEO, audio, fragmentId = newGuid(), epoch = 1 } = options;
    const offsets: number[] = [];
    let bytes = FILE_HEADER_BYTES;
    for (const frame of frames) {
      offsets.push(bytes);
      bytes += RECORD_HEADER_BYTES + frame.bytes.length;
    }
    const pictures = frames.filter(({ codec }) => !isAudioCodec(codec));
    const fromUs = pictures[0]?.decodeTimeUs ?? 0;
    const toUs = options.toUs ?? (pictures.at(-1)?.decodeTimeUs ?? 0) + FRAME_US;
    const segmentId = this.#nextId++;
    const stored = { segmentId, fragmentId, epoch, fromUs, toUs, frames, offsets, bytes, video, audio };
    const text = streamKeyText(key);
    const all = [...(this.#segments.get(text) ?? []), stored];
    this.#segments.set(
      text,
      all.sort((a, b) => a.epoch - b.epoch || a.fromUs - b.fromUs),
    );
    return segmentId;
  }

  /** What an index keeps of a segment that is there. */
  summary(key: StreamKey, segmentId: number): SegmentSummary {
    const stored = this.#find(key, segmentId);
    if (stored === undefined) throw new Error(`no segment ${segmentId}`);
    const { fragmentId, epoch, fromUs, toUs, bytes, frames, offsets } = stored;
    const gops: { decodeTimeUs: number; offset: number; frames: number; damaged: boolean }[] = [];
    let videoFrames = 0;
    for (const [at, { codec, key: isKey, decodeTimeUs, damaged }] of frames.entries()) {
      if (isAudioCodec(codec)) continue;
      videoFrames += 1;
      if (isKey) gops.push({ decodeTimeUs, offset: offsets[at] ?? 0, frames: 0, damaged });
      const last = gops.at(-1);
      if (last !== undefined) last.frames += 1;
    }
    return {
      ...{ volumeId: VOLUME_ID, segmentId, key, fragmentId, fragmentSequence: 0, epoch, bootId: BOOT_ID },
      ...{ fromUs, toUs, bytes, videoFrames, audioFrames: frames.length - videoFrames, gops },
    };
  }

  #find(key: StreamKey, segmentId: number): StoredSegment | undefined {
    return this.#segments.get(streamKeyText(key))?.find((stored) => stored.segmentId === segmentId);
  }

  *recorded(of: ArchiveKey, query: RecordedQuery): Generator<RecordedSegment> {
    const key = this.#streamOf(of);
    if (key === undefined) return;
    let last: StoredSegment | undefined;
    for (const stored of this.#segments.get(streamKeyText(key)) ?? []) {
      if (this.removed.has(stored.segmentId) || stored.toUs <= query.fromUs || stored.fromUs >= query.toUs)
        continue;
      const continues = last?.fragmentId === stored.fragmentId && last.toUs === stored.fromUs;
      const pieces = piecesOf(stored, query);
      if (pieces.length === 0) continue;
      last = stored;
      const { segmentId, fragmentId, epoch, fromUs } = stored;
      const hasAudio = stored.frames.some(({ codec }) => isAudioCodec(codec));
      yield {
        key,
        volumeId: VOLUME_ID,
        segmentId,
        fragmentId,
        epoch,
        fromUs,
        hasAudio,
        continues,
        pieces,
      };
    }
  }

  /** Several streams are not joined here: the first that has anything stands for them. */
  #streamOf(of: ArchiveKey): StreamKey | undefined {
    const { channelId } = of;
    const keys = streamTypesOf(of).map((streamType) => ({ channelId, streamType }));
    return keys.find((key) => this.#segments.has(streamKeyText(key)));
  }

  async openRecorded(segment: RecordedSegment, gone?: AbortSignal): Promise<RecordedFile> {
    if (gone?.aborted === true) throw new NvrdError("NOT_AVAILABLE", "nobody waits for it any more");
    const stored = this.#find(segment.key, segment.segmentId);
    if (stored === undefined || this.removed.has(stored.segmentId))
      throw new NvrdError("NOT_FOUND", "the recording was removed meanwhile");
    this.open += 1;
    let closed = false;
    const close = (): void => {
      if (!closed) this.open -= 1;
      closed = true;
      gone?.removeEventListener("abort", close);
    };
    gone?.addEventListener("abort", close, { once: true });
    return {
      formats: { video: stored.video, audio: stored.audio },
      start: (piece) => piece.offset ?? FILE_HEADER_BYTES,
      read: async (piece, position, memory, memoryOffset = 0) => {
        const ready = Promise.resolve(this.beforeRead());
        if (gone === undefined || !this.endsWhenGone) await ready;
        else if (!(await endsUnlessAborted(ready, gone)))
          throw new NvrdError("NOT_AVAILABLE", "it is closed");
        return readPiece(stored, piece, position, {
          bytes: Buffer.from(memory, memoryOffset),
          bytesMax: this.readBytesMax,
        });
      },
      close,
    };
  }
}

function piecesOf({ frames, offsets, bytes, toUs }: StoredSegment, query: RecordedQuery): RecordedPiece[] {
  const keys = frames.flatMap((frame, at) => (frame.key && !isAudioCodec(frame.codec) ? [at] : []));
  const begin = keys.findLastIndex((at) => (frames[at]?.decodeTimeUs ?? 0) <= query.fromUs);
  const starts: number[] = [];
  for (const at of keys.slice(Math.max(0, begin))) {
    const lastUs = frames[starts.at(-1) ?? -1]?.decodeTimeUs ?? Number.NEGATIVE_INFINITY;
    if ((frames[at]?.decodeTimeUs ?? 0) - lastUs >= query.pieceUsMin) starts.push(at);
  }
  return starts
    .map((start, index) => {
      const next = starts[index + 1];
      const offset = offsets[start] ?? 0;
      const endOffset = next === undefined ? bytes : (offsets[next] ?? bytes);
      const endUs = next === undefined ? toUs : (frames[next]?.decodeTimeUs ?? toUs);
      const fromUs = frames[start]?.decodeTimeUs ?? 0;
      return { fromUs, toUs: endUs, offset, endOffset, bytesMax: endOffset - offset, key: true };
    })
    .filter(({ fromUs }) => fromUs < query.toUs);
}

function readPiece(
  { frames, offsets }: StoredSegment,
  piece: RecordedPiece,
  position: number,
  { bytes, bytesMax }: { readonly bytes: Buffer; readonly bytesMax: number },
): PieceRead {
  const read: ArchivedFrame[] = [];
  const positions: number[] = [];
  let filled = 0;
  if (bytes.length < RECORD_HEADER_BYTES)
    return { frames: [], positions, position, neededBytes: RECORD_HEADER_BYTES };
  for (let at = offsets.indexOf(position); at >= 0 && at < frames.length; at++) {
    const frame = frames[at];
    if (frame === undefined || (offsets[at] ?? 0) >= piece.endOffset) break;
    const end = filled + RECORD_HEADER_BYTES + frame.bytes.length;
    if (end > bytes.length || (read.length > 0 && end > bytesMax)) {
      if (read.length === 0) return { frames: [], positions, position, neededBytes: end };
      return { frames: read, positions, position: position + filled, neededBytes: 0 };
    }
    bytes.set(frame.bytes, filled + RECORD_HEADER_BYTES);
    positions.push(position + filled);
    read.push({ ...frame, startsFragment: false, bytes: bytes.subarray(filled + RECORD_HEADER_BYTES, end) });
    filled = end;
  }
  return { frames: read, positions, position: piece.endOffset, neededBytes: 0 };
}
