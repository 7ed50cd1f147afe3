import { loadNativeAddon } from "../base/index.js";

/** Answers an ArrayBuffer over the same memory as `shared`. */
type UnsharedView = (shared: Uint8Array) => unknown;
/** Gives the pages of the memory back to the kernel; returns how many bytes that were. The memory reads as zeros then. */
type ReturnPages = (bytes: Uint8Array) => unknown;

const { unsharedView, returnPages } = loadNativeAddon().functions;

/**
 * A view for the thread that fills the slab: V8 moves bytes of shared memory one by one (485 ns for 1400 unaligned
 * bytes, against 56 ns through this view; Node 20, x86-64). Without the addon the shared view itself serves.
 */
function fillingView(shared: Buffer): Buffer {
  if (typeof unsharedView !== "function") return shared;
  const memory = (unsharedView as UnsharedView)(shared);
  return memory instanceof ArrayBuffer ? Buffer.from(memory) : shared;
}

/** What those who keep frames ask before they keep more. */
export interface FrameMemory {
  /** Memory for frames is short: what is kept for viewers is dropped, so that recording continues. */
  readonly isShort: boolean;
}

/** Where nobody else needs the memory. */
const AMPLE_FRAME_MEMORY: FrameMemory = { isShort: false };

/**
 * A slab is a large piece of shared memory that a camera's socket is read into and frames lie in until the
 * last subscriber has let go. Shared, so that a volume's writer thread writes it as it is.
 */
export class Slab {
  /** Unique in the process; a writer thread knows slabs by it. */
  readonly id: number;
  /** The slab as other threads are given it. */
  readonly memory: SharedArrayBuffer;
  /** The whole slab as this thread reads and fills it: offsets are those of `memory`. */
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

  /** Whether memory is short where this slab is from. */
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
/** With more than this share of the pool in use, frames are kept for recording alone: see `FrameMemory`. */
export const FRAMES_SHORT_ABOVE_SHARE = 0.75;
/** Idle slabs that keep their memory: a camera's next key frame costs no page faults. */
export const IDLE_SLABS_KEPT = 8;
/** Most slabs whose memory is given back in one step: some 5 ms of the main thread. */
export const SLABS_RETURNED_A_STEP = 256;

/** Hands out slabs and takes them back; the one bound on what frames may occupy. */
export class SlabPool implements FrameMemory {
  readonly slabBytes: number;
  /** As in the options. */
  readonly totalBytesMax: number;
  readonly #shortAboveSlabs: number;
  /** Used before and resident; the one used last is taken first. */
  readonly #idle: Slab[] = [];
  /** Idle, their pages given back to the kernel. */
  readonly #returned: Slab[] = [];
  #slabs = 0;
  #nextId = 1;
  /** Fewest idle slabs since the last step: so many were not needed meanwhile. */
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
   * Gives the memory of slabs back that were idle ever since the last call, but for a few; returns how many bytes. The
   * slabs stay: threads that know them by their memory need not be told. Call it every few seconds.
   */
  returnIdle(): number {
    const spare = Math.min(this.#idleLow - IDLE_SLABS_KEPT, SLABS_RETURNED_A_STEP);
    this.#idleLow = this.#idle.length;
    if (spare <= 0 || typeof returnPages !== "function") return 0;
    let bytes = 0;
    // The first ones: those used last lie at the end.
    for (const slab of this.#idle.splice(0, spare)) {
      bytes += Number((returnPages as ReturnPages)(slab.bytes));
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
