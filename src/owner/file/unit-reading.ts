import type { ArchivedFrame, RecordedAccess, RecordedFile } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import { type PlannedUnit, readRecords, UnitMemory } from "../../compat/index.js";
import { MovieUnit } from "../../player/index.js";

export interface UnitReadingOptions {
  readonly recordings: Pick<RecordedAccess, "openRecorded">;
  /** Memory that is read into; more only for a frame that is longer. */
  readonly memoryBytes: number;
  /** Aborted: nobody wants it any more. */
  readonly signal: AbortSignal;
}

/** A frame that belongs to the track of its unit. */
export interface ReadFrame {
  readonly frame: ArchivedFrame;
  readonly kind: "video" | "audio";
  readonly file: RecordedFile;
  /** Those that were read with it. */
  readonly read: readonly ArchivedFrame[];
}

/** Reads the units of a plan, one after the other. */
export class UnitReading {
  readonly #options: UnitReadingOptions;
  readonly #memory: UnitMemory;
  #open: { readonly segmentId: number; readonly file: RecordedFile } | undefined;

  constructor(options: UnitReadingOptions) {
    this.#options = options;
    this.#memory = new UnitMemory(options.memoryBytes);
  }

  /** The frames of a unit; each is valid until the next one. `keyOnly`: its first picture alone. Rejects with NvrdError. */
  async *frames(unit: PlannedUnit, keyOnly = false): AsyncGenerator<ReadFrame> {
    const { piece, options } = unit;
    const file = await this.#fileOf(unit);
    const belongs = new MovieUnit(options);
    const isPicture = (frame: ArchivedFrame): boolean => belongs.trackOf(frame) === "video";
    for (let position = file.start(piece); position < piece.endOffset; ) {
      const at = { file, memory: this.#memory, piece, position };
      const limits = { memoryBytesMax: this.#options.memoryBytes };
      const read = await readRecords(at, keyOnly ? { ...limits, isLast: isPicture } : limits);
      for (const frame of read.frames) {
        if (this.#options.signal.aborted) throw new NvrdError("NOT_AVAILABLE", "nobody wants it any more");
        const kind = belongs.trackOf(frame);
        if (kind !== undefined) yield { frame, kind, file, read: read.frames };
        if (keyOnly && kind === "video") return;
      }
      position = read.position;
    }
  }

  close(): void {
    this.#open?.file.close();
    this.#open = undefined;
    this.#memory.returnPages();
  }

  async #fileOf({ segment }: PlannedUnit): Promise<RecordedFile> {
    const { segmentId } = segment;
    if (this.#open?.segmentId === segmentId) return this.#open.file;
    this.#open?.file.close();
    this.#open = undefined;
    const file = await this.#options.recordings.openRecorded(segment, this.#options.signal);
    this.#open = { segmentId, file };
    return file;
  }
}
