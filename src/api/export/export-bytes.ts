import type { RecordedAccess, RecordedFile } from "../../archive/index.js";
import { fillingView, NvrdError } from "../../base/index.js";
import type { ByteRange } from "../../http/index.js";
import { fillHeader, MovieUnit, sampleBytes, unitBytes } from "../../mp4/index.js";
import type { ExportPlan, PlannedUnit } from "./export-plan.js";

/**
 * Memory of one export. Two units that fit are read in turn, so that one is read while the other is sent; a unit of more than
 * half of it is read alone, and one that does not fit three times, a piece of this length after the other.
 */
export const EXPORT_MEMORY_BYTES = 4 * 1024 * 1024;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * The bytes of an export, made from the recordings while they are sent: the same for the same plan, from any byte on.
 * One reading at a time.
 */
export class ExportBytes {
  readonly #plan: ExportPlan;
  readonly #recordings: RecordedAccess;
  readonly #gone: AbortSignal | undefined;
  readonly #memories: UnitMemory[] = [];
  #longest: number | undefined;
  #turn = 0;
  /** The unit behind the one that is being sent. */
  #ahead: { readonly at: number; readonly pieces: Promise<Uint8Array[]> } | undefined;
  #open: { readonly segmentId: number; readonly file: RecordedFile } | undefined;

  constructor(plan: ExportPlan, recordings: RecordedAccess, gone?: AbortSignal) {
    this.#plan = plan;
    this.#recordings = recordings;
    this.#gone = gone;
  }

  /**
   * The bytes of a range, in pieces that are valid until the next ones are requested. Throws NvrdError NOT_FOUND if a recording
   * was deleted meanwhile, NOT_AVAILABLE if a disk fails; the bytes returned so far are correct.
   */
  async *read(range: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    const { layout, units } = this.#plan;
    try {
      if (range.from < layout.head.length) yield [layout.head.subarray(range.from, range.to)];
      let at = layout.unitAt(Math.max(range.from, layout.head.length));
      for (; at < units.length && layout.startOf(at) < range.to; at++) {
        const cutter = new Cutter(layout.startOf(at), range);
        for await (const pieces of this.#unit(at, range)) {
          const wanted = cutter.cut(pieces);
          if (wanted.length > 0) yield wanted;
        }
        if (cutter.position !== layout.startOf(at + 1))
          throw new NvrdError("NOT_AVAILABLE", "the recording changed while it was read");
      }
    } finally {
      // What is read ahead has opened a file, or will; what went wrong with it concerns nobody any more.
      await this.#ahead?.pieces.catch(() => undefined);
      this.#close();
    }
  }

