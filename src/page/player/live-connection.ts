import type { ClientMessage, ServerMessage, StateMessage } from "../../contract/answer/index.js";
import type { ConnectionEnvironment, SocketLike } from "./connection-environment.js";
import { decodeHeader, HEADER_BYTES } from "./media-header.js";
import { PlaybackSession } from "./playback-session.js";
import { Subscription, type SubscriptionHost } from "./subscription.js";
import type { Playback, PlaybackListener, PlaybackOrder, Watch, WatchListener, WatchOrder } from "./watch.js";

/** Waits before another attempt: doubled each time, up to the last, and spread, as all pages of a box come back at once. */
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 15_000;
/** How often the connection looks after itself. */
const CHECK_MS = 1000;
/** A clock that moves so much between two looks: the device slept, and its connections are dead. */
const SLEPT_MS = 8000;
/** Pictures are expected, and so long nothing came. Longer each time, as one large picture takes long over a slow link. */
const SILENT_MS = 8000;
const SILENT_MS_MAX = 64_000;
/** A connection that has lasted so long was worth its patience. */
const LASTED_MS = 60_000;
/** Nothing has to come, as no camera sends; then a new connection now and then finds a dead link. */
const IDLE_MS = 60_000;
/** Longest wait for the service's first word. */
const WELCOME_MS = 10_000;
const IDS_MAX = 65_535;

/** About one subscription. */
type OwnMessage = Exclude<ServerMessage, { type: "welcome" } | { type: "playback" } | { type: "state" }>;

export interface StatesListener {
  /** Nothing is known; the states come now. */
  onBegin(): void;
  onState(state: StateMessage): void;
}

export type ConnectionState = "closed" | "connecting" | "open" | "waiting";

export interface ConnectionReport {
  readonly state: ConnectionState;
  /** When the connection was lost, by the device's clock; absent while it is up. */
  readonly lostAtMs?: number;
}

/**
 * The one connection to `/api/live`, and all that is watched over it. It comes back by itself and then asks for everything
 * again; those who watch notice nothing but a pause. Without anybody who watches there is no connection.
 */
export class LiveConnection implements SubscriptionHost {
  readonly #environment: ConnectionEnvironment;
  readonly #onReport: (report: ConnectionReport) => void;
  readonly #subscriptions = new Map<number, Subscription>();
  /** Init segments of the streams that come now. */
  readonly #inits = new Map<number, Uint8Array>();
  /** By their decks. */
  readonly #playbacks = new Map<number, PlaybackSession>();
  /** Who hears how channels are. */
  #states: StatesListener | undefined;
  #socket: SocketLike | undefined;
  #isWelcome = false;
  #isAsleep = false;
  #failures = 0;
  #lastId = 0;
  #openedMs = 0;
  #heardMs = 0;
  #checkedMs = 0;
  #lostAtMs: number | undefined;
  #silentMs = SILENT_MS;
  #cancelRetry: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;

  constructor(environment: ConnectionEnvironment, onReport: (report: ConnectionReport) => void) {
    this.#environment = environment;
    this.#onReport = onReport;
  }

  watch(order: WatchOrder, listener: WatchListener): Watch {
    const subscription = new Subscription(this, order, listener);
    this.#subscriptions.set(subscription.id, subscription);
    this.#follow();
    this.send({ type: "watch", ...subscription.order });
    return subscription;
  }

