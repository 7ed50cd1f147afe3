import { type Log, type StreamKey, streamKeyText } from "../../base/index.js";
import type { ArchiveNoticeListener } from "../notice/notices.js";

export interface StreamLossesOptions {
  readonly key: StreamKey;
  readonly notice: ArchiveNoticeListener;
  readonly log: Log;
}

/**
 * Counts the video frames of one stream that were not recorded, and says so once when an episode begins and once when it
 * ends. Thinning and dropping are episodes of their own: a stream may drop while it is thinned.
 */
export class StreamLosses {
  readonly #options: StreamLossesOptions;
  readonly #log: Log;
  #framesThinned = 0;
  #framesDropped = 0;
  /** Frames of the episodes that are on; undefined while none is. */
  #thinning: number | undefined;
  #dropping: number | undefined;

  constructor(options: StreamLossesOptions) {
    this.#options = options;
    this.#log = options.log.child({ stream: streamKeyText(options.key) });
  }

  /** Video frames left out by thinning since the start. */
  get framesThinned(): number {
    return this.#framesThinned;
  }

  /** Video frames dropped since the start. */
  get framesDropped(): number {
    return this.#framesDropped;
  }

  get isThinning(): boolean {
    return this.#thinning !== undefined;
  }

  get isDropping(): boolean {
    return this.#dropping !== undefined;
  }

  /** Only key frames are recorded from here on. */
  startThinning(): void {
    if (this.#thinning !== undefined) return;
    this.#thinning = 0;
    this.#log.warn("only key frames are recorded: the volume does not keep up");
    this.#options.notice({ kind: "thinning-started", key: this.#options.key });
  }

  /** A video frame is left out by thinning. */
  thin(): void {
    this.#framesThinned += 1;
    this.#thinning = (this.#thinning ?? 0) + 1;
  }

  endThinning(): void {
    if (this.#thinning === undefined) return;
    const framesThinned = this.#thinning;
    this.#thinning = undefined;
    this.#log.info({ framesThinned }, "all frames are recorded again");
    this.#options.notice({ kind: "thinning-ended", key: this.#options.key, framesThinned });
  }

  /** Frames are dropped from here on. */
  startDropping(reason: string): void {
    if (this.#dropping !== undefined) return;
    this.#dropping = 0;
    this.#log.warn(`frames are not recorded: ${reason}`);
    this.#options.notice({ kind: "dropping-started", key: this.#options.key, reason });
  }

  /** A video frame is not recorded. */
  drop(): void {
    this.#framesDropped += 1;
    if (this.#dropping !== undefined) this.#dropping += 1;
  }

  endDropping(): void {
    if (this.#dropping === undefined) return;
    const framesDropped = this.#dropping;
    this.#dropping = undefined;
    this.#log.info({ framesDropped }, "frames are recorded again");
    this.#options.notice({ kind: "dropping-ended", key: this.#options.key, framesDropped });
  }

  /** The recording has ended: there is nothing more to lose. */
  end(): void {
    this.endThinning();
    this.endDropping();
  }
}
