import type { RecordedAccess, RecordedFile } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import type { ByteRange } from "../../http/index.js";
import { fillHeader, MovieUnit, sampleBytes } from "../../mp4/index.js";
import type { ExportPlan, PlannedUnit } from "./export-plan.js";

/** Memory of one export: a unit that fits is read once, a longer one three times, a piece of this length after the other. */
export const EXPORT_MEMORY_BYTES = 4 * 1024 * 1024;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * The bytes of an export, made from the recordings while they are sent: the same for the same plan, from any byte on.
 * One reading at a time.
 */
export class ExportBytes {
  readonly #plan: ExportPlan;
  readonly #recordings: RecordedAccess;
  #memory: SharedArrayBuffer | undefined;
  #open: { readonly segmentId: number; readonly file: RecordedFile } | undefined;

  constructor(plan: ExportPlan, recordings: RecordedAccess) {
    this.#plan = plan;
    this.#recordings = recordings;
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
        const unit = units[at];
        if (unit === undefined) return;
        const cutter = new Cutter(layout.startOf(at), range);
        for await (const pieces of this.#unit(unit)) {
          const wanted = cutter.cut(pieces);
          if (wanted.length > 0) yield wanted;
        }
        if (cutter.position !== layout.startOf(at + 1))
          throw new NvrdError("NOT_AVAILABLE", "the recording changed while it was read");
      }
    } finally {
      this.#close();
    }
  }

  async *#unit(planned: PlannedUnit): AsyncGenerator<readonly Uint8Array[]> {
    const file = await this.#fileOf(planned);
    const unit = new MovieUnit(planned.options);
    if (planned.piece.bytesMax <= EXPORT_MEMORY_BYTES) yield await this.#readOnce(planned, file, unit);
    else yield* this.#readTwice(planned, file, unit);
    let left = unit.fillBytes;
    const header = fillHeader(left);
    yield [header];
    for (left -= header.length; left > 0; left -= ZEROS.length) yield [ZEROS.subarray(0, left)];
  }

  /** Head and samples of a unit that is completely read into memory. */
  async #readOnce(planned: PlannedUnit, file: RecordedFile, unit: MovieUnit): Promise<Uint8Array[]> {
    const video: Uint8Array[] = [];
    const audio: Uint8Array[] = [];
    let windows = 0;
    for await (const frames of this.#windows(planned, file)) {
      windows += 1;
      // A second window would overwrite the frames of the first, which are not sent yet.
      if (windows > 1)
        throw new NvrdError("INTERNAL", "a piece of a recording is longer than the index says");
      for (const frame of frames) {
        const kind = unit.trackOf(frame);
        if (kind !== undefined) (kind === "video" ? video : audio).push(unit.add(frame));
      }
    }
    return [unit.head(), ...video, ...audio];
  }

  /** A unit too long for memory: first its frames are counted, then the pictures are sent, then the sound. */
  async *#readTwice(
    planned: PlannedUnit,
    file: RecordedFile,
    unit: MovieUnit,
  ): AsyncGenerator<readonly Uint8Array[]> {
    for await (const frames of this.#windows(planned, file)) {
      for (const frame of frames) if (unit.trackOf(frame) !== undefined) unit.add(frame);
    }
    yield [unit.head()];
    for (const kind of ["video", "audio"]) {
      for await (const frames of this.#windows(planned, file))
        yield frames.filter((frame) => unit.trackOf(frame) === kind).map(sampleBytes);
    }
  }

  /** The frames of a piece, as many at once as the memory holds. */
  async *#windows({ piece }: PlannedUnit, file: RecordedFile) {
    for (let position = file.start(piece); position < piece.endOffset; ) {
      const read = await file.read(piece, position, this.#memoryFor(EXPORT_MEMORY_BYTES));
      if (read.neededBytes > 0) this.#memory = new SharedArrayBuffer(read.neededBytes);
      else yield read.frames;
      position = read.position;
    }
  }

  /** At most what the longest unit needs, or a longer frame has needed. */
  #memoryFor(bytesMax: number): SharedArrayBuffer {
    if (this.#memory === undefined) {
      const longest = this.#plan.units.reduce((most, { piece }) => Math.max(most, piece.bytesMax), 0);
      this.#memory = new SharedArrayBuffer(Math.min(bytesMax, longest));
    }
    return this.#memory;
  }

  async #fileOf({ segment }: PlannedUnit): Promise<RecordedFile> {
    if (this.#open?.segmentId === segment.segmentId) return this.#open.file;
    this.#close();
    const file = await this.#recordings.openRecorded(segment);
    this.#open = { segmentId: segment.segmentId, file };
    return file;
  }

  #close(): void {
    this.#open?.file.close();
    this.#open = undefined;
  }
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
