import type { Slab, SlabPool } from "../../live/index.js";

/** Least free space for a socket read; with less left in the slab, the window moves to a new one. */
export const READ_BYTES_MIN = 32 * 1024;

/**
 * Space kept free between the frames and the raw bytes. Conversion from RTP to Annex B may lengthen a payload (a start
 * code of four bytes replaces a length of two), and must not overwrite bytes that are not read yet.
 */
export const WINDOW_HEADROOM_BYTES = 2048;

/** Largest interleaved packet: `$`, channel, length, then up to 65535 bytes (RFC 2326, 10.12). */
export const INTERLEAVED_PACKET_BYTES_MAX = 4 + 65_535;

/** Smallest usable slab: headroom, one unfinished packet, one read. */
export const WINDOW_SLAB_BYTES_MIN = WINDOW_HEADROOM_BYTES + INTERLEAVED_PACKET_BYTES_MAX + READ_BYTES_MIN;

/**
 * Most of a slab that one read gets: what was read and is not parsed yet must fit into the next slab, behind an
 * incomplete packet and before another read.
 */
function readBytesMax(slabBytes: number): number {
  return Math.max(READ_BYTES_MIN, slabBytes - WINDOW_SLAB_BYTES_MIN);
}

/** The window reads into a reserve of this size while the pool has no slab; its contents never become a frame. */
const RESERVE_BYTES = 128 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * The memory of one TCP connection. The socket writes into a slab, the demuxer reads it there, and the frame builder
 * moves payloads down within the same slab:
 *
 *     | frames | access unit in progress | headroom | raw bytes, unparsed | free |
 *     0                            frameEnd      rawStart              rawEnd
 *
 * Reading: `target()` for the socket, `committed(n)` when `n` bytes have arrived, then the bytes `buffer[rawStart ..
 * rawEnd)` are parsed and released with `consume(to)`. `target()` may replace `buffer` and move the raw bytes, which
 * invalidates positions. Memory is limited to one slab, and a reserve of fixed size while the pool is empty.
 */
export class SlabWindow {
  readonly #pool: SlabPool;
  readonly #readBytesMax: number;
  #slab: Slab | undefined;
  #buffer: Buffer = NOTHING;
  #reserve: Buffer | undefined;
  #rawStart = 0;
  #rawEnd = 0;
  #frameEnd = 0;
  #starvedReads = 0;
  #overrunBytes = 0;
  #closed = false;

  /** Throws RangeError when the pool's slabs are smaller than WINDOW_SLAB_BYTES_MIN. */
  constructor(pool: SlabPool) {
    if (pool.slabBytes < WINDOW_SLAB_BYTES_MIN) {
      throw new RangeError(`slabs of ${pool.slabBytes} bytes are too small: ${WINDOW_SLAB_BYTES_MIN} needed`);
    }
    this.#pool = pool;
    this.#readBytesMax = readBytesMax(pool.slabBytes);
  }

  /** The slab behind `buffer`; undefined while the pool is empty and the window reads into its reserve. */
  get slab(): Slab | undefined {
    return this.#slab;
  }

  /** The memory that holds the raw bytes; positions count from its start. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** Position of the first unparsed byte. */
  get rawStart(): number {
    return this.#rawStart;
  }

  /** Position after the last unparsed byte. */
  get rawEnd(): number {
    return this.#rawEnd;
  }

  /** Position after the last byte of a frame in this slab, unfinished frames included. */
  get frameEnd(): number {
    return this.#frameEnd;
  }

  /** Reads that went into the reserve because the pool was empty. */
  get starvedReads(): number {
    return this.#starvedReads;
  }

  /** Unparsed bytes dropped because there was no memory for them. */
  get overrunBytes(): number {
    return this.#overrunBytes;
  }

  /** Free space for the next socket read, at least READ_BYTES_MIN bytes. */
  target(): Buffer {
    if (this.#closed) throw new Error("slab window used after close");
    this.#rewind();
    if (this.#slab === undefined) this.#leaveReserve();
    else if (this.#buffer.length - this.#rawEnd < READ_BYTES_MIN) this.#advance();
    if (this.#slab === undefined) this.#starvedReads += 1;
    return this.#buffer.subarray(this.#rawEnd, this.#rawEnd + this.#readBytesMax);
  }

  /** Reports that `byteLength` bytes were read into the last `target()`. */
  committed(byteLength: number): void {
    if (byteLength < 0 || byteLength > this.#buffer.length - this.#rawEnd) {
      throw new RangeError(`${byteLength} bytes committed, ${this.#buffer.length - this.#rawEnd} were given`);
    }
    this.#rawEnd += byteLength;
  }

  /** Releases the raw bytes before position `to`. */
  consume(to: number): void {
    if (to < this.#rawStart || to > this.#rawEnd) {
      throw new RangeError(`consumed to ${to}, outside ${this.#rawStart} to ${this.#rawEnd}`);
    }
    this.#rawStart = to;
  }

  /** For the frame builder only: frames now occupy the slab up to `end`. */
  claim(end: number): void {
    this.#frameEnd = end;
  }

  /** Releases the slab. Frames published from it keep their own leases. Calling it twice is harmless. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#slab?.release();
    this.#slab = undefined;
    this.#reserve = undefined;
    this.#buffer = NOTHING;
    this.#rawStart = 0;
    this.#rawEnd = 0;
    this.#frameEnd = 0;
  }

  /**
   * With nothing left to parse, the next read begins right after the frames, so that idle connections do not use up
   * slabs.
   */
  #rewind(): void {
    if (this.#rawStart !== this.#rawEnd) return;
    const position = this.#slab === undefined ? 0 : this.#frameEnd + WINDOW_HEADROOM_BYTES;
    if (position >= this.#rawStart) return;
    this.#rawStart = position;
    this.#rawEnd = position;
  }

  /**
   * Makes room: moves the raw bytes down over bytes that are no longer needed if that frees half the slab, else to a
   * new slab.
   */
  #advance(): void {
    const reclaimable = this.#rawStart - this.#frameEnd - WINDOW_HEADROOM_BYTES;
    if (reclaimable >= this.#buffer.length / 2) {
      this.#moveRaw(this.#buffer, this.#frameEnd + WINDOW_HEADROOM_BYTES);
      return;
    }
    const next = this.#pool.take();
    if (next === undefined) this.#enterReserve();
    else this.#enterSlab(next);
  }

  #leaveReserve(): void {
    const next = this.#pool.take();
    if (next !== undefined) this.#enterSlab(next);
    else this.#enterReserve();
  }

  #enterSlab(next: Slab): void {
    this.#moveRaw(next.bytes, WINDOW_HEADROOM_BYTES);
    this.#slab?.release();
    this.#slab = next;
    this.#frameEnd = 0;
  }

  #enterReserve(): void {
    this.#reserve ??= Buffer.allocUnsafeSlow(RESERVE_BYTES);
    if (this.#slab !== undefined || this.#buffer.length - this.#rawEnd < READ_BYTES_MIN) {
      this.#moveRaw(this.#reserve, 0);
    }
    this.#slab?.release();
    this.#slab = undefined;
    this.#frameEnd = 0;
  }

  #moveRaw(to: Buffer, position: number): void {
    let length = this.#rawEnd - this.#rawStart;
    if (length > to.length - position - READ_BYTES_MIN) {
      this.#overrunBytes += length;
      length = 0;
    }
    if (length > 0) this.#buffer.copy(to, position, this.#rawStart, this.#rawStart + length);
    this.#buffer = to;
    this.#rawStart = position;
    this.#rawEnd = position + length;
  }
}
