import { replaceSmallFile } from "../process/small-file.js";
import type { Clock, ClockTimer } from "../time/clock.js";
import { US_PER_MS } from "../value/units.js";

export interface DelayedFileOptions {
  readonly file: string;
  /** The whole text as it is to be now. */
  readonly text: () => string;
  /** Of the file; default: as for other small files. */
  readonly mode?: number;
  /** How long a change waits for others: they are written together. */
  readonly delayMs: number;
  readonly clock: Clock;
  /** A change is not in the file; the next one tries again. Called once until a write succeeds. */
  readonly onFailed: (error: unknown) => void;
}

/** A small file that follows what is in memory a moment later: writes come one after the other, each of the newest text. */
export class DelayedFile {
  readonly #options: DelayedFileOptions;
  #timer: ClockTimer | undefined;
  /** When the timer is due, monotonic. */
  #dueUs = 0;
  #writing: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(options: DelayedFileOptions) {
    this.#options = options;
  }

  /** What `text` gives has changed. `withinMs`: how long this change may wait; default: `delayMs`. */
  changed(withinMs = this.#options.delayMs): void {
    const { clock } = this.#options;
    const dueUs = clock.monotonicUs() + withinMs * US_PER_MS;
    if (this.#timer !== undefined && this.#dueUs <= dueUs) return;
    this.#timer?.clear();
    this.#dueUs = dueUs;
    this.#timer = clock.setTimeout(() => this.#write(), withinMs);
  }

  /** Resolves when all changes are in the file, or have failed. */
  async stop(): Promise<void> {
    if (this.#timer !== undefined) {
      this.#timer.clear();
      this.#write();
    }
    await this.#writing;
  }

  #write(): void {
    this.#timer = undefined;
    const { file, text, mode, onFailed } = this.#options;
    const document = text();
    this.#writing = this.#writing.then(async () => {
      try {
        await replaceSmallFile(file, document, mode);
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) onFailed(error);
        this.#isFailing = true;
      }
    });
  }
}
