const BAR_CELLS = 24;
const PERCENT_PATTERN = /^(\d{1,3}) % /;
/** Interval of the lines in a file or pipe. */
const PLAIN_INTERVAL_MS = 10_000;
const COLUMNS_DEFAULT = 80;
const CLEAR_TO_END = "\u001b[K";

/** The output: a terminal, or anything else. */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows the progress of a command: on a terminal as one line with a bar that is updated in place, otherwise as plain lines. */
export class ProgressLine {
  readonly #target: ProgressTarget;
  readonly #nowMs: () => number;
  #saidMs = Number.NEGATIVE_INFINITY;
  #isShown = false;

  /** `nowMs`: a monotonic clock. */
  constructor(target: ProgressTarget, nowMs: () => number) {
    this.#target = target;
    this.#nowMs = nowMs;
  }

  /** Shows a line. A line that begins with `45 % ` gets a bar. */
  show(line: string): void {
    if (this.#target.isTTY === true) {
      const columns = this.#target.columns ?? COLUMNS_DEFAULT;
      this.#target.write(`\r${withBar(line).slice(0, columns - 1)}${CLEAR_TO_END}`);
      this.#isShown = true;
      return;
    }
    const nowMs = this.#nowMs();
    if (nowMs - this.#saidMs < PLAIN_INTERVAL_MS) return;
    this.#saidMs = nowMs;
    this.#target.write(`${line}\n`);
  }

  /** Clears the line on the terminal, before anything else is written. */
  end(): void {
    if (this.#isShown) this.#target.write(`\r${CLEAR_TO_END}`);
    this.#isShown = false;
  }
}

function withBar(line: string): string {
  const percent = PERCENT_PATTERN.exec(line)?.[1];
  if (percent === undefined) return line;
  const cells = Math.min(BAR_CELLS, Math.round((Number(percent) / 100) * BAR_CELLS));
  return `[${"#".repeat(cells)}${".".repeat(BAR_CELLS - cells)}] ${line}`;
}