  async *#unit(at: number, range: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    const { units, layout } = this.#plan;
    const planned = units[at];
    if (planned === undefined) return;
    if (unitBytes(planned.piece.bytesMax) > this.#memoryBytes) return yield* this.#readTwice(planned);
    const pieces = await (this.#ahead?.at === at ? this.#ahead.pieces : this.#readOnce(planned));
    this.#ahead = undefined;
    const next = units[at + 1];
    if (next !== undefined && this.#readsAhead && layout.startOf(at + 1) < range.to)
      this.#ahead = { at: at + 1, pieces: quiet(this.#readOnce(next)) };
    yield pieces;
  }

  /** A whole unit, read into memory and made there: its head, and all behind that in one piece. */
  async #readOnce(planned: PlannedUnit): Promise<Uint8Array[]> {
    const file = await this.#fileOf(planned);
    const unit = new MovieUnit(planned.options);
    const memory = this.#nextMemory();
    const sound: Uint8Array[] = [];
    let windows = 0;
    let end = 0;
    for await (const frames of this.#windows(planned, file, memory)) {
      windows += 1;
      // A second window would overwrite the frames of the first, which are not sent yet.
      if (windows > 1)
        throw new NvrdError("INTERNAL", "a piece of a recording is longer than the index says");
      for (const frame of frames) {
        const kind = unit.trackOf(frame);
        if (kind === undefined) continue;
        const sample = unit.add(frame);
        // Sound comes behind the pictures, which move to the front over it.
        if (kind === "audio") sound.push(new Uint8Array(sample));
        else end = memory.put(sample, end);
      }
    }
    for (const sample of sound) end = memory.put(sample, end);
    return [unit.head(), memory.filledUp(end, unit.fillBytes)];
  }

  /** A unit too long for memory: first its frames are counted, then the pictures are sent, then the sound. */
  async *#readTwice(planned: PlannedUnit): AsyncGenerator<readonly Uint8Array[]> {
    const file = await this.#fileOf(planned);
    const unit = new MovieUnit(planned.options);
    const memory = this.#nextMemory();
    for await (const frames of this.#windows(planned, file, memory)) {
      for (const frame of frames) if (unit.trackOf(frame) !== undefined) unit.add(frame);
    }
    yield [unit.head()];
    for (const kind of ["video", "audio"]) {
      for await (const frames of this.#windows(planned, file, memory))
        yield frames.filter((frame) => unit.trackOf(frame) === kind).map(sampleBytes);
    }
    let left = unit.fillBytes;
    const header = fillHeader(left);
    yield [header];
    for (left -= header.length; left > 0; left -= ZEROS.length) yield [ZEROS.subarray(0, left)];
  }

  /** The frames of a piece, as many at once as the memory holds. */
  async *#windows({ piece }: PlannedUnit, file: RecordedFile, memory: UnitMemory) {
    for (let position = file.start(piece); position < piece.endOffset; ) {
      const read = await file.read(piece, position, memory.shared);
      if (read.neededBytes > 0) memory.growTo(read.neededBytes);
      else yield read.frames;
      position = read.position;
    }
  }

  /** Of each memory: what the longest unit needs, if that is not too much. */
  get #memoryBytes(): number {
    this.#longest ??= this.#plan.units.reduce(
      (most, { piece }) => Math.max(most, unitBytes(piece.bytesMax)),
      0,
    );
    return Math.min(EXPORT_MEMORY_BYTES, this.#longest);
  }

  get #readsAhead(): boolean {
    return this.#memoryBytes * 2 <= EXPORT_MEMORY_BYTES;
  }

  /** The memory that was not used last, where two fit. */
  #nextMemory(): UnitMemory {
    this.#turn = this.#readsAhead ? 1 - this.#turn : 0;
    const memory = this.#memories[this.#turn] ?? new UnitMemory(this.#memoryBytes);
    this.#memories[this.#turn] = memory;
    return memory;
  }

  async #fileOf({ segment }: PlannedUnit): Promise<RecordedFile> {
    if (this.#open?.segmentId === segment.segmentId) return this.#open.file;
    this.#close();
    const file = await this.#recordings.openRecorded(segment, this.#gone);
    this.#open = { segmentId: segment.segmentId, file };
    return file;
  }

  #close(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }
}

/** Memory that records are read into, and that a unit is made in from them. */
class UnitMemory {
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

  /**
   * Moves a sample to `at`; returns where it ends. Samples lie behind the headers of their records, so that those put one after
   * the other from 0 on never reach a record that is still to come.
   */
  put(sample: Uint8Array, at: number): number {
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

/** A promise that is awaited later, or not at all: its failure is then nobody's. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Cuts pieces that follow one another to a range. */
class Cutter {
  position: number;
  readonly #range: ByteRange;

  constructor(position: number, range: ByteRange) {
    this.position = position;
    this.#range = range;
  }

  cut(pieces: readonly Uint8Array[]): Uint8Array[] {
    const wanted: Uint8Array[] = [];
    for (const piece of pieces) {
      const from = Math.max(0, this.#range.from - this.position);
      const to = Math.min(piece.length, this.#range.to - this.position);
      if (to > from) wanted.push(piece.subarray(from, to));
      this.position += piece.length;
    }
    return wanted;
  }
}
