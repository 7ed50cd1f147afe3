import { errorText } from "../value/errors.js";
import type { Log } from "./log.js";

/** A library's text may have any length. */
const TEXT_CHARACTERS_MAX = 500;

/**
 * Writes what libraries print with `console.error` to the log, one line each and without a stack: lmdb prints each commit that a
 * failing disk refuses, although whoever asked for it gets the error.
 */
export class LibraryConsole {
  readonly #console: Pick<Console, "error">;
  readonly #log: Log;
  #replaced: Console["error"] | undefined;

  constructor(target: Pick<Console, "error">, log: Log) {
    this.#console = target;
    this.#log = log;
  }

  start(): void {
    this.#replaced = this.#console.error;
    this.#console.error = (...values: unknown[]) => {
      const text = values.map((value) => errorText(value)).join(" ");
      this.#log.warn({ from: "library" }, text.replaceAll(/\s+/g, " ").slice(0, TEXT_CHARACTERS_MAX));
    };
  }

  /** Gives `console.error` back. */
  stop(): void {
    if (this.#replaced !== undefined) this.#console.error = this.#replaced;
    this.#replaced = undefined;
  }
}
