import { invariant } from "../../base/index.js";
import { type Frame, type FrameRange, rangeByteLength, type Slab, SlabRange } from "../../live/index.js";
import {
  BATCH_BYTES,
  BATCH_NUMBERS_BYTES,
  BATCH_NUMBERS_MAX,
  BATCH_SCRATCH_BYTES,
  RAW,
  SCRATCH_SLAB,
  type SlabMemory,
} from "../disk/volume-messages.js";
import {
  frameFlags,
  RecordKind as Kind,
  RECORD_HEADER_BYTES,
  type RecordKind,
  writeRecordHeader,
} from "../segment/segment-format.js";

/** Ranges up to so many bytes are copied beside their header: cheaper than a buffer of their own. */
const INLINE_BYTES_MAX = 2048;
/** Most payload bytes of one batch: what a slow disk keeps busy with before the next message is heard. */
const BATCH_PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;
/** Room kept for the marks, footers and trailers that come with a frame. */
const NUMBERS_RESERVED = 64;
const SCRATCH_RESERVED = 4096;
/** Most numbers of a run or a record without its ranges, and of a range. */
const NUMBERS_OF_RECORD = 3;
const NUMBERS_OF_RANGE = 3;
/** Most slabs a writer thread knows at once; beyond it all are registered again. */
export const SLABS_KNOWN_MAX = 8192;

/**
 * The slabs a writer thread knows. Keyed by the memory itself: two pools may number their slabs alike.
 */
export class SlabRegistry {
  #known = new WeakMap<SharedArrayBuffer, number>();
  #count = 0;
  #nextOneOffId = -1;

  get isFull(): boolean {
    return this.#count >= SLABS_KNOWN_MAX;
  }

  clear(): void {
    this.#known = new WeakMap();
    this.#count = 0;
  }

  find(memory: SharedArrayBuffer): number | undefined {
    return this.#known.get(memory);
  }

  /** A number for memory that is not known yet. */
  add(memory: SharedArrayBuffer): number {
    this.#count += 1;
    this.#known.set(memory, this.#count);
    return this.#count;
  }

  /** A negative id: memory that the thread forgets after the batch. */
  oneOffId(): number {
    this.#nextOneOffId -= 1;
    return this.#nextOneOffId;
  }
}

/** A segment that ends, and its length. */
export interface ClosingSlot {
  readonly slot: number;
  readonly bytes: number;
}

