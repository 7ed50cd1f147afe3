import type { ClientHttp2Stream } from "node:http2";
import type { Guid } from "../../base/index.js";
import type { LiveCodec, Tile, WatchMessage } from "../../contract/answer/index.js";
import type { RelayedFeed } from "../../player/index.js";
import { WATCHES_MAX } from "../live/index.js";
import { BoxLive, type LiveMessage } from "./box-live.js";

/** Tiles of viewers are taken together in steps, so that viewers whose windows differ a little have one subscription. */
const TILE_SIDE_FIRST = 160;
const TILE_STEP = Math.SQRT2;
/** A recorder enlarges pictures so far before it takes a larger stream. */
const TILE_TOLERANCE = 1.1;
const TILE_SIDE_MAX = 32_768;

/** What of a channel is to be shown. */
export interface FeedWish {
  /** Its id at the recorder. */
  readonly channel: Guid;
  readonly tile: Tile;
  readonly stream: NonNullable<WatchMessage["stream"]>;
}

/** Receives what a subscription is told, which it shares with others. */
export interface FeedWatcher {
  /** Whether it wants sound, and where something is seen. */
  readonly sound: boolean;
  readonly boxes: boolean;
  /** Pictures are those of this feed from here on; `codecs`: of those that share it. */
  onStream(stream: LiveMessage, feed: RelayedFeed, codecs: readonly LiveCodec[]): void;
  onNotice(message: LiveMessage): void;
  /** The connection is lost: nothing follows. */
  onLost(reason: string): void;
}

export interface BoxFeedsOptions {
  readonly codecs: readonly LiveCodec[];
  readonly open: () => Promise<ClientHttp2Stream>;
  readonly newFeed: () => RelayedFeed;
  /** It has ended, or has no watchers any more. */
  readonly onEnd: (reason: string | undefined) => void;
}

/** One subscription at a recorder, for all who want the same. */
export class FeedSource {
  readonly id: number;
  readonly wish: FeedWish;
  readonly feeds: BoxFeeds;
  readonly watchers = new Set<FeedWatcher>();
  /** As the recorder knows it. */
  told = { sound: false, boxes: false };
  stream: LiveMessage | undefined;
  feed: RelayedFeed | undefined;
  problem: LiveMessage | undefined;
  seen: LiveMessage | undefined;

  constructor(id: number, wish: FeedWish, feeds: BoxFeeds) {
    this.id = id;
    this.wish = wish;
    this.feeds = feeds;
  }

  get wanted(): { readonly sound: boolean; readonly boxes: boolean } {
    const all = [...this.watchers];
    return { sound: all.some(({ sound }) => sound), boxes: all.some(({ boxes }) => boxes) };
  }
}

/**
 * One live socket of a recorder for all viewers at hubs that may see the same of it: each stream comes once, whoever watches. The hub
 * itself says what has come, and paces each viewer by itself; a viewer that is slow makes nothing slow for others.
 */
export class BoxFeeds {
  readonly codecs: readonly LiveCodec[];
  readonly #options: BoxFeedsOptions;
  readonly #live: BoxLive;
  readonly #sources = new Map<number, FeedSource>();
  /** By the numbers that viewers know. */
  readonly #feeds = new Map<number, RelayedFeed>();
  #nextId = 1;
  #isEnded = false;

