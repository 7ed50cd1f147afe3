import { comparePositions, type EventPosition } from "./event-key.js";

/** An ordered source of positions. */
export interface PositionSource {
  /** The next positions; `isEnd` if there are no more after them. If empty without `isEnd`, read again. */
  read(): { readonly positions: readonly EventPosition[]; readonly isEnd: boolean };
}

interface Run {
  readonly source: PositionSource;
  positions: readonly EventPosition[];
  at: number;
  isEnd: boolean;
}

/** Merges ordered sources into one order, without duplicates, in small steps, so that the caller can yield between them. */
export class PositionMerge {
  readonly #sign: number;
  /** A binary heap: the run with the next position first. */
  readonly #heap: Run[] = [];
  /** Runs that must be read before the next position is known. */
  readonly #starving: Run[];
  #last: EventPosition | undefined;

  constructor(sources: readonly PositionSource[], options: { readonly reverse: boolean }) {
    this.#sign = options.reverse ? -1 : 1;
    this.#starving = sources.map((source) => ({ source, positions: [], at: 0, isEnd: false }));
  }

  /** One position; "working" when a source was read instead; undefined at the end. */
  step(): EventPosition | "working" | undefined {
    const starving = this.#starving.pop();
    if (starving !== undefined) {
      this.#feed(starving);
      return "working";
    }
    const run = this.#heap[0];
    const position = run?.positions[run.at];
    if (run === undefined || position === undefined) return undefined;
    run.at += 1;
    if (run.at >= run.positions.length) this.#leave(run);
    this.#sink(0);
    if (this.#last !== undefined && comparePositions(this.#last, position) === 0) return "working";
    this.#last = position;
    return position;
  }

  #feed(run: Run): void {
    const { positions, isEnd } = run.source.read();
    run.positions = positions;
    run.at = 0;
    run.isEnd = isEnd;
    if (positions.length > 0) this.#rise(this.#heap.push(run) - 1);
    else if (!isEnd) this.#starving.push(run);
  }

  /** Removes the first run, which is exhausted, from the heap. */
  #leave(run: Run): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== run) this.#heap[0] = last;
    if (!run.isEnd) this.#starving.push(run);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      if (left >= this.#heap.length) return;
      const child = left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const first = this.#positionAt(a);
    const second = this.#positionAt(b);
    if (first === undefined || second === undefined) return false;
    return this.#sign * comparePositions(first, second) < 0;
  }

  #positionAt(at: number): EventPosition | undefined {
    const run = this.#heap[at];
    return run?.positions[run.at];
  }

  #swap(a: number, b: number): void {
    const first = this.#heap[a];
    const second = this.#heap[b];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