/** What one tick writes to a volume: packed numbers and small bytes in memory shared with the writer thread. */
export class WriteBatch {
  readonly memory = new SharedArrayBuffer(BATCH_BYTES);
  readonly #numbers = new Float64Array(this.memory, 0, BATCH_NUMBERS_MAX);
  readonly #scratch = Buffer.from(this.memory, BATCH_NUMBERS_BYTES);
  readonly #registry: SlabRegistry;
  #numbersUsed = 0;
  #scratchUsed = 0;
  #payloadBytes = 0;
  #recordsAt = 0;
  /** Of the run that is being filled: its segment, and where in it the next record lies. */
  #runSlot = 0;
  #runEnd = 0;
  #slabs: SlabMemory[] = [];
  #frames: Frame[] = [];
  readonly #slots = new Set<number>();
  #closing: ClosingSlot[] = [];
  #forgetSlabs = false;
  /** The header of the frame that is being added. */
  readonly #record = {
    kind: Kind.FRAME,
    payloadBytes: 0,
    codec: 0,
    flags: 0,
    presentationOffsetUs: 0,
    // So that V8 expects no small integer.
    decodeTimeUs: Number.NaN,
  };

  constructor(registry: SlabRegistry) {
    this.#registry = registry;
  }

  get numbersUsed(): number {
    return this.#numbersUsed;
  }

  get slabs(): readonly SlabMemory[] {
    return this.#slabs;
  }

  get forgetSlabs(): boolean {
    return this.#forgetSlabs;
  }

  /** The segment whose run is being filled. */
  get runSlot(): number {
    return this.#runSlot;
  }

  /** Where in that segment the next record lies. */
  get runEnd(): number {
    return this.#runEnd;
  }

  /** The frames it holds leases of. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** Slots of the segments that have a run in it. */
  get slots(): ReadonlySet<number> {
    return this.#slots;
  }

  /** Segments that end with it. */
  get closing(): readonly ClosingSlot[] {
    return this.#closing;
  }

  reset(): void {
    this.#numbersUsed = 0;
    this.#scratchUsed = 0;
    this.#payloadBytes = 0;
    this.#slabs = [];
    this.#frames = [];
    this.#slots.clear();
    this.#closing = [];
    if (!this.#registry.isFull) return;
    this.#forgetSlabs = true;
    this.#registry.clear();
  }

  /** The thread knows the slabs, and has forgotten the earlier ones. */
  slabsSent(): void {
    this.#forgetSlabs = false;
  }

  /** Room for ending one segment and starting another. */
  get hasRoom(): boolean {
    return (
      this.#numbersUsed + NUMBERS_RESERVED <= BATCH_NUMBERS_MAX &&
      this.#scratchUsed + SCRATCH_RESERVED <= BATCH_SCRATCH_BYTES
    );
  }

  fits(frame: Frame): boolean {
    if (this.#frames.length === 0) return true;
    let scratch = SCRATCH_RESERVED;
    if (frame.slab !== undefined) scratch += inlineBytes(frame.byteLength);
    else for (const range of frame.ranges) scratch += inlineBytes(rangeByteLength(range));
    return (
      this.#payloadBytes + frame.byteLength <= BATCH_PAYLOAD_BYTES_MAX &&
      this.#numbersUsed + 3 * frame.rangeCount + NUMBERS_RESERVED <= BATCH_NUMBERS_MAX &&
      this.#scratchUsed + scratch <= BATCH_SCRATCH_BYTES
    );
  }

  /** Starts a run of records that lie one after the other in the segment of `slot` from `position`. */
  beginRun(slot: number, position: number): void {
    this.#needRoom(0);
    this.#slots.add(slot);
    this.#runSlot = slot;
    this.#runEnd = position;
    this.#push(slot);
    this.#push(position);
    this.#recordsAt = this.#numbersUsed;
    this.#push(0);
  }

  /** Adds a frame's record and takes over the caller's lease. Throws InvariantError before anything is added. */
  addFrame(frame: Frame): void {
    this.#needRoom(frame.rangeCount);
    if (frame.slab === undefined) checkLength(frame);
    const headerAt = this.#scratchUsed;
    this.#scratchUsed += RECORD_HEADER_BYTES;
    const record = this.#record;
    record.payloadBytes = frame.byteLength;
    record.codec = frame.format.codec;
    record.flags = frameFlags(frame);
    record.presentationOffsetUs = frame.presentationOffsetUs;
    record.decodeTimeUs = frame.decodeTimeUs;
    writeRecordHeader(this.#scratch, headerAt, record);
    this.#beginRecord(headerAt, frame.rangeCount);
    if (frame.slab !== undefined) this.#addSlabBytes(frame.slab, frame.start, frame.byteLength);
    else for (const range of frame.ranges) this.#addRange(range);
    this.#payloadBytes += frame.byteLength;
    this.#runEnd += RECORD_HEADER_BYTES + frame.byteLength;
    this.#frames.push(frame);
  }

  /** Adds a record that is not a frame. */
  addRecord(kind: RecordKind, payload: Buffer, decodeTimeUs: number): void {
    this.#needRoom(1);
    const headerAt = this.#scratchUsed;
    this.#scratchUsed += RECORD_HEADER_BYTES;
    const fields = {
      kind,
      payloadBytes: payload.length,
      codec: 0,
      flags: 0,
      presentationOffsetUs: 0,
      decodeTimeUs,
    };
    writeRecordHeader(this.#scratch, headerAt, fields);
    this.#beginRecord(headerAt, 1);
    this.#addRange({ slab: undefined, bytes: payload });
    this.#runEnd += RECORD_HEADER_BYTES + payload.length;
  }

  /** Adds bytes as they are. */
  addRaw(bytes: Buffer): void {
    this.#needRoom(1);
    this.#beginRecord(RAW, 1);
    this.#addRange({ slab: undefined, bytes });
    this.#runEnd += bytes.length;
  }

  /** The segment is whole with this batch: `bytes` long. */
  closeAfter(slot: number, bytes: number): void {
    this.#closing.push({ slot, bytes });
  }

  #beginRecord(headerAt: number, ranges: number): void {
    this.#push(headerAt);
    this.#push(ranges);
    this.#numbers[this.#recordsAt] = (this.#numbers[this.#recordsAt] ?? 0) + 1;
  }

  #addRange(range: FrameRange): void {
    const length = rangeByteLength(range);
    const { slab } = range;
    if (this.#isInline(length)) {
      this.#scratch.set(range.bytes, this.#scratchUsed);
      this.#pushInline(length);
      return;
    }
    if (slab !== undefined) {
      const start = range instanceof SlabRange ? range.start : range.bytes.byteOffset;
      this.#pushRange(this.#slabId(slab.memory), start, length);
      return;
    }
    const { bytes } = range;
    // Long bytes outside a slab are rare (a footer of thousands of GOPs): they go along in memory of their own.
    const memory = new SharedArrayBuffer(bytes.length);
    new Uint8Array(memory).set(bytes);
    const id = this.#registry.oneOffId();
    this.#slabs.push({ id, memory });
    this.#pushRange(id, 0, bytes.length);
  }

  #addSlabBytes(slab: Slab, start: number, length: number): void {
    if (!this.#isInline(length)) {
      this.#pushRange(this.#slabId(slab.memory), start, length);
      return;
    }
    slab.bytes.copy(this.#scratch, this.#scratchUsed, start, start + length);
    this.#pushInline(length);
  }

  #isInline(length: number): boolean {
    return length <= INLINE_BYTES_MAX && this.#scratchUsed + length + SCRATCH_RESERVED <= BATCH_SCRATCH_BYTES;
  }

  #pushInline(length: number): void {
    this.#pushRange(SCRATCH_SLAB, this.#scratchUsed, length);
    this.#scratchUsed += length;
  }

  #slabId(memory: SharedArrayBuffer): number {
    const known = this.#registry.find(memory);
    if (known !== undefined) return known;
    const id = this.#registry.add(memory);
    this.#slabs.push({ id, memory });
    return id;
  }

  #pushRange(slab: number, offset: number, length: number): void {
    this.#push(slab);
    this.#push(offset);
    this.#push(length);
  }

  /** A run's or a record's numbers, and a record's header: checked before the first is there, so that a batch is whole at any time. */
  #needRoom(ranges: number): void {
    const hasNumbers = this.#numbersUsed + NUMBERS_OF_RECORD + NUMBERS_OF_RANGE * ranges <= BATCH_NUMBERS_MAX;
    invariant(hasNumbers && this.#scratchUsed + RECORD_HEADER_BYTES <= BATCH_SCRATCH_BYTES, "batch-room");
  }

  #push(value: number): void {
    this.#numbers[this.#numbersUsed++] = value;
  }
}

/** The length in the record's header is what the writer thread writes behind it. */
function checkLength(frame: Frame): void {
  let byteLength = 0;
  for (const range of frame.ranges) byteLength += rangeByteLength(range);
  invariant(byteLength === frame.byteLength, "record-length");
}

/** How much of a range is copied beside its header. */
function inlineBytes(length: number): number {
  return length <= INLINE_BYTES_MAX ? length : 0;
}
