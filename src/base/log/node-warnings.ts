import type { Log } from "./log.js";

/** The first lines of a stack suffice, and a library's text may have any length. */
const TEXT_CHARACTERS_MAX = 2000;

type Listener = (...values: unknown[]) => void;

/**
 * Writes the warnings of Node and its libraries (`process.emitWarning`) to the log, one line each. Node itself writes
 * them as plain text to standard error, where readers of the log do not find them.
 */
export class NodeWarnings {
  readonly #process: NodeJS.EventEmitter;
  readonly #log: Log;
  #replaced: Listener[] = [];

  constructor(source: NodeJS.EventEmitter, log: Log) {
    this.#process = source;
    this.#log = log;
  }

  start(): void {
    this.#replaced = this.#process.listeners("warning") as Listener[];
    this.#process.removeAllListeners("warning");
    this.#process.on("warning", this.#report);
  }

  /** Restores the listeners that `start` replaced. */
  stop(): void {
    this.#process.removeListener("warning", this.#report);
    for (const listener of this.#replaced.splice(0)) this.#process.on("warning", listener);
  }

  readonly #report = (warning: Error & { readonly code?: unknown }): void => {
    const { name, code, message, stack = "" } = warning;
    const fields = { warning: name, ...(code === undefined ? {} : { code }), stack: redacted(stack) };
    this.#log.warn(fields, redacted(message));
  };
}

/** Some warnings quote a URL: its login is left out. */
function redacted(text: string): string {
  return text.slice(0, TEXT_CHARACTERS_MAX).replaceAll(/\/\/[^/\s@]*@/g, "//");
}
