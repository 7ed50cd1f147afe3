import type { Access, Credentials, Principal } from "../../access/index.js";
import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../../base/index.js";
import { VIEWER_KINDS, type ViewerCount, type ViewerKind } from "../../health/index.js";
import type { SiteStore } from "../../site/index.js";
import { isAllForbidden } from "./rights.js";

/** Most streams under way at once; 503 beyond it. */
export const OPEN_STREAMS_MAX = 512;

/**
 * How often open streams are checked without a change of the configuration: what a directory says of its users may
 * change at any time.
 */
export const RECHECK_PERIOD_MS = 60_000;

/** After a change the other rooms get this long to act on it before open streams are checked. */
const RECHECK_DELAY_MS = 100;

export interface OpenStream {
  readonly credentials: Credentials;
  /** What is counted as a viewer; undefined: nobody watches. */
  readonly viewer?: ViewerKind | undefined;
  /** Whether the stream may go on for this principal under the configuration as it is now. */
  mayContinue(principal: Principal): boolean;
  end(): void;
}

type RecheckCause = "change" | "period";

export interface OpenStreamsOptions {
  readonly site: SiteStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Log;
}

/** The streams under way: each is checked again after every change of the configuration and each minute, and ended when it may no longer be. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #viewers = VIEWER_KINDS.map((kind) => ({ ...kind, now: 0, sinceStart: 0 }));
  #recheckDue = false;
  #period: ClockTimer | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    options.site.onChange("rights", () => this.#scheduleRecheck());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Those who watch, by kind: all kinds there are. */
  viewers(): readonly ViewerCount[] {
    return this.#viewers.map((count) => ({ ...count }));
  }

  /** Throws NvrdError NOT_AVAILABLE when there are too many. */
  requireRoom(): void {
    if (this.#open.size < OPEN_STREAMS_MAX) return;
    throw new NvrdError("NOT_AVAILABLE", `${OPEN_STREAMS_MAX} streams are being watched already`);
  }

  /** Registers a stream; answers what takes it out again. Throws NvrdError NOT_AVAILABLE when there are too many. */
  add(stream: OpenStream): () => void {
    this.requireRoom();
    this.#open.add(stream);
    const count = this.#viewers.find(
      ({ over, source }) => over === stream.viewer?.over && source === stream.viewer.source,
    );
    if (count !== undefined) {
      count.now += 1;
      count.sinceStart += 1;
    }
    this.#period ??= this.#options.clock.setInterval(() => this.#recheckAll("period"), RECHECK_PERIOD_MS);
    return () => {
      if (this.#open.delete(stream) && count !== undefined) count.now -= 1;
      if (this.#open.size > 0) return;
      this.#period?.clear();
      this.#period = undefined;
    };
  }

  #scheduleRecheck(): void {
    if (this.#recheckDue || this.#open.size === 0) return;
    this.#recheckDue = true;
    this.#options.clock.setTimeout(() => {
      this.#recheckDue = false;
      this.#recheckAll("change");
    }, RECHECK_DELAY_MS);
  }

  #recheckAll(cause: RecheckCause): void {
    for (const stream of [...this.#open]) void this.#recheck(stream, cause);
  }

  /**
   * Never rejects. Whatever keeps the credentials from being verified ends the stream: rights that cannot be checked
   * are none. One exception: without a change, somebody who guesses at a password must not be able to end the
   * streams of others behind the same address.
   */
  async #recheck(stream: OpenStream, cause: RecheckCause): Promise<void> {
    const { access, log } = this.#options;
    let reason = "the configuration no longer allows it";
    try {
      const principal = access.recall(stream.credentials) ?? (await access.verify(stream.credentials));
      if (!isAllForbidden(principal) && stream.mayContinue(principal)) return;
    } catch (error) {
      const waits = error instanceof NvrdError && error.code === "TOO_MANY_REQUESTS";
      if (waits && cause === "period") return;
      reason = errorText(error);
    }
    if (!this.#open.has(stream)) return;
    log.info({ reason }, "stream ended: it may no longer be watched");
    stream.end();
  }
}
