import { NvrdError } from "../../base/index.js";
import { fullBox, u32, writeU64 } from "./box.js";

/** Samples of one track: each takes up to 24 bytes in memory and in the file. */
const SAMPLES_MAX = 1_000_000;
const FIRST_NUMBERS = 1024;

/** A sample where it lies among the bytes of its movie. */
export interface PlacedSample {
  readonly bytes: number;
  /** Its decode time in ticks of the track; never less than that of the sample before. */
  readonly ticks: number;
  /** Presentation minus decode time. */
  readonly compositionTicks: number;
  /** Video: a key frame. Sound: always true. */
  readonly sync: boolean;
  /** Index of its sample entry, from 1 on. */
  readonly description: number;
  /** Where it lies behind the movie's header. */
  readonly position: number;
}

/**
 * The tables of one track of a movie that is complete (ISO/IEC 14496-12, 8.6 and 8.7): a player finds each sample without reading
 * the file. Samples that follow one another in the file are a chunk.
 */
export class SampleTables {
  readonly #sizes = new Numbers();
  readonly #syncs = new Numbers();
  readonly #durations = new Runs();
  readonly #compositions = new Runs();
  /** Samples of each chunk, with their entry: of runs of equal chunks, the first. */
  readonly #chunks = new Numbers();
  readonly #positions: number[] = [];
  #inChunk = 0;
  #description = 1;
  #lastChunk = { samples: 0, description: 0 };
  #nextPosition = -1;
  #lastTicks = 0;
  #isReordered = false;

  get count(): number {
    return this.#sizes.length;
  }

  /** Throws NvrdError BAD_REQUEST beyond the samples of one track. */
  add(sample: PlacedSample): void {
    const { bytes, ticks, compositionTicks, sync, description, position } = sample;
    if (this.count >= SAMPLES_MAX)
      throw new NvrdError("BAD_REQUEST", `the file would have more than ${SAMPLES_MAX} pictures`, {
        hint: "ask for a shorter time",
      });
    if (position !== this.#nextPosition || description !== this.#description) {
      this.#closeChunk();
      this.#positions.push(position);
      this.#description = description;
    }
    if (this.count > 0) this.#durations.add(ticks - this.#lastTicks);
    this.#sizes.push(bytes);
    if (sync) this.#syncs.push(this.count);
    this.#compositions.add(compositionTicks);
    this.#isReordered ||= compositionTicks !== 0;
    this.#inChunk += 1;
    this.#lastTicks = ticks;
    this.#nextPosition = position + bytes;
  }

  /** To be called once, behind the last sample. */
  end(ticks: number): void {
    this.#closeChunk();
    if (this.count > 0) this.#durations.add(Math.max(0, ticks - this.#lastTicks));
  }

  /** What follows the sample entries; `headBytes`: those of the header before the samples. `isLarge`: places have 64 bits. */
  boxes(headBytes: number, isLarge: boolean): Buffer[] {
    const count = this.count;
    const syncs = this.#syncs.length;
    return [
      this.#durations.box("stts"),
      ...(this.#isReordered ? [this.#compositions.box("ctts")] : []),
      ...(syncs === count ? [] : [fullBox("stss", {}, u32(syncs), this.#syncs.bytes())]),
      fullBox("stsc", {}, u32(this.#chunks.length / 3), this.#chunks.bytes()),
      fullBox("stsz", {}, u32(0, count), this.#sizes.bytes()),
      fullBox(isLarge ? "co64" : "stco", {}, u32(this.#positions.length), this.#places(headBytes, isLarge)),
    ];
  }

  #places(headBytes: number, isLarge: boolean): Buffer {
    const bytes = Buffer.alloc(this.#positions.length * (isLarge ? 8 : 4));
    for (const [at, position] of this.#positions.entries())
      if (isLarge) writeU64(bytes, headBytes + position, at * 8);
      else bytes.writeUInt32BE(headBytes + position, at * 4);
    return bytes;
  }

  #closeChunk(): void {
    if (this.#inChunk === 0) return;
    const { samples, description } = this.#lastChunk;
    if (samples !== this.#inChunk || description !== this.#description)
      this.#chunks.push(this.#positions.length, this.#inChunk, this.#description);
    this.#lastChunk = { samples: this.#inChunk, description: this.#description };
    this.#inChunk = 0;
  }
}

/** A growing list of unsigned 32-bit numbers. */
class Numbers {
  #values = new Uint32Array(FIRST_NUMBERS);
  length = 0;

  push(...values: readonly number[]): void {
    if (this.length + values.length > this.#values.length) {
      const grown = new Uint32Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    for (const value of values) this.#values[this.length++] = value;
  }

  /** Big-endian. */
  bytes(): Buffer {
    return Buffer.from(this.#values.slice(0, this.length).buffer).swap32();
  }
}

/** Numbers as runs of equal ones: how many, which. */
class Runs {
  readonly #rows = new Numbers();
  #value = 0;
  #count = 0;

  add(value: number): void {
    if (value !== this.#value) this.#close();
    this.#value = value;
    this.#count += 1;
  }

  box(type: string): Buffer {
    this.#close();
    return fullBox(type, {}, u32(this.#rows.length / 2), this.#rows.bytes());
  }

  #close(): void {
    if (this.#count > 0) this.#rows.push(this.#count, this.#value);
    this.#count = 0;
  }
}
