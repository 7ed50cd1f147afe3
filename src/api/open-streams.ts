import type { Access, Credentials, Principal } from "../access/index.js";
import { type Clock, errorText, type Log, NvrdError } from "../base/index.js";
import type { SiteStore } from "../site/index.js";

/** Most streams under way at once; 503 beyond it. */
export const OPEN_STREAMS_MAX = 512;

/** After a change the other rooms get this long to act on it before open streams are checked. */
const RECHECK_DELAY_MS = 100;

export interface OpenStream {
  readonly credentials: Credentials;
  /** Whether the stream may go on for this principal under the configuration as it is now. */
  mayContinue(principal: Principal): boolean;
  end(): void;
}

export interface OpenStreamsOptions {
  readonly site: SiteStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Log;
}

/** The streams under way: each is checked again after every change of the configuration, and ended when it may no longer be. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #open = new Set<OpenStream>();
  #recheckDue = false;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    options.site.onChange(() => this.#scheduleRecheck());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Registers a stream; answers what takes it out again. Throws NvrdError NOT_AVAILABLE when there are too many. */
  add(stream: OpenStream): () => void {
    if (this.#open.size >= OPEN_STREAMS_MAX) {
      throw new NvrdError("NOT_AVAILABLE", `${OPEN_STREAMS_MAX} streams are being watched already`);
    }
    this.#open.add(stream);
    return () => {
      this.#open.delete(stream);
    };
  }

  #scheduleRecheck(): void {
    if (this.#recheckDue || this.#open.size === 0) return;
    this.#recheckDue = true;
    this.#options.clock.setTimeout(() => {
      this.#recheckDue = false;
      for (const stream of [...this.#open]) void this.#recheck(stream);
    }, RECHECK_DELAY_MS);
  }

  /** Never rejects. Whatever keeps the credentials from being verified ends the stream: rights that cannot be checked are none. */
  async #recheck(stream: OpenStream): Promise<void> {
    const { access, log } = this.#options;
    let reason = "the configuration no longer allows it";
    try {
      const principal = access.recall(stream.credentials) ?? (await access.verify(stream.credentials));
      if (stream.mayContinue(principal)) return;
    } catch (error) {
      reason = errorText(error);
    }
    if (!this.#open.has(stream)) return;
    log.info({ reason }, "stream ended after a change of the configuration");
    stream.end();
  }
}
