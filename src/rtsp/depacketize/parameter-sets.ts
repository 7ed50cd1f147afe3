import type { SequenceParameters, VideoFormat } from "../../live/index.js";

/** Largest parameter set that is kept; usual ones have some dozens of bytes. */
export const PARAMETER_SET_BYTES_MAX = 4096;
/** Most parameter sets kept of one kind. */
export const PARAMETER_SETS_MAX = 32;

/** Kinds of parameter sets, in the order a decoder needs them. */
export type ParameterSetKind = 0 | 1 | 2;
export const VPS: ParameterSetKind = 0;
export const SPS: ParameterSetKind = 1;
export const PPS: ParameterSetKind = 2;

export interface ParameterSetsOptions {
  readonly codec: VideoFormat["codec"];
  /** Kinds without which nothing can be decoded. */
  readonly required: readonly ParameterSetKind[];
  /** The id in a set, NAL header included. */
  setId(kind: ParameterSetKind, nal: Buffer): number;
  parseSps(nal: Uint8Array): SequenceParameters | undefined;
  /** A VPS for an SPS of a camera that sends none; absent where there is no such kind. */
  makeVps?(sps: Uint8Array): Buffer | undefined;
}

const START_CODE = Buffer.from([0, 0, 0, 1]);

/**
 * The newest parameter sets of one track, by kind and id, from SDP and stream, and the VideoFormat built from them. The
 * format stays the same object while their bytes are the same.
 */
export class ParameterSets {
  readonly #options: ParameterSetsOptions;
  readonly #sets: readonly [Map<number, Buffer>, Map<number, Buffer>, Map<number, Buffer>] = [
    new Map(),
    new Map(),
    new Map(),
  ];
  #format: VideoFormat | undefined;
  #newestSps: Buffer | undefined;
  #reorderDepth = 0;
  #mayHaveFields = true;

  constructor(options: ParameterSetsOptions) {
    this.#options = options;
  }

  /** Reorder depth in the newest SPS; 0 if it does not say. */
  get reorderDepth(): number {
    return this.#reorderDepth;
  }

  /** The newest set with this id. */
  set(kind: ParameterSetKind, id: number): Buffer | undefined {
    return this.#sets[kind].get(id);
  }

  /** Whether a picture may be a field of a frame, by the newest SPS; true while none is known. */
  get mayHaveFields(): boolean {
    return this.format === undefined || this.#mayHaveFields;
  }

  /** The format; undefined while a required kind is missing. */
  get format(): VideoFormat | undefined {
    this.#format ??= this.#build();
    return this.#format;
  }

  /**
   * Learns the set `buffer[start .. end)`, NAL header included, without start code; zeros after it are left out. Most are known:
   * cameras repeat them before each key frame, and what is known is not read again.
   */
  learn(kind: ParameterSetKind, buffer: Buffer, start: number, end: number): void {
    let last = end;
    while (last > start && buffer[last - 1] === 0) last -= 1;
    if (last === start || last - start > PARAMETER_SET_BYTES_MAX) return;
    const sets = this.#sets[kind];
    for (const known of sets.values()) if (known.compare(buffer, start, last) === 0) return;
    const bytes = Buffer.from(buffer.subarray(start, last));
    const id = this.#options.setId(kind, bytes);
    if (!sets.has(id) && sets.size >= PARAMETER_SETS_MAX) return;
    sets.set(id, bytes);
    if (kind === SPS) this.#newestSps = bytes;
    this.#format = undefined;
  }

  #build(): VideoFormat | undefined {
    if (this.#sets[VPS].size === 0 && this.#newestSps !== undefined) {
      const made = this.#options.makeVps?.(this.#newestSps);
      if (made !== undefined) this.#sets[VPS].set(this.#options.setId(VPS, made), made);
    }
    if (this.#options.required.some((kind) => this.#sets[kind].size === 0)) return undefined;
    const pieces: Buffer[] = [];
    for (const sets of this.#sets) for (const bytes of sets.values()) pieces.push(START_CODE, bytes);
    const sequence = this.#newestSps === undefined ? undefined : this.#options.parseSps(this.#newestSps);
    this.#reorderDepth = sequence?.reorderDepth ?? 0;
    this.#mayHaveFields = sequence?.mayHaveFields ?? true;
    return {
      codec: this.#options.codec,
      width: sequence?.width ?? 0,
      height: sequence?.height ?? 0,
      initialization: Buffer.concat(pieces),
    };
  }
}