  constructor(options: BoxFeedsOptions) {
    this.#options = options;
    this.codecs = options.codecs;
    this.#live = new BoxLive({
      hello: JSON.stringify({ type: "hello", codecs: options.codecs }),
      open: options.open,
      onMessage: (message) => this.#onMessage(message),
      onMedia: (bytes) => this.#onMedia(bytes),
      onPing: (text) => this.#live.pong(text),
      nextFeed: () => this.#newFeed(),
      together: (run) => run(),
      isFull: () => false,
      onEnd: (reason) => this.#end(reason),
    });
  }

  get isFull(): boolean {
    return this.#sources.size >= WATCHES_MAX;
  }

  /** The subscription that shows what is wanted, if there is one. */
  sourceOf(wish: FeedWish): FeedSource | undefined {
    const asked = inSteps(wish);
    return [...this.#sources.values()].find((source) => isSameWish(source.wish, asked));
  }

  /** Subscriptions to the channel, whichever stream of it was asked for. */
  sourcesOf({ channel }: FeedWish): readonly FeedSource[] {
    return [...this.#sources.values()].filter(({ wish }) => wish.channel === channel);
  }

  /** Subscribes a watcher, which may be called before this returns. */
  join(wish: FeedWish, watcher: FeedWatcher): FeedSource {
    const source = this.sourceOf(wish) ?? this.#open(wish, watcher);
    source.watchers.add(watcher);
    this.refresh(source);
    const { stream, feed, problem, seen } = source;
    if (stream !== undefined && feed !== undefined) watcher.onStream(stream, feed, this.codecs);
    if (problem !== undefined) watcher.onNotice(problem);
    if (seen !== undefined) watcher.onNotice(seen);
    return source;
  }

  /** What its watchers want of it has changed. */
  refresh(source: FeedSource): void {
    const { wanted, told } = source;
    if (wanted.sound === told.sound && wanted.boxes === told.boxes) return;
    source.told = wanted;
    if (!wanted.boxes) source.seen = undefined;
    this.#live.send({ type: "change", id: source.id, ...wanted });
  }

  /** Calling it twice is harmless. */
  leave(source: FeedSource, watcher: FeedWatcher): void {
    if (!source.watchers.delete(watcher) || this.#isEnded) return;
    if (source.watchers.size > 0) {
      this.refresh(source);
      return;
    }
    if (this.#sources.delete(source.id)) this.#live.send({ type: "leave", id: source.id });
    this.#dropUnused();
    this.#closeUnused();
  }

  #open(wish: FeedWish, { sound, boxes }: FeedWatcher): FeedSource {
    const source = new FeedSource(this.#nextId, inSteps(wish), this);
    this.#nextId += 1;
    source.told = { sound, boxes };
    this.#sources.set(source.id, source);
    this.#live.send({ type: "watch", id: source.id, ...source.wish, ...source.told });
    return source;
  }

  #newFeed(): number {
    const feed = this.#options.newFeed();
    this.#feeds.set(feed.number, feed);
    return feed.number;
  }

  #onMessage(message: LiveMessage): void {
    const source = typeof message.id === "number" ? this.#sources.get(message.id) : undefined;
    if (source === undefined) return;
    if (message.type === "stream") {
      this.#onStream(source, message);
      return;
    }
    if (message.type === "problem") {
      source.problem = message;
      source.feed?.interrupt();
    }
    if (message.type === "boxes") source.seen = message;
    for (const watcher of [...source.watchers])
      if (message.type !== "boxes" || watcher.boxes) watcher.onNotice(message);
    if (message.type !== "ended" && message.type !== "error") return;
    this.#sources.delete(source.id);
    source.watchers.clear();
    this.#dropUnused();
    this.#closeUnused();
  }

  #onStream(source: FeedSource, message: LiveMessage): void {
    const { mime, width, height, feed: number } = message;
    const feed = typeof number === "number" ? this.#feeds.get(number) : undefined;
    if (
      feed === undefined ||
      typeof mime !== "string" ||
      typeof width !== "number" ||
      typeof height !== "number"
    )
      throw new TypeError("a stream that cannot be read");
    source.stream = message;
    source.feed = feed;
    source.problem = undefined;
    feed.announce({ mime, width, height });
    for (const watcher of [...source.watchers]) watcher.onStream(message, feed, this.codecs);
    this.#dropUnused();
  }

  #onMedia(bytes: Buffer): void {
    this.#feeds.get(bytes.readUInt32BE(4))?.take(bytes);
  }

  /** Ends the streams that no subscription has any more. */
  #dropUnused(): void {
    const used = new Set([...this.#sources.values()].map(({ feed }) => feed));
    for (const [number, feed] of this.#feeds)
      if (!used.has(feed)) {
        feed.end();
        this.#feeds.delete(number);
        this.#live.forgetFeed(number);
      }
  }

  #closeUnused(): void {
    if (this.#sources.size > 0 || this.#isEnded) return;
    this.#live.close();
    this.#end(undefined);
  }

  #end(reason: string | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const feed of this.#feeds.values()) feed.end();
    this.#feeds.clear();
    const watchers = [...this.#sources.values()].flatMap((source) => [...source.watchers]);
    this.#sources.clear();
    this.#options.onEnd(reason);
    for (const watcher of watchers) watcher.onLost(reason ?? "");
  }
}

function isSameWish(one: FeedWish, other: FeedWish): boolean {
  return (
    one.channel === other.channel &&
    one.stream === other.stream &&
    one.tile.width === other.tile.width &&
    one.tile.height === other.tile.height
  );
}

function inSteps({ channel, tile, stream }: FeedWish): FeedWish {
  return { channel, stream, tile: { width: stepOf(tile.width), height: stepOf(tile.height) } };
}

function stepOf(side: number): number {
  const steps = Math.ceil(Math.log(side / TILE_TOLERANCE / TILE_SIDE_FIRST) / Math.log(TILE_STEP) - 1e-9);
  return Math.min(TILE_SIDE_MAX, Math.round(TILE_SIDE_FIRST * TILE_STEP ** Math.max(0, steps)));
}
