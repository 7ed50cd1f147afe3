import { invariant } from "../../base/index.js";
import {
  Frame,
  type FrameFields,
  type FrameRange,
  rangeByteLength,
  type Slab,
  SlabPool,
  SlabRange,
} from "../../live/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { SlabWindow } from "../rtp/slab-window.js";

/** Largest access unit; a 4K key frame at the highest camera bit rates stays below 4 MiB. */
export const ACCESS_UNIT_BYTES_MAX = 8 * 1024 * 1024;

/** Most memory ranges of an access unit. */
export const ACCESS_UNIT_RANGES_MAX = 128;

const START_CODE = Buffer.from([0, 0, 0, 1]);
const START_CODE_BYTES = START_CODE.length;
const NOTHING = Buffer.alloc(0);

/** Holds an aggregation packet while its units, each longer by a start code, are written over it. */
const bounceBuffer = Buffer.allocUnsafeSlow(65_536);

/** Why an access unit cannot become a frame. */
export type BuildFailure = "no-memory" | "too-large" | "too-dense";

/**
 * Builds the current access unit of one video track. With a SlabWindow, payloads are moved down within the slab in
 * which they were received. With a SlabPool (UDP, or a second video track), they are copied into the builder's own
 * slab. An access unit is limited in bytes and ranges; one that cannot be built is dropped, and `failure` says why.
 *
 * Call `open` for each packet before any of its payload is appended: it gives the builder the bytes of the window that are
 * not read yet, so that they are not overwritten.
 */
export class FrameBuilder {
  readonly #window: SlabWindow | undefined;
  readonly #pool: SlabPool | undefined;
  /** The slab written to; leased while it is here, so that its bytes stay valid when the window moves on. */
  #slab: Slab | undefined;
  #bytes: Buffer = NOTHING;
  #rangeStart = 0;
  #write = 0;
  /** Over a window: first byte that must not be overwritten. */
  #unread = 0;
  /** Finished ranges; each holds one lease on its slab. */
  #ranges: FrameRange[] = [];
  #closedBytes = 0;
  #prefix: Uint8Array | undefined;
  #failure: BuildFailure | undefined;
  #markRanges = 0;
  #markBytes = 0;
  readonly #onFailure: ((failure: BuildFailure) => void) | undefined;

  /** `onFailure` is called once for each dropped access unit, while its packets are handled. */
  constructor(memory: SlabWindow | SlabPool, onFailure?: (failure: BuildFailure) => void) {
    this.#onFailure = onFailure;
    if (memory instanceof SlabPool) this.#pool = memory;
    else this.#window = memory;
  }

  /** Bytes of the current access unit, without the prefix. */
  get byteLength(): number {
    return this.#closedBytes + this.#write - this.#rangeStart;
  }

  /** Set if bytes of this access unit had to be dropped; it then does not become a frame. */
  get failure(): BuildFailure | undefined {
    return this.#failure;
  }

