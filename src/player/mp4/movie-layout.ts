import type { Movie } from "./movie-header.js";
import { movieHeader } from "./movie-header.js";
import { INDEX_REFERENCES_MAX, type IndexReference, segmentIndexBox } from "./segment-index-box.js";

/** Most units of a movie: the limit of its index. */
export const MOVIE_UNITS_MAX = INDEX_REFERENCES_MAX;

/**
 * The position of each unit of a movie, known in advance: header, index if all tracks begin with the movie, then the units
 * one after the other.
 */
export class MovieLayout {
  /** Everything before the first unit. */
  readonly head: Buffer;
  /** Bytes of the whole file. */
  readonly byteLength: number;
  readonly #starts: Float64Array;

  /** Throws RangeError for more than MOVIE_UNITS_MAX units. */
  constructor(movie: Movie, units: readonly IndexReference[]) {
    const header = movieHeader(movie);
    const indexed = movie.tracks.find(({ kind }) => kind === "video")?.id ?? 1;
    // Players take the index's time for that of every track: one that begins later would end later too.
    const hasIndex = movie.tracks.every(({ isFromStart = true }) => isFromStart);
    this.head = hasIndex ? Buffer.concat([header, segmentIndexBox(indexed, units)]) : header;
    this.#starts = new Float64Array(units.length + 1);
    let at = this.head.length;
    for (const [index, { bytes }] of units.entries()) {
      this.#starts[index] = at;
      at += bytes;
    }
    this.#starts[units.length] = at;
    this.byteLength = at;
  }

  /** Start of a unit; for the number of units, the end of the file. */
  startOf(unit: number): number {
    return this.#starts[unit] ?? this.byteLength;
  }

  /** The unit that contains a position after the head. */
  unitAt(position: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low;
  }
}
