import { US_PER_SECOND } from "../../base/index.js";
import { Frame, type LiveStream, type VideoFormat } from "../../live/index.js";
import { VIDEO_TIMESCALE } from "../mp4/movie-header.js";
import { annexBOf, readFragment, readVideoTrack } from "../mp4/read-fragment.js";
import {
  FEED_FLAGS_AT,
  FEED_HEADER_BYTES,
  FeedFlag,
  type FeedMessage,
  readFeedHeader,
} from "./feed-message.js";
import type { FeedStart, FeedViewer } from "./live-feed.js";
import type { RelayedFeed } from "./relayed-feed.js";

/**
 * The pictures of a stream that another recorder makes fragments of, as its camera sent them, for viewers that take frames. Parameter sets
 * are those of the init segment.
 */
export class RelayedFrames implements FeedViewer {
  readonly #stream: LiveStream;
  /** What cannot be read ends it. */
  readonly #onUnreadable: (reason: string) => void;
  #feed: RelayedFeed | undefined;
  #format: VideoFormat | undefined;
  /** Number of the newest picture of the feed. */
  #sequence = 0;
  /** The next picture can only be a key frame. */
  #needsKey = true;
  /** Something was left out. */
  #isJump = true;
  #decodedUs = Number.NEGATIVE_INFINITY;
  /** Of the newest key frame. */
  #keyUs = Number.NEGATIVE_INFINITY;
  /** The feed begins with what has come over the one before it. */
  #repeats = false;

  constructor(stream: LiveStream, onUnreadable: (reason: string) => void) {
    this.#stream = stream;
    this.#onUnreadable = onUnreadable;
  }

  /** Takes pictures of this feed from here on; what has come of another one before is not repeated. */
  follow(feed: RelayedFeed | undefined): void {
    if (feed === this.#feed) return;
    this.#feed?.leave(this);
    this.#feed = feed;
    this.#needsKey = true;
    feed?.join(this);
  }

  takesSound(): boolean {
    return false;
  }

  onStart({ width, height, init }: FeedStart): void {
    this.#guarded(() => {
      const { codec, initialization } = readVideoTrack(init.message.subarray(FEED_HEADER_BYTES));
      const known = this.#format;
      const isSame =
        known?.codec === codec &&
        known.width === width &&
        known.height === height &&
        Buffer.from(initialization).equals(known.initialization);
      if (!isSame) this.#format = { codec, width, height, initialization };
      this.#needsKey = true;
    });
  }

  onMessage({ bytes, key, sequence, sound }: FeedMessage): void {
    if (sound) return;
    this.#guarded(() => {
      const isBehindStart = this.#needsKey;
      const follows = !isBehindStart && sequence === this.#sequence + 1;
      this.#sequence = sequence;
      this.#needsKey = !key && !follows;
      if (!follows && !isBehindStart) this.#isJump = true;
      if (!this.#needsKey) this.#publish(bytes, { key, isFirst: isBehindStart });
    });
  }

  onFailure(): void {
    this.follow(undefined);
  }

  #publish(message: Buffer, { key, isFirst }: { readonly key: boolean; readonly isFirst: boolean }): void {
    const format = this.#format;
    if (format === undefined) return;
    const { sample, compositionTicks } = readFragment(message.subarray(FEED_HEADER_BYTES));
    const presentationOffsetUs = Math.round((compositionTicks * US_PER_SECOND) / VIDEO_TIMESCALE);
    const decodeTimeUs = readFeedHeader(message).timeUs - presentationOffsetUs;
    if (isFirst) this.#repeats = decodeTimeUs === this.#keyUs;
    // Otherwise the recorder's clock was set back.
    const isNewStart = isFirst && !this.#repeats;
    if (!isNewStart && decodeTimeUs <= this.#decodedUs) return;
    const isDiscontinuity = ((message[FEED_FLAGS_AT] ?? 0) & FeedFlag.discontinuity) !== 0;
    const discontinuity = isDiscontinuity || isNewStart || this.#isJump;
    this.#decodedUs = decodeTimeUs;
    if (key) this.#keyUs = decodeTimeUs;
    this.#isJump = false;
    const bytes = annexBOf(sample, format, key);
    this.#stream.publish(
      new Frame({
        ...{ format, decodeTimeUs, presentationOffsetUs, key, discontinuity },
        ...{ damaged: false, undecodable: false, ranges: [{ slab: undefined, bytes }] },
      }),
    );
  }

  /** What another recorder sends is not to be believed. */
  #guarded(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.follow(undefined);
      this.#onUnreadable(error instanceof Error ? error.message : String(error));
    }
  }
}
