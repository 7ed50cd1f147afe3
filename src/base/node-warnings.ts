import type { Log } from "./log.js";

/** A stack is of use for its first lines; a text from a library may have any length. */
const TEXT_CHARACTERS_MAX = 2000;

type Listener = (...values: unknown[]) => void;

/**
 * Has the warnings of Node and its libraries (`process.emitWarning`) in the log, one line each. Node would write them as
 * plain text to standard error, where nobody who reads the log finds them.
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
    this.#process.on("warning", this.#tell);
  }

  /** Warnings go where they went before. */
  stop(): void {
    this.#process.removeListener("warning", this.#tell);
    for (const listener of this.#replaced.splice(0)) this.#process.on("warning", listener);
  }

  readonly #tell = (warning: Error & { readonly code?: unknown }): void => {
    const { name, code, message, stack = "" } = warning;
    const fields = { warning: name, ...(code === undefined ? {} : { code }), stack: shown(stack) };
    this.#log.warn(fields, shown(message));
  };
}

/** Some warnings quote a URL: its login is left out. */
function shown(text: string): string {
  return text.slice(0, TEXT_CHARACTERS_MAX).replaceAll(/\/\/[^/\s@]*@/g, "//");
}
