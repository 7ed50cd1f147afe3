import { ByteBudget, type Clock, type Log } from "../../base/index.js";
import type { LiveStream } from "../../live/index.js";
import type { Transcoding } from "../../picture/index.js";
import { TranscodedStream } from "../hls/transcoded-stream.js";
import type { RotationOf } from "../viewing/rotation.js";
import { type FeedViewer, LiveFeed } from "./live-feed.js";
import { RelayedFeed } from "./relayed-feed.js";

/** Bytes of the groups of pictures kept for new viewers of all live streams. */
export const FEEDS_BYTES_MAX = 256 * 1024 * 1024;

const FEED_NUMBER_MAX = 0xffff_ffff;

export interface LiveFeedsOptions {
  /** For clients that cannot play what a camera sends. */
  readonly transcoding: Pick<Transcoding, "watch">;
  readonly rotationOf: RotationOf;
  readonly clock: Clock;
  readonly log: Log;
  /** FEEDS_BYTES_MAX by default. */
  readonly bytesMax?: number | undefined;
}

/** What a viewer's place is in: a feed made here, or one of another recorder. */
export type SeatedFeed = Pick<LiveFeed, "gop" | "lastPictureUs" | "replay">;

/** A viewer's place in a feed. */
export interface FeedSeat {
  readonly feed: SeatedFeed;
  /** Calling it twice is harmless. */
  leave(): void;
}

/** The live streams that are watched, each built once for all who watch it. */
export class LiveFeeds {
  readonly #options: LiveFeedsOptions;
  readonly #feeds = new Map<LiveStream, LiveFeed>();
  readonly #transcoded = new Map<
    LiveStream,
    { readonly stream: TranscodedStream; readonly feed: LiveFeed }
  >();
  readonly #budget: ByteBudget;
  #lastFeed = 0;

  constructor(options: LiveFeedsOptions) {
    this.#options = options;
    this.#budget = new ByteBudget(options.bytesMax ?? FEEDS_BYTES_MAX);
  }

  /** Streams that are watched as they are. */
  get size(): number {
    return this.#feeds.size;
  }

  /** Those that are watched as H.264 made of them. */
  get transcodedSize(): number {
    return this.#transcoded.size;
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

  /**
   * Adds a viewer, which may be called before this returns. `isTranscoded`: the stream as H.264, whatever the camera sends. Throws
   * NvrdError NOT_AVAILABLE if too much is transcoded already.
   */
  join(stream: LiveStream, isTranscoded: boolean, viewer: FeedViewer): FeedSeat {
    return isTranscoded ? this.#joinTranscoded(stream, viewer) : this.#joinPlain(stream, viewer);
  }

  /** A feed that another recorder makes. */
  relayed(): RelayedFeed {
    return new RelayedFeed({ feed: this.nextFeed(), budget: this.#budget });
  }

  #joinPlain(stream: LiveStream, viewer: FeedViewer): FeedSeat {
    const feed = this.#feeds.get(stream) ?? this.#open(stream);
    this.#feeds.set(stream, feed);
    feed.join(viewer);
    const leave = (): void => {
      feed.leave(viewer);
      if (feed.viewers === 0 && this.#feeds.get(stream) === feed) this.#feeds.delete(stream);
    };
    return { feed, leave };
  }

  #joinTranscoded(source: LiveStream, viewer: FeedViewer): FeedSeat {
    const { transcoding, rotationOf, log } = this.#options;
    const known = this.#transcoded.get(source);
    const stream = known?.stream ?? new TranscodedStream({ source, transcoding, rotationOf, log });
    stream.start();
    const feed = known?.feed ?? this.#open(stream.stream);
    this.#transcoded.set(source, { stream, feed });
    feed.join(viewer);
    const leave = (): void => {
      feed.leave(viewer);
      if (feed.viewers > 0 || this.#transcoded.get(source)?.feed !== feed) return;
      this.#transcoded.delete(source);
      stream.stop();
    };
    return { feed, leave };
  }

  #open(stream: LiveStream): LiveFeed {
    const { clock, log } = this.#options;
    return new LiveFeed({ stream, nextFeed: () => this.nextFeed(), budget: this.#budget, clock, log });
  }
}
