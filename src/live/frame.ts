import { invariant } from "../base/index.js";
import { isAudioCodec, type MediaFormat } from "./codec/codec.js";
import type { FrameRecording } from "./frame-recording.js";
import type { Slab } from "./slab.js";

/**
 * Bytes of a frame in a slab, or (slab undefined) in separate memory that never changes: parameter sets from SDP,
 * rebuilt JPEG headers, copied-out audio.
 */
export interface FrameRange {
  readonly slab: Slab | undefined;
  /** The bytes: a view on the slab, or the immutable memory itself. */
  readonly bytes: Uint8Array;
}

/** A range of a slab, whose view is made when it is first read: recording alone reads none, and a kept view is half of a frame. */
export class SlabRange implements FrameRange {
  readonly slab: Slab;
  /** Offset of the first byte in the slab. */
  readonly start: number;
  readonly byteLength: number;
  #bytes: Uint8Array | undefined;

  constructor(slab: Slab, start: number, byteLength: number) {
    invariant(start >= 0 && byteLength >= 0 && start + byteLength <= slab.bytes.length, "frame-in-slab");
    this.slab = slab;
    this.start = start;
    this.byteLength = byteLength;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.slab.bytes.subarray(this.start, this.start + this.byteLength);
    return this.#bytes;
  }
}

/** Its length, without a view of it. */
export function rangeByteLength(range: FrameRange): number {
  return range instanceof SlabRange ? range.byteLength : range.bytes.length;
}

/** Takes a lease on each slab; answers the sum of the lengths. */
function leased(ranges: readonly FrameRange[]): number {
  let byteLength = 0;
  for (const range of ranges) {
    byteLength += rangeByteLength(range);
    range.slab?.retain();
  }
  return byteLength;
}

export interface FrameFields {
  readonly format: MediaFormat;
  /** Decode time: stream time in Unix microseconds; within a stream's video, and within its audio, it never goes back. */
  readonly decodeTimeUs: number;
  /** Presentation minus decode time in microseconds; 0 without B-frames, never negative. */
  readonly presentationOffsetUs: number;
  /**
   * Video: decoding can begin here, decoder initialisation data included. With `damaged`: the camera sends no better place to begin
   * at, and what is shown is not right at first. Audio: always true.
   */
  readonly key: boolean;
  /**
   * Bytes of this frame, or of one it refers to, were lost. The rest of it consists of whole NAL units (H.264, H.265)
   * and can be shown, with artefacts, unless `undecodable`. Ends with the next whole key frame.
   */
  readonly damaged: boolean;
  /**
   * The key frame it needs was lost or damaged, or is this frame itself: a decoder cannot decode it, and it is not sent
   * to viewers. Holds for all video from the damaged or lost key frame, or from a source that began without one, up to
   * the next whole key frame; implies `damaged` and not `key`. It is recorded, with this mark. Audio: always false.
   */
  readonly undecodable: boolean;
  /** The clock jumped or the source was absent before this frame: a new fragment starts here. */
  readonly discontinuity: boolean;
  readonly ranges: readonly FrameRange[];
}

/**
 * One access unit of video or one audio frame, as `/video` sends it: Annex B for H.264 and H.265 (four-byte start
 * codes), the elementary stream for MPEG-4 Part 2, a whole JFIF file for MJPEG, samples for G.711 and L16 (16 bits, network
 * order), a raw access unit for AAC, a packet for Opus.
 *
 * A frame starts with one lease, its publisher's. To keep it after the call that passes it, retain it, and release it
 * later; its slabs are reused after the last release.
 */
export class Frame {
  readonly format: MediaFormat;
  readonly decodeTimeUs: number;
  readonly presentationOffsetUs: number;
  readonly key: boolean;
  readonly damaged: boolean;
  readonly undecodable: boolean;
  readonly discontinuity: boolean;
  /** The slab that has all of its bytes; undefined: they are in `ranges`. */
  readonly slab: Slab | undefined;
  /** Offset of the first byte in `slab`. */
  readonly start: number;
  readonly byteLength: number;
  /** Of a frame in one slab made when somebody asks: recording does not. */
  #ranges: readonly FrameRange[] | undefined;
  #leases = 1;
  #recording: FrameRecording | undefined;
  #recordPosition = 0;

