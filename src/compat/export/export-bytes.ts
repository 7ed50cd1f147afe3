import type { RecordedAccess, RecordedFile, RecordedPiece } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import type { ByteRange } from "../../http/index.js";
import {
  fillHeader,
  MovieUnit,
  UNIT_PART_BYTES,
  UNIT_WHOLE_BYTES_MAX,
  type UnitFrame,
  unitBytes,
  unitFragments,
} from "../../player/index.js";
import type { ExportPlan, PlannedUnit } from "./export-plan.js";
import { readRecords } from "./piece-reading.js";
import type { UnitMemories, UnitMemory } from "./unit-memory.js";

/**
 * Memory of one export. Two units that fit are read in turn, so that one is read while the other is sent; a unit of more than
 * half of it is read alone, and one that does not fit a fragment after the other.
 */
export const EXPORT_MEMORY_BYTES = UNIT_WHOLE_BYTES_MAX;
/** Two of the longest frames: beyond it the duration of such a frame is taken from the end of its unit. */
const PART_MEMORY_BYTES_MAX = 34 * 1024 * 1024;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * The bytes of an export, made from the recordings while they are sent: the same for the same plan, from any byte on.
 * One reading at a time.
 */
export class ExportBytes {
  readonly #plan: ExportPlan;
  readonly #recordings: RecordedAccess;
  readonly #gone: AbortSignal | undefined;
  readonly #pool: UnitMemories;
  /** By turn. */
  readonly #memories = new Map<number, UnitMemory>();
  #longest: number | undefined;
  #turn = 0;
  /** The unit behind the one that is being sent. */
  #ahead: { readonly at: number; readonly pieces: Promise<Uint8Array[]> } | undefined;
  #open: { readonly segmentId: number; readonly file: RecordedFile } | undefined;

  constructor(plan: ExportPlan, recordings: RecordedAccess, pool: UnitMemories, gone?: AbortSignal) {
    this.#plan = plan;
    this.#recordings = recordings;
    this.#pool = pool;
    this.#gone = gone;
  }

  /**
   * The bytes of a range, in pieces that are valid until the next ones are requested. Throws NvrdError NOT_FOUND if a recording
   * was deleted meanwhile, NOT_AVAILABLE if a disk fails; the bytes returned so far are correct.
   */
  async *read(range: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    const { layout, units } = this.#plan;
    try {
      let at = layout.unitAt(Math.max(range.from, layout.head.length));
      // First of all the header: who asked for it waits, and the disk is not needed for it.
      if (range.from < layout.head.length) yield [layout.head.subarray(range.from, range.to)];
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
      for (const memory of this.#memories.values()) this.#pool.give(memory);
      this.#memories.clear();
    }
  }

  async *#unit(at: number, range: ByteRange): AsyncGenerator<readonly Uint8Array[]> {
    const { units, layout } = this.#plan;
    const planned = units[at];
    if (planned === undefined) return;
    if (unitFragments(planned.piece.bytesMax) > 1) return yield* this.#readInParts(planned);
    const pieces = await (this.#ahead?.at === at ? this.#ahead.pieces : this.#readOnce(planned));
    this.#ahead = undefined;
    if (this.#readsAhead && layout.startOf(at + 1) < range.to) this.#readAhead(at + 1);
    yield pieces;
  }

  /** Begins with a unit that is not asked for yet. */
  #readAhead(at: number): void {
    const planned = this.#plan.units[at];
    if (planned === undefined || unitFragments(planned.piece.bytesMax) > 1) return;
    this.#ahead = { at, pieces: quiet(this.#readOnce(planned)) };
  }

  /** A whole unit, read into memory and made there: its head, and all behind that in one piece. */
  async #readOnce(planned: PlannedUnit): Promise<Uint8Array[]> {
    const { piece } = planned;
    const file = await this.#fileOf(planned);
    const unit = new MovieUnit(planned.options);
    const memory = this.#nextMemory();
    const { frames } = await readRecords({ file, memory, piece, position: file.start(piece) });
    const end = memory.collect(unit, frames);
    return [unit.head(), memory.filledUp(end, unit.fillBytes)];
  }

  /** A unit too long for memory: one fragment after the other, each read and made there, and the box that fills the unit up. */
  async *#readInParts(planned: PlannedUnit): AsyncGenerator<readonly Uint8Array[]> {
    const { piece, options } = planned;
    const file = await this.#fileOf(planned);
    const memory = this.#nextMemory();
    const start = file.start(piece);
    const whole = new MovieUnit(options);
    let left = unitBytes(piece.bytesMax);
    for (let position = start; position < piece.endOffset; ) {
      const number = Math.floor((position - start) / UNIT_PART_BYTES);
      const until = start + (number + 1) * UNIT_PART_BYTES;
      const part = await readPart({ piece, whole }, { file, memory, position, until });
      const times = part.nextUs === undefined ? {} : { toUs: part.nextUs };
      const unit = new MovieUnit({ ...options, sequence: options.sequence + number, ...times });
      const end = memory.collect(unit, part.frames, whole);
      const head = unit.head();
      left -= head.length + end;
      yield [head, memory.upTo(end)];
      position = part.position;
    }
    const header = fillHeader(left);
    if (left < header.length) throw new RangeError(`a unit lacks ${header.length - left} bytes`);
    yield [header];
    for (left -= header.length; left > 0; left -= ZEROS.length) yield [ZEROS.subarray(0, left)];
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
    const memory = this.#memories.get(this.#turn) ?? this.#pool.take(this.#memoryBytes);
    this.#memories.set(this.#turn, memory);
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

/** The frames of one fragment, where the next one begins, and when its first picture is due, if there is one. */
interface UnitPart {
  readonly frames: readonly UnitFrame[];
  readonly position: number;
  readonly nextUs: number | undefined;
}

async function readPart(
  { piece, whole }: { readonly piece: RecordedPiece; readonly whole: MovieUnit },
  at: {
    readonly file: RecordedFile;
    readonly memory: UnitMemory;
    readonly position: number;
    readonly until: number;
  },
): Promise<UnitPart> {
  const { file, memory, position, until } = at;
  // The picture behind the last one says how long that lasts.
  const isDue = (frame: UnitFrame, start: number): boolean =>
    start >= until && whole.trackOf(frame) === "video";
  const options = { isLast: isDue, memoryBytesMax: PART_MEMORY_BYTES_MAX };
  const read = await readRecords({ file, memory, piece, position }, options);
  const behind = read.positions.findIndex((start) => start >= until);
  if (behind < 0) return { frames: read.frames, position: read.position, nextUs: undefined };
  const rest = read.frames.slice(behind);
  const nextUs = rest.find((frame) => whole.trackOf(frame) === "video")?.decodeTimeUs;
  return { frames: read.frames.slice(0, behind), position: read.positions[behind] ?? read.position, nextUs };
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
