import type { ClientHttp2Stream } from "node:http2";
import { isAllForbidden, type Principal } from "../../access/index.js";
import type { ClockTimer, Guid } from "../../base/index.js";
import type { LiveCodec } from "../../contract/answer/index.js";
import { GROUP_RIGHTS, type GroupRight, type hubUser, type ValueOf } from "../../contract/index.js";
import type { RelayedFeed } from "../../player/index.js";
import { LIVE_PROTOCOL } from "../live/index.js";
import { BoxFeeds, type FeedSource, type FeedWatcher, type FeedWish } from "./box-feeds.js";
import type { LiveMessage } from "./box-live.js";
import { requireHub } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";

/** A recorder that is lost is tried again after this, and each time after twice as long. */
const RETRY_MS = 2000;
const RETRY_MS_MAX = 30_000;
/** How often it is looked whether viewers have their pictures over the hub that all have them over. */
const LOOK_MS = 10_000;

type HubUser = ValueOf<typeof hubUser>;

/** The rights that decide what of a channel is sent live. */
const LIVE_RIGHTS: readonly GroupRight[] = ["CanReceiveMainStream", "CanReceiveSound"];
/** Who watches, in the name of all viewers that may see the same. */
const VIEWERS = {
  ...{ Id: "00000000-0000-4000-8000-000000000002", Name: "viewers", Group: "viewers" },
  ...{ IsAdministrator: false, Archive: false, Address: "" },
} as const;

/** What a recorder is told of viewers: what they may see live, and not who they are, since they share what comes. */
export function viewersLike(principal: Principal): HubUser {
  const { group } = principal;
  const isSenior = group.seniorAdministrators;
  const Rights = GROUP_RIGHTS.filter((right) =>
    right === "IsAllForbidden"
      ? isAllForbidden(principal)
      : LIVE_RIGHTS.includes(right) && (isSenior || group.rights[right]),
  );
  return { ...VIEWERS, Rights, Realtime: isSenior || group.realtimeChannels === "all" };
}

/** What a viewer wants to see. */
export interface SeatWish extends FeedWish {
  readonly sound: boolean;
  readonly boxes: boolean;
  readonly boxId: Guid;
  readonly user: HubUser;
  readonly codecs: readonly LiveCodec[];
  /** Over this hub's own connection alone: another hub asks. */
  readonly isOfPeer: boolean;
}

/** Receives what a viewer is told. */
export interface SeatListener {
  onStream(stream: LiveMessage, feed: RelayedFeed): void;
  onNotice(message: LiveMessage): void;
  /** Nothing comes now; it goes on by itself unless another hub asks. */
  onLost(reason: string): void;
}

/** What all viewers of a hub watch live of its recorders. */
export class SharedLive {
  readonly #needs: Pick<FleetNeeds, "boxes" | "liveFeeds" | "clock">;
  /** By way, recorder and rights. */
  readonly #sockets = new Map<string, BoxFeeds[]>();
  readonly #seats = new Set<Seat>();
  readonly #retries = new Map<Guid, ClockTimer>();
  readonly #retryMs = new Map<Guid, number>();
  #looks: ClockTimer | undefined;
  #isToLook = false;

  constructor(needs: Pick<FleetNeeds, "boxes" | "liveFeeds" | "clock">) {
    this.#needs = needs;
  }

  /** Begins to watch. The listener may be called before this returns. */
  watch(wish: SeatWish, listener: SeatListener): Seat {
    const seat = new Seat(this, wish, listener);
    this.#seats.add(seat);
    this.#looks ??= this.#needs.clock.setInterval(() => this.#look(), LOOK_MS);
    seat.join();
    return seat;
  }

  /** Subscribes where others have the same already, or anew. */
  sit(seat: Seat, watcher: FeedWatcher): FeedSource {
    const { wish } = seat;
    const hub = this.#wayTo(wish);
    const feeds = this.#placeOf(seat, hub) ?? this.#open(keyOf(wish, hub), hub, wish);
    return feeds.join(wish, watcher);
  }