  /** A frame that was recorded, with its bytes in `ranges`; leased once, by the caller, as a new frame. */
  static readBack(recorded: RecordedFrame, ranges: readonly FrameRange[]): Frame {
    const { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity } = recorded;
    const fields = { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity };
    const frame = new Frame({ ...fields, ranges });
    frame.#recording = recorded.recording;
    frame.#recordPosition = recorded.recordPosition;
    return frame;
  }

  /** A frame of `fields.ranges`; takes a lease on each slab that they name. */
  constructor(fields: FrameFields);
  /** A frame of the bytes `slab[start .. start + byteLength)`; takes a lease on the slab. */
  constructor(fields: Omit<FrameFields, "ranges">, slab: Slab, start: number, byteLength: number);
  constructor(
    fields: Omit<FrameFields, "ranges"> & { readonly ranges?: readonly FrameRange[] },
    slab?: Slab,
    start = 0,
    byteLength = 0,
  ) {
    this.format = fields.format;
    this.decodeTimeUs = fields.decodeTimeUs;
    this.presentationOffsetUs = fields.presentationOffsetUs;
    this.key = fields.key;
    this.damaged = fields.damaged;
    this.undecodable = fields.undecodable;
    this.discontinuity = fields.discontinuity;
    this.slab = slab;
    this.start = start;
    if (slab === undefined) {
      this.#ranges = fields.ranges;
      this.byteLength = leased(this.ranges);
    } else {
      invariant(start >= 0 && byteLength > 0 && start + byteLength <= slab.bytes.length, "frame-in-slab");
      this.byteLength = byteLength;
      slab.retain();
    }
  }

  get ranges(): readonly FrameRange[] {
    this.#ranges ??= this.slab === undefined ? [] : [new SlabRange(this.slab, this.start, this.byteLength)];
    return this.#ranges;
  }

  get rangeCount(): number {
    return this.slab === undefined ? this.ranges.length : 1;
  }

  get isAudio(): boolean {
    return isAudioCodec(this.format.codec);
  }

  /** Whether memory for frames is short: holders of frames for viewers release them, so that recording continues. */
  get isMemoryShort(): boolean {
    if (this.slab !== undefined) return this.slab.isMemoryShort;
    for (const { slab } of this.ranges) if (slab !== undefined) return slab.isMemoryShort;
    return false;
  }

  /** The file that it is recorded in, or that it is on its way to. */
  get recording(): FrameRecording | undefined {
    return this.#recording;
  }

  /** Where its record begins in that file. */
  get recordPosition(): number {
    return this.#recordPosition;
  }

  /** Whether a disk has it, so that it can be read back. */
  get isRecorded(): boolean {
    return this.#recording?.holds(this.#recordPosition, this.byteLength) === true;
  }

  /** Called by the archive when it sends the frame to a disk. */
  recordAt(recording: FrameRecording, position: number): void {
    this.#recording = recording;
    this.#recordPosition = position;
  }

  retain(): void {
    if (this.#leases === 0) throw new Error("frame retained after its last release");
    this.#leases += 1;
  }

  release(): void {
    if (this.#leases === 0) throw new Error("frame released more often than retained");
    this.#leases -= 1;
    if (this.#leases > 0) return;
    if (this.slab !== undefined) this.slab.release();
    else for (const range of this.ranges) range.slab?.release();
  }

  /** Copies the frame's bytes into one buffer: for tests and rare uses, not for the frame path. */
  copyBytes(): Buffer {
    return Buffer.concat(this.ranges.map((range) => range.bytes));
  }
}

/** A frame without its bytes, which a file has. */
export type RecordedFrame = Pick<
  Frame,
  | "format"
  | "decodeTimeUs"
  | "presentationOffsetUs"
  | "key"
  | "damaged"
  | "undecodable"
  | "discontinuity"
  | "isAudio"
  | "byteLength"
  | "recording"
  | "recordPosition"
>;
