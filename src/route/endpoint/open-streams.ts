import { type Access, type Credentials, isAllForbidden, type Principal } from "../../access/index.js";
import { type Clock, type ClockTimer, errorText, type Log, NvrdError } from "../../base/index.js";
import { VIEWER_KINDS, type ViewerCount, type ViewerKind } from "../../health/index.js";
import type { SiteStore } from "../../site/index.js";

/** Maximum number of open streams; 503 beyond it. */
export const OPEN_STREAMS_MAX = 512;

/**
 * How often open streams are checked without a change of the configuration: the users of a directory may change at any time.
 */
export const RECHECK_PERIOD_MS = 60_000;

/** After a change, other followers get this time to apply it before open streams are checked. */
const RECHECK_DELAY_MS = 100;

export interface OpenStream {
  readonly credentials: Credentials;
  /** The kind of viewer; undefined: not counted as a viewer. */
  readonly viewer?: ViewerKind | undefined;
  /** Whether the stream may continue for this principal under the present configuration. */
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

/**
 * The open streams. Each is checked again after every change of the configuration and every minute, and ended if it is no
 * longer allowed.
 */
export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #viewers = VIEWER_KINDS.map((kind) => ({ ...kind, now: 0, sinceStart: 0 }));
  #recheckDue = false;
  #period: ClockTimer | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
    options.site.onChange("rights", () => this.recheckSoon());
  }

  get size(): number {
    return this.#open.size;
  }

  /** The number of viewers of each kind. */
  viewers(): readonly ViewerCount[] {
    return this.#viewers.map((count) => ({ ...count }));
  }

  /** Throws NvrdError NOT_AVAILABLE if there are too many. */
  requireRoom(): void {
    if (this.#open.size < OPEN_STREAMS_MAX) return;
    throw new NvrdError("NOT_AVAILABLE", `${OPEN_STREAMS_MAX} streams are being watched already`);
  }

  /** Registers a stream; returns a function that removes it. Throws NvrdError NOT_AVAILABLE if there are too many. */
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

  /** Checks all after a moment: a session has ended, or the configuration has changed. */
  recheckSoon(): void {
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
   * Never rejects. If the credentials cannot be verified, the stream is ended. Exception: without a change of the
   * configuration, somebody who guesses passwords must not be able to end the streams of others behind the same address.
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
    log.info({ reason }, "stream ended: no longer allowed");
    stream.end();
  }
}
