import { NvrdError } from "../../base/index.js";

/** Most archive readers open at once; each holds a file and some memory. */
export const READERS_MAX_DEFAULT = 64;
/** Who reads a recording now will be a while. */
const RETRY_MS = 5000;

interface Closable {
  close(): void;
}

/** The open readers of recordings, bounded in number; all are closed when the archive stops. */
export class OpenReaders {
  readonly #max: number;
  readonly #open = new Set<Closable>();
  /** Being opened; they count towards the limit. */
  #opening = 0;
  #nextHandle = 1;
  #stopped = false;

  constructor(max = READERS_MAX_DEFAULT) {
    this.#max = max;
  }

  /** A number by which the volumes' threads know an open file. */
  readonly takeHandle = (): number => this.#nextHandle++;

  /** Throws NvrdError NOT_AVAILABLE when there are too many, or the archive has stopped. */
  add<T extends Closable>(make: (onClose: () => void) => T): T {
    this.#admit();
    const reader: T = make(() => this.#open.delete(reader));
    this.#open.add(reader);
    return reader;
  }

  /** As `add`, of one that takes time to open. */
  async open<T extends Closable>(make: (onClose: () => void) => Promise<T>): Promise<T> {
    this.#admit();
    this.#opening += 1;
    try {
      let opened: T | undefined;
      const reader = await make(() => {
        if (opened !== undefined) this.#open.delete(opened);
      });
      opened = reader;
      if (this.#stopped) {
        reader.close();
        throw new NvrdError("NOT_AVAILABLE", "the archive has stopped");
      }
      this.#open.add(reader);
      return reader;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Closes all; none can be opened any more. */
  stop(): void {
    this.#stopped = true;
    for (const reader of [...this.#open]) reader.close();
  }

  #admit(): void {
    const count = this.#open.size + this.#opening;
    if (!this.#stopped && count < this.#max) return;
    throw new NvrdError("NOT_AVAILABLE", `${count} archive readers are open, the most there may be`, {
      retryAfterMs: RETRY_MS,
    });
  }
}