  /** It is known what a recorder sends: who has the same twice has it once from here on. */
  came(boxId: Guid): void {
    this.#retryMs.delete(boxId);
    if (this.#isToLook) return;
    this.#isToLook = true;
    queueMicrotask(() => {
      this.#isToLook = false;
      this.#look();
    });
  }

  /** A seat has lost its recorder, and is tried again. */
  lost({ wish: { boxId, isOfPeer } }: Seat): void {
    if (isOfPeer || this.#retries.has(boxId)) return;
    const ms = this.#retryMs.get(boxId) ?? RETRY_MS;
    this.#retryMs.set(boxId, Math.min(2 * ms, RETRY_MS_MAX));
    this.#retries.set(
      boxId,
      this.#needs.clock.setTimeout(() => this.#again(boxId), ms),
    );
  }

  left(seat: Seat): void {
    this.#seats.delete(seat);
    if ([...this.#seats].some(({ wish }) => wish.boxId === seat.wish.boxId)) return;
    this.#retries.get(seat.wish.boxId)?.clear();
    this.#retries.delete(seat.wish.boxId);
    this.#retryMs.delete(seat.wish.boxId);
    if (this.#seats.size > 0) return;
    this.#looks?.clear();
    this.#looks = undefined;
  }

  #wayTo({ boxId, isOfPeer }: SeatWish): string {
    return (isOfPeer ? undefined : requireHub(this.#needs).liveHub(boxId)) ?? "here";
  }

  /** Where there is what is wanted, or room for it; the first of several, so that all have the same. */
  #placeOf(seat: Seat, hub: string): BoxFeeds | undefined {
    const { wish } = seat;
    const open = this.#sockets.get(keyOf(wish, hub)) ?? [];
    const shared = open.find(
      (feeds) =>
        (feeds.sourceOf(wish) !== undefined || !feeds.isFull) &&
        feeds.sourcesOf(wish).some(({ stream }) => stream !== undefined && seat.mayShare(stream)),
    );
    const alike = open.filter(({ codecs }) => codecs.join() === wish.codecs.join());
    return (
      shared ??
      alike.find((feeds) => feeds.sourceOf(wish) !== undefined) ??
      alike.find((feeds) => !feeds.isFull)
    );
  }

  #again(boxId: Guid): void {
    this.#retries.delete(boxId);
    for (const seat of [...this.#seats]) if (seat.wish.boxId === boxId && !seat.isSeated) seat.join();
  }

  /** Who has pictures over another hub than all others, or as viewers with other codecs have them too, would bring the same twice. */
  #look(): void {
    for (const seat of [...this.#seats])
      if (seat.isSeated && this.#placeOf(seat, this.#wayTo(seat.wish)) !== seat.feeds) seat.join();
  }

  #open(key: string, hub: string, { boxId, user, codecs }: SeatWish): BoxFeeds {
    const { liveFeeds } = this.#needs;
    const headers = {
      ...{ ":method": "CONNECT", ":protocol": "websocket", ":scheme": "https", ":authority": "box" },
      ...{ ":path": "/api/live", "sec-websocket-protocol": LIVE_PROTOCOL },
    };
    const feeds: BoxFeeds = new BoxFeeds({
      codecs,
      open: async () =>
        await this.#opened(await requireHub(this.#needs).openLive(boxId, hub, { user, headers })),
      newFeed: () => liveFeeds.relayed(),
      onEnd: () => {
        const rest = (this.#sockets.get(key) ?? []).filter((each) => each !== feeds);
        if (rest.length === 0) this.#sockets.delete(key);
        else this.#sockets.set(key, rest);
      },
    });
    this.#sockets.set(key, [...(this.#sockets.get(key) ?? []), feeds]);
    return feeds;
  }

  #opened(stream: ClientHttp2Stream): ClientHttp2Stream {
    // Its head and its close report how it ends.
    stream.on("error", () => stream.destroy());
    return stream;
  }
}

const ofServers = new WeakMap<object, SharedLive>();

/** That of this server. */
export function sharedLive(needs: Pick<FleetNeeds, "boxes" | "liveFeeds" | "clock">): SharedLive {
  const known = ofServers.get(needs.liveFeeds) ?? new SharedLive(needs);
  ofServers.set(needs.liveFeeds, known);
  return known;
}

/** What of a recorder can be shared: over one hub, by viewers with the same rights. */
function keyOf({ boxId, user }: SeatWish, hub: string): string {
  return `${hub} ${boxId} ${user.Rights.join()} ${user.Realtime}`;
}

/** A viewer's place: what it shares with others, and what takes its place. */
export class Seat {
  readonly #live: SharedLive;
  readonly #listener: SeatListener;
  wish: SeatWish;
  #shown: Subscription | undefined;
  /** Takes the place of what is shown as soon as it has a stream. */
  #next: Subscription | undefined;
  /** What viewers with the same codecs get; undefined: not known, or never asked. */
  #own: LiveMessage | undefined;
  /** `guess`: what others have may be the same; `same`: only what is known to be the same; `none`: nothing that viewers with other codecs have. */
  #sharing: "guess" | "same" | "none" = "guess";
  #isLeft = false;

  constructor(live: SharedLive, wish: SeatWish, listener: SeatListener) {
    this.#live = live;
    this.wish = wish;
    this.#listener = listener;
  }

  get isSeated(): boolean {
    return this.#shown !== undefined || this.#next !== undefined;
  }

  /** What it has its pictures from, or will have. */
  get feeds(): BoxFeeds | undefined {
    return (this.#next ?? this.#shown)?.source?.feeds;
  }

  /** Whether a stream of viewers with other codecs may be its own too. */
  mayShare(stream: LiveMessage): boolean {
    if (this.#sharing === "none") return false;
    const isLikely = this.#sharing === "guess" && isUsual(stream) && isPlayed(stream, this.wish.codecs);
    return isLikely || (this.#own !== undefined && isSameStream(stream, this.#own));
  }

  /** Subscribes, or anew; what is shown stays until something else has come. */
  join(): void {
    if (this.#isLeft) return;
    this.#next?.leave();
    const next = new Subscription(this);
    this.#next = next;
    next.sit(() => this.#live.sit(this, next));
  }

  change(change: Partial<Pick<SeatWish, "tile" | "stream" | "sound" | "boxes">>): void {
    const before = this.wish;
    this.wish = { ...before, ...change };
    const { tile, stream } = this.wish;
    const isOther =
      tile.width !== before.tile.width || tile.height !== before.tile.height || stream !== before.stream;
    if (isOther) {
      this.#own = undefined;
      this.#sharing = "guess";
    }
    if (isOther && this.isSeated) this.join();
    else for (const each of [this.#shown, this.#next]) each?.refresh();
  }

  /** Has nothing, until it joins again. */
  stand(): void {
    for (const each of [this.#shown, this.#next]) each?.leave();
    this.#shown = undefined;
    this.#next = undefined;
  }

  /** Calling it twice is harmless. */
  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.stand();
    this.#live.left(this);
  }

  onStream(of: Subscription, feed: RelayedFeed, stream: LiveMessage, codecs: readonly LiveCodec[]): void {
    if (this.#isLeft || !this.#has(of)) return;
    if (codecs.join() === this.wish.codecs.join()) this.#own = stream;
    else if (!this.mayShare(stream)) {
      // It gets what is for its own codecs. Not while others are told.
      this.#sharing = this.#own === undefined ? "same" : "none";
      queueMicrotask(() => this.join());
      return;
    }
    if (of === this.#next) {
      this.#shown?.leave();
      this.#shown = of;
      this.#next = undefined;
    }
    this.#live.came(this.wish.boxId);
    this.#listener.onStream(stream, feed);
  }

  onNotice(of: Subscription, message: LiveMessage): void {
    if (!this.#isLeft && this.#has(of)) this.#listener.onNotice(message);
  }

  onLost(of: Subscription, reason: string): void {
    if (this.#isLeft || !this.#has(of)) return;
    if (of === this.#shown) this.#shown = undefined;
    else this.#next = undefined;
    if (this.isSeated) return;
    this.#listener.onLost(reason);
    this.#live.lost(this);
  }

  #has(subscription: Subscription): boolean {
    return subscription === this.#shown || subscription === this.#next;
  }
}

/** A seat's part in a subscription at a recorder. */
class Subscription implements FeedWatcher {
  readonly #seat: Seat;
  source: FeedSource | undefined;
  #isLeft = false;

  constructor(seat: Seat) {
    this.#seat = seat;
  }

  get sound(): boolean {
    return this.#seat.wish.sound;
  }

  get boxes(): boolean {
    return this.#seat.wish.boxes;
  }

  sit(join: () => FeedSource): void {
    this.source = join();
    // It was told something at once that made it leave.
    if (this.#isLeft) this.source.feeds.leave(this.source, this);
  }

  refresh(): void {
    this.source?.feeds.refresh(this.source);
  }

  leave(): void {
    this.#isLeft = true;
    this.source?.feeds.leave(this.source, this);
  }

  onStream(stream: LiveMessage, feed: RelayedFeed, codecs: readonly LiveCodec[]): void {
    this.#seat.onStream(this, feed, stream, codecs);
  }

  onNotice(message: LiveMessage): void {
    this.#seat.onNotice(this, message);
  }

  onLost(reason: string): void {
    this.#seat.onLost(this, reason);
  }
}

/** Why it was chosen is another question: it depends on what was asked for. */
function isSameStream(one: LiveMessage, other: LiveMessage): boolean {
  return (["source", "mime", "width", "height"] as const).every((member) => one[member] === other[member]);
}

/** Whether what its viewers play decides nothing. */
function isUsual({ source, reason }: LiveMessage): boolean {
  return source !== "transcode" && reason !== "codec-not-playable";
}

function isPlayed({ mime }: LiveMessage, codecs: readonly LiveCodec[]): boolean {
  const [, family] = /codecs="(\w+)/.exec(typeof mime === "string" ? mime : "") ?? [];
  return codecs.some((codec) => codec === family);
}