  /** Announces a packet: `buffer[start ..)` is what will be appended from. */
  open(buffer: Buffer, start: number): void {
    const window = this.#window;
    if (window === undefined) return;
    if (window.slab !== this.#slab) this.#follow(window);
    this.#unread = buffer === window.buffer ? start : window.rawStart;
  }

  /** What is appended next lies in no packet: it was kept elsewhere. */
  openKept(): void {
    const window = this.#window;
    if (window !== undefined && window.slab === this.#slab) this.#unread = window.rawStart;
  }

  /**
   * Copies `buffer[start .. end)`, at most 65536 bytes, to a bounce buffer, which it returns. For payloads that grow
   * while they are written. Valid until the next call on any builder.
   */
  bounce(buffer: Buffer, start: number, end: number): Buffer {
    buffer.copy(bounceBuffer, 0, start, end);
    if (this.#window !== undefined && buffer === this.#window.buffer) this.#unread = end;
    return bounceBuffer;
  }

  /** Appends a start code 00 00 00 01 (ITU-T H.264, B.1.1). */
  startCode(): void {
    if (this.#isCrowded(START_CODE_BYTES)) {
      this.#appendSeparately(START_CODE);
      return;
    }
    if (!this.#reserve(START_CODE_BYTES)) return;
    const bytes = this.#bytes;
    const write = this.#write;
    bytes[write] = 0;
    bytes[write + 1] = 0;
    bytes[write + 2] = 0;
    bytes[write + 3] = 1;
    this.#write = write + START_CODE_BYTES;
    this.#window?.claim(this.#write);
  }

  /** Appends one byte. */
  byte(value: number): void {
    if (this.#isCrowded(1)) {
      this.#appendSeparately(Buffer.of(value));
      return;
    }
    if (!this.#reserve(1)) return;
    this.#bytes[this.#write] = value;
    this.#write += 1;
    // The unit may end behind the window's back: with the packet after it, which is in the next slab.
    this.#claim();
  }

  /** Appends `buffer[start .. end)`, at most 65535 bytes: moved in place if it is in the window, else copied. */
  append(buffer: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length <= 0) return;
    const inPlace = this.#window !== undefined && buffer === this.#bytes;
    if (inPlace) this.#unread = end;
    else if (this.#isCrowded(length)) {
      this.#appendSeparately(buffer.subarray(start, end));
      return;
    }
    if (!this.#reserve(length)) return;
    const write = this.#write;
    if (inPlace && write > start) {
      this.#fail("too-dense");
      return;
    }
    if (!inPlace) buffer.copy(this.#bytes, write, start, end);
    else if (write < start) buffer.copyWithin(write, start, end);
    this.#write = write + length;
    this.#window?.claim(this.#write);
  }

  /** Whether fragments may be moved in place to what was appended last; says where to. */
  allowsRun(run: FragmentRun): boolean {
    if (this.#window === undefined || this.#failure !== undefined) return false;
    if (this.#window.slab !== this.#slab || run.memory !== this.#bytes) return false;
    run.writesTo(this.#write, ACCESS_UNIT_BYTES_MAX - this.byteLength);
    return true;
  }

  /** Takes into account what `run` moved. */
  noteRun(run: FragmentRun): void {
    const { written } = run;
    const isInSlab = written >= this.#write && written <= run.position && run.position <= this.#bytes.length;
    invariant(isInSlab, "run-in-slab");
    this.#write = written;
    this.#unread = run.position;
    this.#window?.claim(this.#write);
  }

  /** Whether `length` bytes from elsewhere would overwrite raw bytes that are not read yet. */
  #isCrowded(length: number): boolean {
    if (this.#window === undefined || this.#write + length <= this.#unread) return false;
    return this.#slab !== undefined && this.byteLength + length <= ACCESS_UNIT_BYTES_MAX;
  }

  /**
   * A NAL unit assembled in the side buffer may be larger than the window's headroom, such as a user data SEI of some
   * kilobytes that came in small reads. It gets separate memory, as does what follows until there is room again. This
   * is the only case in which the frame path allocates.
   */
  #appendSeparately(bytes: Buffer): void {
    this.#closeRange();
    if (this.#failure !== undefined) return;
    this.#ranges.push({ slab: undefined, bytes: Buffer.from(bytes) });
    this.#closedBytes += bytes.length;
    if (this.#ranges.length > ACCESS_UNIT_RANGES_MAX) this.#fail("too-large");
  }

  /** Puts immutable memory before everything else: parameter sets, a rebuilt JPEG header. */
  prepend(bytes: Uint8Array): void {
    this.#prefix = bytes;
  }

  /** Marks this position for `rollback`. */
  mark(): void {
    this.#markRanges = this.#ranges.length;
    this.#markBytes = this.byteLength;
  }

  /** Removes everything appended since `mark`: a NAL unit that proved incomplete. */
  rollback(): void {
    if (this.#failure !== undefined) return;
    let excess = this.byteLength - this.#markBytes;
    const open = Math.min(excess, this.#write - this.#rangeStart);
    this.#write -= open;
    excess -= open;
    this.#claim();
    while (excess > 0 && this.#ranges.length > this.#markRanges) {
      const last = this.#ranges.pop();
      if (last === undefined) return;
      const lastBytes = rangeByteLength(last);
      this.#closedBytes -= lastBytes;
      if (lastBytes > excess) {
        const kept = shortened(last, lastBytes - excess);
        this.#ranges.push(kept);
        this.#closedBytes += lastBytes - excess;
        return;
      }
      excess -= lastBytes;
      last.slab?.release();
    }
  }

  /**
   * Makes a frame of the access unit, with one lease for the caller, and begins the next. Drops it and returns
   * undefined if it is empty or `failure` is set.
   */
  finish(fields: Omit<FrameFields, "ranges">): Frame | undefined {
    if (this.#failure !== undefined || this.byteLength === 0) {
      this.discard();
      return undefined;
    }
    const frame = this.#frameOf(fields);
    if (frame === undefined) {
      this.discard();
      return undefined;
    }
    for (const range of this.#ranges) range.slab?.release();
    this.#begin();
    return frame;
  }

  /** Undefined if the unit has too many ranges. */
  #frameOf(fields: Omit<FrameFields, "ranges">): Frame | undefined {
    // The usual frame is one range.
    if (this.#ranges.length === 0 && this.#slab !== undefined && this.#prefix === undefined)
      return new Frame(fields, this.#slab, this.#rangeStart, this.#write - this.#rangeStart);
    this.#closeRange();
    if (this.#failure !== undefined) return undefined;
    const ranges =
      this.#prefix === undefined ? this.#ranges : [{ slab: undefined, bytes: this.#prefix }, ...this.#ranges];
    // Field by field: with a spread, V8 does not know the object's shape, and reads it and all others slowly.
    return new Frame({
      format: fields.format,
      decodeTimeUs: fields.decodeTimeUs,
      presentationOffsetUs: fields.presentationOffsetUs,
      key: fields.key,
      damaged: fields.damaged,
      undecodable: fields.undecodable,
      discontinuity: fields.discontinuity,
      ranges,
    });
  }

  /** Drops the current access unit; its memory is reused. */
  discard(): void {
    this.#drop();
    this.#begin();
  }

  /** Drops the access unit and releases all memory. The builder can be used again afterwards. */
  close(): void {
    this.discard();
    this.#enter(undefined, NOTHING, 0);
  }

  #begin(): void {
    this.#rangeStart = this.#write;
    this.#prefix = undefined;
    this.#failure = undefined;
    if (this.#ranges.length > 0) this.#ranges = [];
    this.#closedBytes = 0;
    this.#claim();
    this.mark();
  }

  #drop(): void {
    for (const range of this.#ranges) range.slab?.release();
    this.#ranges = [];
    this.#closedBytes = 0;
    this.#write = this.#rangeStart;
    this.#claim();
  }

  #fail(failure: BuildFailure): void {
    this.#drop();
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.#onFailure?.(failure);
  }

  /** Whether `byteLength` bytes can be written at the write position; sets `failure` if not. */
  #reserve(byteLength: number): boolean {
    if (this.#failure !== undefined) return false;
    if (this.byteLength + byteLength > ACCESS_UNIT_BYTES_MAX) {
      this.#fail("too-large");
      return false;
    }
    if (this.#window === undefined) return this.#reserveOwn(byteLength);
    if (this.#slab !== undefined && this.#write + byteLength <= this.#unread) return true;
    this.#fail(this.#slab === undefined ? "no-memory" : "too-dense");
    return false;
  }

  #reserveOwn(byteLength: number): boolean {
    if (this.#slab !== undefined && this.#write + byteLength <= this.#bytes.length) return true;
    const next = this.#pool?.take();
    if (next === undefined || next.bytes.length < byteLength) {
      next?.release();
      this.#fail("no-memory");
      return false;
    }
    this.#enter(next, next.bytes, 0);
    return this.#failure === undefined;
  }

  /** Continues in the slab to which the window has moved. */
  #follow(window: SlabWindow): void {
    window.slab?.retain();
    if (window.slab === undefined) this.#enter(undefined, NOTHING, 0);
    else this.#enter(window.slab, window.buffer, window.frameEnd);
    this.#unread = window.rawStart;
  }

  /** Closes the range in the current slab and continues in `slab`, with the caller's lease. */
  #enter(slab: Slab | undefined, bytes: Buffer, position: number): void {
    this.#closeRange();
    this.#slab?.release();
    this.#slab = slab;
    this.#bytes = bytes;
    this.#rangeStart = position;
    this.#write = position;
  }

  #closeRange(): void {
    if (this.#slab === undefined || this.#write === this.#rangeStart) return;
    this.#slab.retain();
    const length = this.#write - this.#rangeStart;
    this.#ranges.push(new SlabRange(this.#slab, this.#rangeStart, length));
    this.#closedBytes += length;
    this.#rangeStart = this.#write;
    if (this.#ranges.length > ACCESS_UNIT_RANGES_MAX) this.#fail("too-large");
  }

  #claim(): void {
    const window = this.#window;
    if (window !== undefined && window.slab === this.#slab) window.claim(this.#write);
  }
}

/** The first `byteLength` bytes of a range. */
function shortened(range: FrameRange, byteLength: number): FrameRange {
  if (range instanceof SlabRange) return new SlabRange(range.slab, range.start, byteLength);
  return { slab: range.slab, bytes: range.bytes.subarray(0, byteLength) };
}
