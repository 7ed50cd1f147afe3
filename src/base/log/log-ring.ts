/** Limits of the kept lines: some hours of a healthy recorder, minutes of a failing one. */
export const LOG_RING_LINES_MAX = 5000;
export const LOG_RING_BYTES_MAX = 2_000_000;
/** A longer line is cut: one request must not push out the rest. */
export const LOG_RING_LINE_LENGTH_MAX = 4000;

/** The newest lines of the log, in memory, for the support bundle. */
export class LogRing {
  readonly #lines: string[] = [];
  readonly #linesMax: number;
  /** Index of the oldest line once all places are taken. */
  #oldest = 0;
  #length = 0;

  constructor(linesMax = LOG_RING_LINES_MAX) {
    this.#linesMax = linesMax;
  }

  /** Adds a line, line break included. */
  add(line: string): void {
    const kept =
      line.length > LOG_RING_LINE_LENGTH_MAX ? `${line.slice(0, LOG_RING_LINE_LENGTH_MAX)}…\n` : line;
    if (this.#lines.length < this.#linesMax) this.#lines.push(kept);
    else {
      this.#length -= this.#lines[this.#oldest]?.length ?? 0;
      this.#lines[this.#oldest] = kept;
      this.#oldest = (this.#oldest + 1) % this.#linesMax;
    }
    this.#length += kept.length;
    if (this.#length > LOG_RING_BYTES_MAX) this.#dropHalf();
  }

  /** The lines, oldest first. */
  lines(): readonly string[] {
    return [...this.#lines.slice(this.#oldest), ...this.#lines.slice(0, this.#oldest)];
  }

  #dropHalf(): void {
    const kept = this.lines().slice(Math.ceil(this.#lines.length / 2));
    this.#lines.splice(0, this.#lines.length, ...kept);
    this.#oldest = 0;
    this.#length = kept.reduce((sum, line) => sum + line.length, 0);
  }
}
