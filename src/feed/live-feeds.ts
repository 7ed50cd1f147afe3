import { ByteBudget, type Clock, type Log } from "../base/index.js";
import type { LiveStream } from "../live/index.js";
import { type FeedViewer, LiveFeed } from "./live-feed.js";

/** Bytes of the groups of pictures kept for new viewers of all live streams. */
export const FEEDS_BYTES_MAX = 256 * 1024 * 1024;

const FEED_NUMBER_MAX = 0xffff_ffff;

export interface LiveFeedsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** FEEDS_BYTES_MAX by default. */
  readonly bytesMax?: number | undefined;
}

/** A viewer's place in a feed. */
export interface FeedSeat {
  readonly feed: LiveFeed;
  /** Calling it twice is harmless. */
  leave(): void;
}

/** The live streams that are watched, each built once for all who watch it. */
export class LiveFeeds {
  readonly #options: LiveFeedsOptions;
  readonly #feeds = new Map<LiveStream, LiveFeed>();
  readonly #budget: ByteBudget;
  #lastFeed = 0;

  constructor(options: LiveFeedsOptions) {
    this.#options = options;
    this.#budget = new ByteBudget(options.bytesMax ?? FEEDS_BYTES_MAX);
  }

  /** Streams that are watched. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Bytes held for new viewers. */
  get byteLength(): number {
    return this.#budget.bytes;
  }

  /** A number that no other feed has; playbacks have theirs from here too. */
  nextFeed(): number {
    this.#lastFeed = this.#lastFeed >= FEED_NUMBER_MAX ? 1 : this.#lastFeed + 1;
    return this.#lastFeed;
  }

  /** Adds a viewer, which may be called before this returns. */
  join(stream: LiveStream, viewer: FeedViewer): FeedSeat {
    const { clock, log } = this.#options;
    const nextFeed = () => this.nextFeed();
    const known = this.#feeds.get(stream);
    const feed = known ?? new LiveFeed({ stream, nextFeed, budget: this.#budget, clock, log });
    this.#feeds.set(stream, feed);
    feed.join(viewer);
    return {
      feed,
      leave: () => {
        feed.leave(viewer);
        if (feed.viewers === 0 && this.#feeds.get(stream) === feed) this.#feeds.delete(stream);
      },
    };
  }
}
