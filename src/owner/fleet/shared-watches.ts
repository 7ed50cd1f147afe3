import type { LiveCodec, Tile, WatchMessage } from "../../contract/answer/index.js";
import type {
  ClientFeed,
  ClientFeedOptions,
  FeedSoundKind,
  FeedStart,
  FeedUser,
  RelayedFeed,
} from "../../player/index.js";
import type { LiveMessage } from "./box-live.js";
import type { Seat, SeatListener, SeatWish, SharedLive } from "./shared-live.js";

/** A client that watches recorders live. */
export interface SharedClient {
  readonly codecs: readonly LiveCodec[];
  /** A feed on its way to the client, at the client's pace. */
  clientFeed(options: Pick<ClientFeedOptions, "sit" | "onEmpty">): ClientFeed;
  send(message: object): void;
  /** A subscription has nothing now. */
  onLost(id: number, reason: string): void;
}

/** What a client changes of a subscription. */
export interface WatchChange {
  readonly tile?: Tile | undefined;
  readonly stream?: WatchMessage["stream"] | undefined;
  readonly sound?: boolean | undefined;
  readonly boxes?: boolean | undefined;
}

/** What one client watches live of recorders, together with all others. */
export class SharedWatches {
  readonly #live: SharedLive;
  readonly #client: SharedClient;
  readonly #watches = new Map<number, SharedWatch>();
  readonly #feeds = new Map<RelayedFeed, ClientFeed>();

  constructor(live: SharedLive, client: SharedClient) {
    this.#live = live;
    this.#client = client;
  }

  get size(): number {
    return this.#watches.size;
  }

  has(id: number): boolean {
    return this.#watches.has(id);
  }

  watch(
    { id, channel, tile, stream = "auto", sound = false, boxes = false }: Omit<WatchMessage, "type">,
    of: Pick<SeatWish, "boxId" | "user" | "isOfPeer">,
  ): void {
    const watch = new SharedWatch(id, this.#client, {
      feedOf: (feed) => this.#feedOf(feed),
      onEnd: () => this.leave(id),
    });
    this.#watches.set(id, watch);
    const wish = { ...of, channel, tile, stream, sound, boxes, codecs: this.#client.codecs };
    watch.start((listener) => this.#live.watch(wish, listener));
  }

  change(id: number, change: WatchChange): void {
    this.#watches.get(id)?.change(change);
  }

  /** The rights of its user are others. */
  recheck(user: SeatWish["user"]): void {
    for (const watch of this.#watches.values()) watch.recheck(user);
  }

  /** Calling it twice is harmless. */
  leave(id: number): void {
    this.#watches.get(id)?.close();
    this.#watches.delete(id);
  }

  /** Its user may watch none any more. */
  end(): void {
    for (const id of [...this.#watches.keys()]) {
      this.leave(id);
      this.#client.send({
        type: "ended",
        id,
        code: "FORBIDDEN",
        text: "you may not watch this recorder any more",
      });
    }
  }

  close(): void {
    for (const id of [...this.#watches.keys()]) this.leave(id);
  }

  #feedOf(feed: RelayedFeed): ClientFeed {
    const known = this.#feeds.get(feed);
    if (known !== undefined) return known;
    const made = this.#client.clientFeed({
      sit: (viewer) => {
        feed.join(viewer);
        return { feed, leave: () => feed.leave(viewer) };
      },
      onEmpty: () => this.#feeds.delete(feed),
    });
    this.#feeds.set(feed, made);
    return made;
  }
}

interface WatchParts {
  readonly feedOf: (feed: RelayedFeed) => ClientFeed;
  readonly onEnd: () => void;
}

/** One subscription of a client. */
class SharedWatch implements SeatListener, FeedUser {
  readonly #id: number;
  readonly #client: SharedClient;
  readonly #parts: WatchParts;
  #seat: Seat | undefined;
  #feed: ClientFeed | undefined;
  #stream: LiveMessage | undefined;
  #isClosed = false;

  constructor(id: number, client: SharedClient, parts: WatchParts) {
    this.#id = id;
    this.#client = client;
    this.#parts = parts;
  }

  start(sit: (listener: SeatListener) => Seat): void {
    const seat = sit(this);
    this.#seat = seat;
    if (this.#isClosed) seat.leave();
  }

  change({ tile, stream, sound, boxes }: WatchChange): void {
    const wish = this.#seat?.wish;
    if (wish === undefined) return;
    const isOtherSound = sound !== undefined && sound !== wish.sound;
    this.#seat?.change({
      tile: tile ?? wish.tile,
      stream: stream ?? wish.stream,
      sound: sound ?? wish.sound,
      boxes: boxes ?? wish.boxes,
    });
    if (isOtherSound) this.#feed?.refresh();
  }

  recheck(user: SeatWish["user"]): void {
    const seat = this.#seat;
    if (seat === undefined) return;
    seat.wish = { ...seat.wish, user };
    // What it had is not shown on until the other one comes: it may not be allowed any more.
    seat.stand();
    this.#drop();
    seat.join();
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
    this.#seat?.leave();
  }

  onStream(stream: LiveMessage, feed: RelayedFeed): void {
    const before = this.#feed;
    const next = this.#parts.feedOf(feed);
    const isSame = this.#stream?.source === stream.source && this.#stream?.reason === stream.reason;
    this.#stream = stream;
    this.#feed = next;
    if (next !== before) {
      before?.remove(this);
      next.add(this);
    } else if (!isSame) next.refresh();
  }

  onNotice(message: LiveMessage): void {
    this.#client.send({ ...message, id: this.#id });
    if (message.type === "ended" || message.type === "error") this.#parts.onEnd();
  }

  onLost(reason: string): void {
    this.#drop();
    this.#client.onLost(this.#id, reason);
  }

  takesSound({ codec }: FeedSoundKind): boolean {
    return this.#seat?.wish.sound === true && this.#client.codecs.some((known) => codec.startsWith(known));
  }

  onStart({ feed, width, height, init, isSoundLeft }: FeedStart): boolean {
    if (this.#isClosed || this.#stream === undefined) return false;
    const { source, reason } = this.#stream;
    const isUnplayed = isSoundLeft && this.#seat?.wish.sound === true;
    this.#client.send({
      ...{ type: "stream", id: this.#id, feed, mime: init.mime, source, width, height, sound: init.sound },
      ...(reason !== undefined ? { reason } : isUnplayed ? { reason: "sound-codec-not-playable" } : {}),
    });
    return true;
  }

  onDropped(count: number): void {
    this.#client.send({ type: "dropped", id: this.#id, count });
  }

  /** A feed of another recorder fails with its connection alone. */
  onFailure(): void {
    this.#drop();
  }

  #drop(): void {
    this.#feed?.remove(this);
    this.#feed = undefined;
    this.#stream = undefined;
  }
}
