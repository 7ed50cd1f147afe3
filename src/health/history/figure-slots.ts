import { crc32 } from "node:zlib";

/** What is remembered of the recorder, in the order in which a slot holds it. Never reordered: files have this order. */
const HISTORY_FIGURES = [
  "cpuPercent",
  "memoryPercent",
  "networkInBytesPerSecond",
  "networkOutBytesPerSecond",
  "diskWriteBytesPerSecond",
  "celsius",
  "depthDays",
] as const;
export type HistoryFigure = (typeof HISTORY_FIGURES)[number];

/** Null where a figure is not known. */
export type FigureValues = Readonly<Record<HistoryFigure, number | null>>;

export interface FigureSample {
  /** Number of the step that it is of, since 1970. */
  readonly step: number;
  /** Means over the step. */
  readonly means: FigureValues;
  /** The highest. */
  readonly peaks: FigureValues;
}

/** `step u32, 7 means f32, 7 peaks f32, CRC-32`. 512 holds a whole number of them, so a torn sector spoils no other sector's. */
export const SLOT_BYTES = 64;
const FLOAT_BYTES = 4;
const MEANS_AT = 4;
const PEAKS_AT = MEANS_AT + HISTORY_FIGURES.length * FLOAT_BYTES;
const CRC_AT = SLOT_BYTES - 4;

/**
 * Slots for so many steps, addressed by the step itself: a new sample takes the place of the one that is a whole round older.
 * Nothing but the slots is kept, so there is nothing else that could be wrong after a power cut. A slot that is damaged, or of
 * another round, counts as empty.
 */
export class FigureSlots {
  readonly #bytes: Buffer;
  readonly #count: number;

  /** `bytes`: `count` slots, which are changed in place. */
  constructor(bytes: Buffer, count: number) {
    this.#bytes = bytes;
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** Where the slot of a step begins. */
  offsetOf(step: number): number {
    return (step % this.#count) * SLOT_BYTES;
  }

  get(step: number): FigureSample | undefined {
    if (step < 0) return undefined;
    const at = this.offsetOf(step);
    const bytes = this.#bytes;
    if (bytes.readUInt32LE(at) !== step) return undefined;
    if (bytes.readUInt32LE(at + CRC_AT) !== crc32(bytes.subarray(at, at + CRC_AT))) return undefined;
    return { step, means: valuesAt(bytes, at + MEANS_AT), peaks: valuesAt(bytes, at + PEAKS_AT) };
  }

  put({ step, means, peaks }: FigureSample): void {
    const at = this.offsetOf(step);
    const bytes = this.#bytes;
    bytes.writeUInt32LE(step, at);
    HISTORY_FIGURES.forEach((name, index) => {
      bytes.writeFloatLE(means[name] ?? Number.NaN, at + MEANS_AT + index * FLOAT_BYTES);
      bytes.writeFloatLE(peaks[name] ?? Number.NaN, at + PEAKS_AT + index * FLOAT_BYTES);
    });
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + CRC_AT)), at + CRC_AT);
  }

  erase(step: number): void {
    const at = this.offsetOf(step);
    if (this.#bytes.readUInt32LE(at) === step) this.#bytes.fill(0, at, at + SLOT_BYTES);
  }
}

function valuesAt(bytes: Buffer, at: number): FigureValues {
  const entries = HISTORY_FIGURES.map((name, index) => {
    const value = bytes.readFloatLE(at + index * FLOAT_BYTES);
    return [name, Number.isFinite(value) ? value : null] as const;
  });
  return Object.fromEntries(entries) as unknown as FigureValues;
}

/** Mean of the means and highest of the peaks; undefined of nothing. */
export function summed(step: number, samples: readonly FigureSample[]): FigureSample | undefined {
  if (samples.length === 0) return undefined;
  const over = (pick: (sample: FigureSample) => FigureValues, of: (known: readonly number[]) => number) => {
    const entries = HISTORY_FIGURES.map((name) => {
      const known = samples.map((sample) => pick(sample)[name]).filter((value) => value !== null);
      return [name, known.length === 0 ? null : of(known)] as const;
    });
    return Object.fromEntries(entries) as unknown as FigureValues;
  };
  return {
    step,
    means: over(
      ({ means }) => means,
      (known) => known.reduce((sum, value) => sum + value, 0) / known.length,
    ),
    peaks: over(
      ({ peaks }) => peaks,
      (known) => Math.max(...known),
    ),
  };
}
