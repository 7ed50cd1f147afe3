import { loadNativeAddon } from "../base/index.js";

/** Answers an ArrayBuffer over the same memory as `shared`. */
type UnsharedView = (shared: Uint8Array) => unknown;

const { unsharedView } = loadNativeAddon().functions;

/**
 * A view for the thread that fills the slab: V8 moves bytes of shared memory one by one (485 ns for 1400 unaligned
 * bytes, against 56 ns through this view; Node 20, x86-64). Without the addon the shared view itself serves.
 */
function fillingView(shared: Buffer): Buffer {
  if (typeof unsharedView !== "function") return shared;
  const memory = (unsharedView as UnsharedView)(shared);
  return memory instanceof ArrayBuffer ? Buffer.from(memory) : shared;
}

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

  constructor(id: number, byteLength: number, onIdle: (slab: Slab) => void) {
    this.id = id;
    this.memory = new SharedArrayBuffer(byteLength);
    this.bytes = fillingView(Buffer.from(this.memory));
    this.#onIdle = onIdle;
  }

  get leases(): number {
    return this.#leases;
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
  /** Most bytes the pool ever hands out; beyond it `take` answers undefined. */
  readonly totalBytesMax: number;
}

export const SLAB_BYTES_DEFAULT = 256 * 1024;
export const SLAB_POOL_BYTES_MAX_DEFAULT = 1024 * 1024 * 1024;

/** Hands out slabs and takes them back; the one bound on what frames may occupy. */
export class SlabPool {
  readonly slabBytes: number;
  /** As in the options. */
  readonly totalBytesMax: number;
  readonly #idle: Slab[] = [];
  #slabs = 0;
  #nextId = 1;

  constructor(options: SlabPoolOptions) {
    this.slabBytes = options.slabBytes;
    this.totalBytesMax = options.totalBytesMax;
  }

  /** A slab with one lease, which the caller gives back. Undefined when the bound is reached: drop the frame. */
  take(): Slab | undefined {
    const slab = this.#idle.pop() ?? this.#make();
    slab?.retain();
    return slab;
  }

  /** Bytes of all slabs that exist, idle ones included. */
  get allocatedBytes(): number {
    return this.#slabs * this.slabBytes;
  }

  get idleBytes(): number {
    return this.#idle.length * this.slabBytes;
  }

  #make(): Slab | undefined {
    if ((this.#slabs + 1) * this.slabBytes > this.totalBytesMax) return undefined;
    this.#slabs += 1;
    return new Slab(this.#nextId++, this.slabBytes, (slab) => this.#idle.push(slab));
  }
}
