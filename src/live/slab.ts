import { fillingView, returnPages } from "../base/index.js";

/** Holders of frames ask this before they keep more. */
export interface FrameMemory {
  /** Memory for frames is short: what is kept for viewers is dropped, so that recording continues. */
  readonly isShort: boolean;
}

/** Where nobody else needs the memory. */
const AMPLE_FRAME_MEMORY: FrameMemory = { isShort: false };

/**
 * A large block of shared memory: a camera's socket is read into it, and frames stay in it until their last subscriber
 * releases them. Shared, so that a volume's writer thread can write from it without a copy.
 */
export class Slab {
  /** Unique in the process; a writer thread knows slabs by it. */
  readonly id: number;
  /** The slab as passed to other threads. */
  readonly memory: SharedArrayBuffer;
  /** The whole slab as this thread reads and fills it; same offsets as in `memory`. */
  readonly bytes: Buffer;
  #leases = 0;
  readonly #onIdle: (slab: Slab) => void;
  readonly #frameMemory: FrameMemory;

  constructor(
    id: number,
    byteLength: number,
    onIdle: (slab: Slab) => void,
    frameMemory = AMPLE_FRAME_MEMORY,
  ) {
    this.id = id;
    this.#frameMemory = frameMemory;
    this.memory = new SharedArrayBuffer(byteLength);
    this.bytes = fillingView(Buffer.from(this.memory));
    this.#onIdle = onIdle;
  }

  get leases(): number {
    return this.#leases;
  }

  /** Whether memory is short in this slab's pool. */
  get isMemoryShort(): boolean {
    return this.#frameMemory.isShort;
  }

  retain(): void {
    this.#leases += 1;
  }

  /** Gives one lease back; with the last one the slab returns to its pool. */
  release(): void {
    if (this.#leases === 0) throw new Error(`slab ${this.id} released more often than retained`);
    this.#leases -= 1;
    if (this.#leases === 0) this.#onIdle(this);
  }
}

export interface SlabPoolOptions {
  /** Size of each slab in bytes. */
  readonly slabBytes: number;
  /** Most bytes the pool ever hands out; beyond it `take` returns undefined. */
  readonly totalBytesMax: number;
}

export const SLAB_BYTES_DEFAULT = 256 * 1024;
export const SLAB_POOL_BYTES_MAX_DEFAULT = 1024 * 1024 * 1024;
/** With more than this share of the pool in use, frames are kept only for recording: see `FrameMemory`. */
export const FRAMES_SHORT_ABOVE_SHARE = 0.75;
/** Idle slabs that keep their memory, so that a camera's next key frame causes no page faults. */
export const IDLE_SLABS_KEPT = 8;
/** Most slabs whose memory is given back in one step: some 5 ms of the main thread. */
export const SLABS_RETURNED_A_STEP = 256;

/** Hands out slabs and takes them back. This is the only limit on memory for frames. */
export class SlabPool implements FrameMemory {
  readonly slabBytes: number;
  /** As in the options. */
  readonly totalBytesMax: number;
  readonly #shortAboveSlabs: number;
  /** Idle slabs with resident memory; the last one used is taken first. */
  readonly #idle: Slab[] = [];
  /** Idle slabs whose pages were returned to the kernel. */
  readonly #returned: Slab[] = [];
  #slabs = 0;
  #nextId = 1;
  /** Fewest idle slabs since the last `returnIdle`: that many were not needed. */
  #idleLow = 0;
  #refusals = 0;

  constructor(options: SlabPoolOptions) {
    this.slabBytes = options.slabBytes;
    this.totalBytesMax = options.totalBytesMax;
    this.#shortAboveSlabs = (options.totalBytesMax / options.slabBytes) * FRAMES_SHORT_ABOVE_SHARE;
  }

  /** A slab with one lease, which the caller gives back. Undefined when the bound is reached: drop the frame. */
  take(): Slab | undefined {
    const slab = this.#idle.pop() ?? this.#returned.pop() ?? this.#make();
    if (slab === undefined) this.#refusals += 1;
    else slab.retain();
    if (this.#idle.length < this.#idleLow) this.#idleLow = this.#idle.length;
    return slab;
  }

  /** Bytes of all slabs that have memory, idle ones included. */
  get allocatedBytes(): number {
    return (this.#slabs - this.#returned.length) * this.slabBytes;
  }

  get idleBytes(): number {
    return this.#idle.length * this.slabBytes;
  }

  /** How often there was no slab to hand out. */
  get refusals(): number {
    return this.#refusals;
  }

  get isShort(): boolean {
    return this.#slabs - this.#idle.length - this.#returned.length > this.#shortAboveSlabs;
  }

  /**
   * Returns to the kernel the memory of slabs that were idle since the last call, except a few; returns the number of
   * bytes. The slabs stay valid, so threads that hold their memory need not know. Call it every few seconds.
   */
  returnIdle(): number {
    if (returnPages === undefined) return 0;
    const spare = Math.min(Math.max(0, this.#idleLow - IDLE_SLABS_KEPT), SLABS_RETURNED_A_STEP);
    let bytes = 0;
    // The first ones: the last ones used are at the end.
    for (const slab of this.#idle.splice(0, spare)) {
      bytes += returnPages(slab.bytes);
      this.#returned.push(slab);
    }
    this.#idleLow = this.#idle.length;
    return bytes;
  }

  #make(): Slab | undefined {
    if ((this.#slabs + 1) * this.slabBytes > this.totalBytesMax) return undefined;
    this.#slabs += 1;
    return new Slab(this.#nextId++, this.slabBytes, (slab) => this.#idle.push(slab), this);
  }
}
