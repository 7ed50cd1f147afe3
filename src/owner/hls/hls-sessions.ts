import { randomBytes } from "node:crypto";
import type { ArchiveAccess } from "../../archive/index.js";
import { type ByteBudget, type Clock, type ClockTimer, type Guid, NvrdError } from "../../base/index.js";
import type { StreamDirectory } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { HlsSource, LivePackagers, SoundCodec } from "../../player/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";

/** What the routes of this topic work with. */
export interface HlsNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** Converts sound. */
  readonly soundCodec: SoundCodec;
  /** For recordings in a codec that no player shows. */
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  /** Live streams that are packaged for HLS. */
  readonly hlsStreams: LivePackagers;
  /** Memory budget for recorded HLS segments that are read ahead. */
  readonly hlsReadAhead: ByteBudget;
  /** Names of the streams played by HLS. */
  readonly hlsSessions: HlsSessions;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

/** Random bytes of a name: 160 bits cannot be guessed. */
const NAME_BYTES = 20;
/** A name ends if it is not used for this time; players send requests at least every target duration. */
export const NAME_UNUSED_MS_MAX = 30_000;
/** How often unused names are removed. */
const SWEEP_MS = 5000;
/** Maximum number of names; 503 beyond it. */
export const NAMES_MAX = 256;
/** Maximum number of names per user; 429 beyond it. */
export const NAMES_PER_USER_MAX = 32;
/** Maximum number of names for recordings, because each holds a reader of the archive; 503 beyond it. */
export const RECORDING_NAMES_MAX = 32;
/** Maximum number of concurrent requests per name; a player has two or three. */
export const REQUESTS_PER_NAME_MAX = 8;
const BUSY_RETRY_MS = 1000;

/** The stream of a name. */
export interface HlsSession {
  readonly name: string;
  readonly source: HlsSource;
}

interface Entry extends HlsSession {
  readonly userId: Guid;
  readonly recorded: boolean;
  readonly onEnd: () => void;
  usedUs: number;
  underWay: number;
}

/**
 * The names of the streams played by HLS. A name gives access without credentials, so it cannot be guessed, is valid for one
 * stream with the rights of its user, and ends with these rights or when it is not used. Names are never logged.
 */
export class HlsSessions {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #sweep: ClockTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Throws NvrdError TOO_MANY_REQUESTS or NOT_AVAILABLE when there are too many. */
  requireRoom(asker: { readonly userId: Guid; readonly recorded: boolean }): void {
    const entries = [...this.#entries.values()];
    const ofUser = entries.filter(({ userId }) => userId === asker.userId).length;
    if (ofUser >= NAMES_PER_USER_MAX) {
      const message = `${ofUser} HLS streams of yours are played already`;
      throw new NvrdError("TOO_MANY_REQUESTS", message, { retryAfterMs: NAME_UNUSED_MS_MAX });
    }
    const recordings = entries.filter(({ recorded }) => recorded).length;
    if (entries.length >= NAMES_MAX || (asker.recorded && recordings >= RECORDING_NAMES_MAX)) {
      const what = entries.length >= NAMES_MAX ? `${NAMES_MAX} streams` : `${RECORDING_NAMES_MAX} recordings`;
      throw new NvrdError("NOT_AVAILABLE", `${what} are played by HLS already`, {
        retryAfterMs: NAME_UNUSED_MS_MAX,
      });
    }
  }

  /** Adds a name. `onEnd` is called when it ends for any reason. */
  add(options: {
    readonly source: HlsSource;
    readonly userId: Guid;
    readonly recorded: boolean;
    readonly onEnd: () => void;
  }): HlsSession {
    const name = randomBytes(NAME_BYTES).toString("hex");
    const entry: Entry = { ...options, name, usedUs: this.#clock.monotonicUs(), underWay: 0 };
    this.#entries.set(name, entry);
    this.#sweep ??= this.#clock.setInterval(() => this.#endUnused(), SWEEP_MS);
    return entry;
  }

  /** Uses a name while `work` runs. Throws NvrdError NOT_FOUND for an unknown name, TOO_MANY_REQUESTS. */
  async use<Result>(name: string, work: (session: HlsSession) => Promise<Result>): Promise<Result> {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      throw new NvrdError(
        "NOT_FOUND",
        "this HLS name is unknown, was not used for 30 s, or has ended with its rights",
        {
          hint: "get a new one with GET /hls",
        },
      );
    }
    if (entry.underWay >= REQUESTS_PER_NAME_MAX) {
      const message = `${REQUESTS_PER_NAME_MAX} requests with this name are already in progress`;
      throw new NvrdError("TOO_MANY_REQUESTS", message, { retryAfterMs: BUSY_RETRY_MS });
    }
    entry.underWay += 1;
    entry.usedUs = this.#clock.monotonicUs();
    try {
      return await work(entry);
    } finally {
      entry.underWay -= 1;
      entry.usedUs = this.#clock.monotonicUs();
    }
  }

  /** Whether the name is still valid. */
  has(name: string): boolean {
    return this.#entries.has(name);
  }

  end(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    if (this.#entries.size === 0) {
      this.#sweep?.clear();
      this.#sweep = undefined;
    }
    entry.onEnd();
    entry.source.close();
  }

  endAll(): void {
    for (const name of [...this.#entries.keys()]) this.end(name);
  }

  #endUnused(): void {
    const sinceUs = this.#clock.monotonicUs() - NAME_UNUSED_MS_MAX * 1000;
    for (const entry of [...this.#entries.values()])
      if (entry.underWay === 0 && entry.usedUs < sinceUs) this.end(entry.name);
  }
}

/** A path for the log: without the name, because it gives access. */
export function withoutName(path: string): string {
  return path.replace(/^\/hls\/[^/]+/, "/hls/{name}");
}

/** Whether a path, as sent, is a file of a name: a player asks for each once. */
export function isFileOfName(url: string): boolean {
  return url.startsWith("/hls/");
}