  /** One at a time on each deck: another one takes its place. */
  play(order: PlaybackOrder, listener: PlaybackListener): Playback {
    const { deck } = order;
    this.#playbacks.get(deck)?.close();
    const watches = order.watches.map((watch) => new Subscription(this, watch.order, watch.listener));
    const playback = new PlaybackSession(this, { ...order, watches }, listener, () => {
      if (this.#playbacks.get(deck) === playback) this.#playbacks.delete(deck);
    });
    this.#playbacks.set(deck, playback);
    for (const watch of watches) this.#subscriptions.set(watch.id, watch);
    this.#follow();
    if (this.#isWelcome) playback.begin();
    return playback;
  }

  /** Hears how channels are, over lost connections; returns how to hear no more. */
  followStates(listener: StatesListener): () => void {
    this.#states = listener;
    this.#follow();
    this.send({ type: "states", on: true });
    return () => {
      if (this.#states !== listener) return;
      this.#states = undefined;
      this.send({ type: "states", on: false });
      this.#closeSoon();
    };
  }

  send(message: ClientMessage): void {
    if (this.#isWelcome) this.#socket?.send(JSON.stringify(message));
  }

  number(): number {
    do this.#lastId = (this.#lastId % IDS_MAX) + 1;
    while (this.#subscriptions.has(this.#lastId));
    return this.#lastId;
  }

  forget(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription.id)) return;
    this.send({ type: "leave", id: subscription.id });
    this.#dropInits();
    // Not at once: a screen that is changed leaves all and watches others.
    this.#closeSoon();
  }

  begin(subscription: Subscription): void {
    const playback = this.#playbackOf(subscription);
    if (playback !== undefined) {
      playback.begin();
      return;
    }
    if (!this.#subscriptions.delete(subscription.id)) return;
    this.send({ type: "leave", id: subscription.id });
    subscription.renew();
    this.#subscriptions.set(subscription.id, subscription);
    this.#dropInits();
    this.send({ type: "watch", ...subscription.order });
  }

  #playbackOf(subscription: Subscription): PlaybackSession | undefined {
    return [...this.#playbacks.values()].find((playback) => playback.has(subscription));
  }

  /** Gives all playback's subscriptions other numbers, as it is asked for anew. */
  renewAll(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) {
      this.#subscriptions.delete(subscription.id);
      subscription.renew();
      this.#subscriptions.set(subscription.id, subscription);
    }
  }

  /** Nobody looks: nothing is to be sent. `wake` brings all back. */
  sleep(): void {
    this.#isAsleep = true;
    this.#drop();
    this.#report("closed");
  }

  /** Somebody looks again, or the network is back: does not wait for the next attempt. */
  wake(): void {
    this.#isAsleep = false;
    this.#failures = 0;
    if (this.#isDead()) this.#drop();
    this.#follow();
  }

  #follow(): void {
    if (this.#socket !== undefined || this.#isAsleep || this.#isUnused) return;
    this.#cancelRetry?.();
    this.#isWelcome = false;
    this.#openedMs = this.#environment.nowMs();
    this.#heardMs = this.#openedMs;
    this.#report("connecting");
    const opened: SocketLike = this.#environment.open({
      onOpen: () => this.#mine(opened, () => this.#greet(opened)),
      onText: (text) => this.#mine(opened, () => this.#readText(text)),
      onMedia: (bytes) => this.#mine(opened, () => this.#readMedia(bytes)),
      onClose: () => this.#mine(opened, () => this.#lose()),
    });
    this.#socket = opened;
    this.#checkedMs = this.#openedMs;
    this.#scheduleCheck();
  }

  /** What an old socket still says counts no more. */
  #mine(socket: SocketLike, call: () => void): void {
    if (this.#socket !== socket) return;
    this.#heardMs = this.#environment.nowMs();
    call();
  }

  #greet(socket: SocketLike): void {
    this.#openedMs = this.#environment.nowMs();
    socket.send(JSON.stringify({ type: "hello", codecs: this.#environment.codecs() }));
  }

  #lose(): void {
    if (!this.#isWelcome) this.#environment.onRefused();
    this.#drop();
    this.#lostAtMs ??= this.#environment.nowMs();
    this.#report("waiting");
    const longest = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#failures);
    this.#failures += 1;
    const wait = longest * (0.5 + this.#environment.random() / 2);
    this.#cancelRetry = this.#environment.after(wait, () => this.#follow());
  }

  #drop(): void {
    this.#cancelRetry?.();
    this.#cancelCheck?.();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isWelcome = false;
    this.#inits.clear();
    for (const subscription of this.#subscriptions.values()) subscription.follow(undefined);
    socket?.close();
  }

  get #isUnused(): boolean {
    return this.#subscriptions.size === 0 && this.#states === undefined;
  }

  #closeSoon(): void {
    if (this.#isUnused) this.#environment.after(CHECK_MS, () => this.#closeUnused());
  }

  #closeUnused(): void {
    if (!this.#isUnused) return;
    this.#drop();
    this.#lostAtMs = undefined;
    this.#report("closed");
  }

  #scheduleCheck(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = this.#environment.after(CHECK_MS, () => this.#check());
  }

  #check(): void {
    const now = this.#environment.nowMs();
    if (this.#socket === undefined) return;
    if (this.#isDead()) {
      this.#lostAtMs ??= now;
      this.#failures = 0;
      const isShort = now - this.#openedMs < LASTED_MS;
      this.#silentMs = isShort ? Math.min(SILENT_MS_MAX, this.#silentMs * 2) : SILENT_MS;
      this.#drop();
      this.#follow();
    } else {
      this.#checkedMs = now;
      this.#scheduleCheck();
    }
  }

  #isDead(): boolean {
    const now = this.#environment.nowMs();
    if (Math.abs(now - this.#checkedMs - CHECK_MS) > SLEPT_MS) return true;
    const silent = now - this.#heardMs;
    if (!this.#isWelcome) return silent > WELCOME_MS;
    const expects = [...this.#subscriptions.values()].some(({ expectsMedia }) => expectsMedia);
    return silent > (expects ? this.#silentMs : IDLE_MS);
  }

  #readText(text: string): void {
    const message = JSON.parse(text) as ServerMessage;
    if (message.type === "welcome") this.#welcome(message.time);
    else if (message.type === "playback") this.#playbacks.get(message.deck ?? 0)?.onMessage(message);
    else if (message.type === "state") this.#states?.onState(message);
    else this.#readOwn(message);
  }

  #readOwn(message: OwnMessage): void {
    const subscription = message.id === undefined ? undefined : this.#subscriptions.get(message.id);
    if (subscription !== undefined) this.#deliver(subscription, message);
    else if (message.type === "error")
      for (const playback of this.#playbacks.values()) playback.onRefused(message);
  }

  #welcome(serviceMs: number): void {
    this.#environment.onServiceTime(serviceMs, this.#openedMs, this.#environment.nowMs());
    this.#isWelcome = true;
    this.#failures = 0;
    this.#lostAtMs = undefined;
    this.#report("open");
    for (const subscription of this.#subscriptions.values())
      if (this.#playbackOf(subscription) === undefined) this.send({ type: "watch", ...subscription.order });
    for (const playback of this.#playbacks.values()) playback.begin();
    if (this.#states === undefined) return;
    // What was reported before may be over.
    this.#states.onBegin();
    this.send({ type: "states", on: true });
  }

  #deliver(subscription: Subscription, message: OwnMessage): void {
    const { listener } = subscription;
    switch (message.type) {
      case "stream":
        // Another stream under the number that it had: its init segment comes, the one that is known is the old one's.
        if (subscription.feed === message.feed) this.#inits.delete(message.feed);
        subscription.follow(message.feed);
        subscription.expectsMedia = this.#playbackOf(subscription) === undefined;
        listener.onStream(message);
        this.#dropInits(message.feed);
        this.#repeatInit(subscription, message.feed);
        return;
      case "problem":
        subscription.expectsMedia = false;
        listener.onProblem(message);
        return;
      case "dropped":
        listener.onDropped(message.count);
        return;
      case "boxes":
        listener.onBoxes?.(message);
        return;
      case "gap":
        listener.onGap?.(message);
        return;
      default:
        this.#end(subscription, message);
    }
  }

  /** Another subscription has the same stream already, so that its init segment does not come again. */
  #repeatInit(subscription: Subscription, feed: number): void {
    const known = this.#inits.get(feed);
    if (known !== undefined) subscription.takeInit(known);
  }

  #end(subscription: Subscription, { code, text }: { readonly code: string; readonly text: string }): void {
    this.#subscriptions.delete(subscription.id);
    this.#dropInits();
    subscription.listener.onEnded({ code, text });
  }

  #dropInits(kept?: number): void {
    const used = new Set([...this.#subscriptions.values()].map(({ feed }) => feed));
    for (const feed of this.#inits.keys()) if (feed !== kept && !used.has(feed)) this.#inits.delete(feed);
  }

  #readMedia(message: ArrayBuffer): void {
    const header = decodeHeader(message);
    if (header === undefined) return;
    const watchers = [...this.#subscriptions.values()].filter(({ feed }) => feed === header.feed);
    const bytes = new Uint8Array(message, HEADER_BYTES);
    if (header.kind === "init") {
      this.#inits.set(header.feed, bytes);
      for (const subscription of watchers) subscription.takeInit(bytes);
      return;
    }
    for (const [index, subscription] of watchers.entries()) {
      subscription.expectsMedia = !header.isPlayback;
      // Each player writes its own times into its fragment.
      subscription.listener.onFragment(header, index === 0 ? bytes : bytes.slice());
    }
  }

  #report(state: ConnectionState): void {
    this.#onReport({ state, ...(this.#lostAtMs === undefined ? {} : { lostAtMs: this.#lostAtMs }) });
  }
}
