import { NotAFile, readSmallFileLater, replaceSmallFile } from "../base/index.js";

/** Numbers reserved at a time; a restart may skip this many. */
const SEQUENCES_RESERVED = 100_000;
const FILE_CHARACTERS_MAX = 32;

/**
 * Sequence numbers of events, reserved in a small file before they are used. So numbers are available before the log is open,
 * increase across restarts, and continue if the log is lost.
 */
export class SequenceReservation {
  readonly #file: string;
  #reserved = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The first number of this run; undefined if the file is missing or invalid. */
  async load(): Promise<number | undefined> {
    try {
      const text = ((await readSmallFileLater(this.#file)) ?? "").slice(0, FILE_CHARACTERS_MAX).trim();
      const reserved = Number(text);
      if (text === "" || !Number.isSafeInteger(reserved) || reserved < 0) return undefined;
      this.#reserved = reserved;
      return reserved + 1;
    } catch (error) {
      if (error instanceof NotAFile) return undefined;
      throw error;
    }
  }

  /** Resolves when no later run will use `sequence` or a smaller number. Rejects if the file cannot be written. */
  async reserve(sequence: number): Promise<void> {
    if (sequence <= this.#reserved) return;
    const reserved = sequence + SEQUENCES_RESERVED;
    await replaceSmallFile(this.#file, `${reserved}\n`, 0o600);
    this.#reserved = reserved;
  }
}
