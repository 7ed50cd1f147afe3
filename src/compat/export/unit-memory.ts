import { type Clock, type ClockTimer, fillingView, returnPages } from "../../base/index.js";
import { fillHeader, type MovieUnit, UNIT_WHOLE_BYTES_MAX, type UnitFrame } from "../../player/index.js";

/** Memories are made in steps of this, so that one fits the next export too. */
const MEMORY_STEP_BYTES = 512 * 1024;
/** What is kept for the next export, and for how long. */
const MEMORIES_KEPT_MAX = 8;
const KEPT_MS = 10_000;

/** Memories of exports that have ended, for those that follow at once. */
export class UnitMemories {
  readonly #clock: Clock;
  #kept: UnitMemory[] = [];
  #timer: ClockTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are kept. */
  get count(): number {
    return this.#kept.length;
  }

  /** One of at least so many bytes; its content is whatever was there. */
  take(bytes: number): UnitMemory {
    const at = this.#kept.findIndex((memory) => memory.byteLength >= bytes);
    const [found] = at < 0 ? [] : this.#kept.splice(at, 1);
    return found ?? new UnitMemory(Math.ceil(bytes / MEMORY_STEP_BYTES) * MEMORY_STEP_BYTES);
  }

  /** For whom nothing is read into it any more. */
  give(memory: UnitMemory): void {
    if (memory.byteLength > UNIT_WHOLE_BYTES_MAX || this.#kept.length >= MEMORIES_KEPT_MAX) {
      memory.returnPages();
      return;
    }
    this.#kept.push(memory);
    this.#timer?.clear();
    this.#timer = this.#clock.setTimeout(() => this.#release(), KEPT_MS);
  }

  stop(): void {
    this.#timer?.clear();
    this.#release();
  }

  #release(): void {
    for (const memory of this.#kept) memory.returnPages();
    this.#kept = [];
  }
}

/** Memory that records are read into, and that a unit is made in from them. */
export class UnitMemory {
  shared: SharedArrayBuffer;
  #bytes: Buffer;

  constructor(bytes: number) {
    this.shared = new SharedArrayBuffer(bytes);
    this.#bytes = fillingView(Buffer.from(this.shared));
  }

  /** For a frame that is longer than the index says of the piece. */
  growTo(bytes: number): void {
    this.shared = new SharedArrayBuffer(bytes);
    this.#bytes = fillingView(Buffer.from(this.shared));
  }

  get byteLength(): number {
    return this.shared.byteLength;
  }

  /**
   * For whom nobody needs it any more: its pages go back now. V8 frees it only after this thread and the volume's reader, which knows
   * it too, have collected garbage, which the reader seldom does.
   */
  returnPages(): void {
    returnPages?.(this.#bytes);
  }

  /**
   * Puts the samples of those frames that belong to `whole` one after the other, pictures first, and counts them in `unit`;
   * returns where they end.
   */
  collect(unit: MovieUnit, frames: readonly UnitFrame[], whole = unit): number {
    const sound: Uint8Array[] = [];
    let end = 0;
    for (const frame of frames) {
      const kind = whole.trackOf(frame);
      if (kind === undefined) continue;
      const sample = unit.add(frame);
      // Sound comes behind the pictures, which move to the front over it.
      if (kind === "audio") sound.push(new Uint8Array(sample));
      else end = this.#put(sample, end);
    }
    for (const sample of sound) end = this.#put(sample, end);
    return end;
  }

  upTo(end: number): Uint8Array {
    return this.#bytes.subarray(0, end);
  }

  /**
   * Moves a sample to `at`; returns where it ends. Samples lie behind the headers of their records, so that those put one after
   * the other from 0 on never reach a record that is still to come.
   */
  #put(sample: Uint8Array, at: number): number {
    const { buffer, byteOffset, length } = sample;
    if (buffer === this.shared) this.#bytes.copyWithin(at, byteOffset, byteOffset + length);
    else this.#bytes.set(sample, at);
    return at + length;
  }

  /** The memory up to `end`, and behind that the box that fills the unit up. */
  filledUp(end: number, fillBytes: number): Uint8Array {
    const header = fillHeader(fillBytes);
    this.#bytes.set(header, end);
    this.#bytes.fill(0, end + header.length, end + fillBytes);
    return this.#bytes.subarray(0, end + fillBytes);
  }
}
