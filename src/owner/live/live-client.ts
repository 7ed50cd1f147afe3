import type { Principal } from "../../access/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, errorText, type Guid, type Log, NvrdError } from "../../base/index.js";
import {
  type ChangeMessage,
  type ClientMessage,
  DECKS,
  type HelloMessage,
  type LeaveMessage,
  LIVE_CODECS,
  type LiveCodec,
  type PlaybackOrder,
  type PlayMessage,
  type SeenBox,
  type ServerMessage,
  type StatesMessage,
  type WatchMessage,
} from "../../contract/answer/index.js";
import { SocketClose, type SocketConnection, type SocketListener } from "../../http/index.js";
import type { LiveStream, StreamDirectory } from "../../live/index.js";
import {
  ClientFeed,
  type ClientFeedOptions,
  FeedTurns,
  type LiveFeeds,
  type Playback,
  type Playbacks,
  refusedViewing,
  SocketPace,
} from "../../player/index.js";
import type { OpenStreams } from "../../route/index.js";
import type { Camera, SiteStore } from "../../site/index.js";
import type { ChannelStates } from "./channel-states.js";
import { idOf, readClientMessage } from "./client-message.js";
import type { LiveSockets, SocketClient } from "./live-sockets.js";
import { LiveWatch, type WatchHost } from "./live-watch.js";
import type { SeenBoxes } from "./seen-boxes.js";
import { SentStates } from "./sent-states.js";

/** What the routes of this topic work with. */
export interface LiveNeeds {
  readonly site: SiteStore;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  /** The streams that are sent. */
  readonly liveFeeds: LiveFeeds;
  /** The clients. */
  readonly liveSockets: LiveSockets;
  /** How channels are. */
  readonly channelStates: ChannelStates;
  /** Where something is seen. */
  readonly seenBoxes: SeenBoxes;
  /** The recordings. */
  readonly playbacks: Playbacks;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  /** Version of the software. */
  readonly version: string;
}

/** Subscriptions of one client. */
export const WATCHES_MAX = 64;
/** A client that has sent so many messages that were not understood is disconnected. */
export const NOT_UNDERSTOOD_MAX = 16;
/** A stream that could not be sent is tried again after so many looks. */
const RETRY_LOOKS = 5;

export interface LiveClientOptions {
  readonly needs: LiveNeeds;
  readonly principal: Principal;
  readonly clock: Clock;
  readonly log: Log;
}

/** One client of the live socket: reads its messages, and has its subscriptions and its playbacks. */
export class LiveClient implements SocketListener, SocketClient, WatchHost {
  readonly #options: LiveClientOptions;
  readonly streams: StreamDirectory;
  readonly #watches = new Map<number, LiveWatch>();
  /** Feeds of streams as they are, and transcoded. */
  readonly #plain = new Map<LiveStream, ClientFeed>();
  readonly #transcoded = new Map<LiveStream, ClientFeed>();
  #principal: Principal;
  #codecs: readonly LiveCodec[] | undefined;
  #connection: SocketConnection | undefined;
  #pace: SocketPace | undefined;
  #turns: FeedTurns | undefined;
  /** By their decks. */
  readonly #playbacks = new Map<number, Playback>();
  #notUnderstood = 0;
  #looks = 0;
  readonly #sentStates: SentStates;

  constructor(options: LiveClientOptions) {
    this.#options = options;
    this.#principal = options.principal;
    this.streams = options.needs.streams;
    this.#sentStates = new SentStates(options.needs.channelStates);
  }

  get codecs(): readonly LiveCodec[] {
    return this.#codecs ?? [];
  }

  get liveWatches(): number {
    return this.#watches.size;
  }

  get recordedWatches(): number {
    return [...this.#playbacks.values()].reduce((sum, { ids }) => sum + ids.length, 0);
  }

  get principal(): Principal {
    return this.#principal;
  }

  /** The connection is open. */
  start(connection: SocketConnection): void {
    const { needs, clock } = this.#options;
    this.#connection = connection;
    this.#pace = new SocketPace(connection, needs.liveSockets.waiting, clock);
    this.#turns = new FeedTurns(this.#pace, clock);
  }

  /** Disconnects it. */
  end(reason: string): void {
    this.#connection?.close(SocketClose.policy, reason);
  }

  onMessage(text: string | undefined): void {
    let message: ClientMessage;
    try {
      message = readClientMessage(text);
    } catch (error) {
      this.#refuse(error, idOf(text));
      this.#notUnderstood += 1;
      if (this.#notUnderstood >= NOT_UNDERSTOOD_MAX) this.end("too many messages that were not understood");
      return;
    }
    try {
      this.#take(message);
    } catch (error) {
      this.#refuse(error, "id" in message ? message.id : undefined);
    }
  }

  onDrain(): void {
    this.#pace?.drained();
    this.#turns?.pump();
    for (const playback of this.#playbacks.values()) playback.onDrain();
  }

  onPong(text: string): void {
    this.#pace?.answered(text);
    this.#turns?.pump();
  }

  onClose(): void {
    this.#connection = undefined;
    this.#pace?.close();
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
    for (const playback of this.#playbacks.values()) playback.close();
    this.#playbacks.clear();
  }

  lookAfter(): void {
    this.#looks += 1;
    this.#sendStates();
    if (this.#pace?.isStalled === true) this.end("the client reads nothing");
    this.#turns?.lookAfter();
    for (const watch of [...this.#watches.values()]) watch.lookAfter(this.#looks % RETRY_LOOKS === 0);
  }

  /** The configuration or the user's rights have changed. */
  recheck(principal: Principal): void {
    this.#principal = principal;
    // What may be shown now may not have been allowed before.
    if (this.#sentStates.isAsked) this.#followStates({ on: true });
    for (const watch of [...this.#watches.values()]) {
      const refusal = this.#refusal(watch.channelId);
      if (refusal === undefined) watch.recheck();
      else this.#endWatch(watch, refusal);
    }
    for (const playback of this.#playbacks.values()) playback.recheck();
  }

  camera(id: Guid): Camera | undefined {
    return this.#options.needs.site.current.cameras.find((camera) => camera.id === id);
  }

  feedOf(stream: LiveStream, isTranscoded: boolean): ClientFeed {
    const feeds = isTranscoded ? this.#transcoded : this.#plain;
    const known = feeds.get(stream);
    if (known !== undefined) return known;
    const { liveFeeds } = this.#options.needs;
    const feed = new ClientFeed({
      ...this.#connected(),
      clock: this.#options.clock,
      sit: (viewer) => liveFeeds.join(stream, isTranscoded, viewer),
      onEmpty: () => feeds.delete(stream),
      onDropped: (count) => this.#options.needs.liveSockets.countLeftOut(count),
    });
    feeds.set(stream, feed);
    return feed;
  }

  /** A feed of another recorder on its way to this client, which all that it watches share. Throws NvrdError NOT_AVAILABLE. */
  clientFeed(options: Pick<ClientFeedOptions, "sit" | "onEmpty">): ClientFeed {
    const onDropped = (count: number): void => this.#options.needs.liveSockets.countLeftOut(count);
    return new ClientFeed({ ...this.#connected(), clock: this.#options.clock, onDropped, ...options });
  }

  followBoxes(channelId: Guid, listener: (boxes: readonly SeenBox[]) => void): { close(): void } {
    return this.#options.needs.seenBoxes.follow(channelId, listener);
  }

  lastRecordedUs(stream: LiveStream): number | undefined {
    const { archive, clock } = this.#options.needs;
    return archive.nearestFrameUs(stream.key, clock.nowUs());
  }

  send(message: ServerMessage): void {
    this.#connection?.send(JSON.stringify(message));
  }

  #connected(): Pick<ClientFeedOptions, "connection" | "pace" | "turns"> {
    const [connection, pace, turns] = [this.#connection, this.#pace, this.#turns];
    if (connection === undefined || pace === undefined || turns === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the client has disconnected");
    return { connection, pace, turns };
  }

  #take(message: ClientMessage): void {
    if (message.type === "hello") this.#greet(message);
    else if (this.#codecs === undefined)
      throw new NvrdError("BAD_REQUEST", "the first message must be hello", {
        hint: "say hello with your codecs",
      });
    else this.#takeOrder(message);
  }

  #takeOrder(message: Exclude<ClientMessage, HelloMessage>): void {
    if (message.type === "watch") this.#watch(message);
    else if (message.type === "change") this.#change(message);
    else if (message.type === "leave") this.#leave(message);
    else if (message.type === "play") this.#play(message);
    else if (message.type === "states") this.#followStates(message);
    else this.#order(message);
  }

  #greet({ codecs }: HelloMessage): void {
    if (this.#codecs !== undefined)
      throw new NvrdError("BAD_REQUEST", "hello has been said already", { hint: "" });
    // Codecs that this version does not know are none that it could send.
    this.#codecs = LIVE_CODECS.filter((codec) => codecs.includes(codec));
    const { version, clock, playbacks } = this.#options.needs;
    const limits = { watches: WATCHES_MAX, playbackChannels: playbacks.channelsMax, decks: DECKS };
    this.send({ type: "welcome", version, time: clock.nowUs() / 1000, limits });
  }

  #watch(message: WatchMessage): void {
    const { id, channel } = message;
    if (this.#isTaken(id))
      throw new NvrdError("BAD_REQUEST", `subscription ${id} exists already`, { hint: "use change" });
    if (this.#watches.size >= WATCHES_MAX) {
      throw new NvrdError("TOO_MANY_REQUESTS", `a client has at most ${WATCHES_MAX} subscriptions`, {
        hint: "leave one first",
      });
    }
    const refusal = this.#refusal(channel);
    if (refusal !== undefined) throw refusal;
    const watch = new LiveWatch(this, message);
    this.#watches.set(id, watch);
    watch.update();
  }

  #isTaken(id: number): boolean {
    return this.#watches.has(id) || this.#playbackOf(id) !== undefined;
  }

  /** The playback that a subscription is of. */
  #playbackOf(id: number): { readonly deck: number; readonly playback: Playback } | undefined {
    for (const [deck, playback] of this.#playbacks) if (playback.ids.includes(id)) return { deck, playback };
    return undefined;
  }

  #change(message: ChangeMessage): void {
    const { id } = message;
    const watch = this.#watches.get(id) ?? this.#playbackOf(id)?.playback;
    if (watch === undefined) throw unknownWatch(id);
    watch.change(message);
  }

  #leave(message: LeaveMessage): void {
    const { id } = message;
    const watch = this.#watches.get(id);
    if (watch !== undefined) {
      this.#watches.delete(id);
      watch.close();
      return;
    }
    const played = this.#playbackOf(id);
    if (played === undefined) throw unknownWatch(id);
    const { deck, playback } = played;
    playback.leave(message);
    if (playback.ids.length === 0) this.#endPlayback(deck);
  }

  #play(message: PlayMessage): void {
    const { playbacks } = this.#options.needs;
    const { deck = 0 } = message;
    const ids = message.watches.map(({ id }) => id);
    const isElsewhere = (id: number) => (this.#playbackOf(id) ?? { deck }).deck !== deck;
    const taken = ids.find((id, at) => this.#watches.has(id) || isElsewhere(id) || ids.indexOf(id) !== at);
    if (taken !== undefined)
      throw new NvrdError("BAD_REQUEST", `subscription ${taken} exists already`, { hint: "" });
    this.#endPlayback(deck);
    const client = this;
    const { connection } = this.#connected();
    const playback = playbacks.open(message, {
      codecs: this.codecs,
      get principal() {
        return client.#principal;
      },
      send: (answer) => this.send(deck === 0 || answer.type !== "playback" ? answer : { ...answer, deck }),
      sendMedia: (bytes) => connection.send(bytes),
      get waitingBytes() {
        return connection.waitingBytes;
      },
    });
    this.#playbacks.set(deck, playback);
  }

  #order(message: PlaybackOrder): void {
    const playback = this.#playbacks.get(message.deck ?? 0);
    if (playback === undefined)
      throw new NvrdError("BAD_REQUEST", "nothing is being played", { hint: "send play first" });
    playback.order(message);
  }

  #followStates({ on }: Pick<StatesMessage, "on">): void {
    this.#sentStates.ask(on);
    this.#sendStates();
  }

  #sendStates(): void {
    const news = this.#sentStates.next((channel) => this.#refusal(channel) === undefined);
    for (const state of news) this.send({ type: "state", ...state });
  }

  #endPlayback(deck: number): void {
    this.#playbacks.get(deck)?.close();
    this.#playbacks.delete(deck);
  }

  /** Why the user may not watch the channel; undefined if it may. */
  #refusal(channelId: Guid): NvrdError | undefined {
    const principal = this.#principal;
    const camera = this.camera(channelId);
    if (camera === undefined || !principal.maySee(channelId))
      return new NvrdError("NOT_FOUND", `there is no channel ${channelId}`);
    // Any stream: which of them may be received is for the choice.
    const of = { channelId, streamType: "Alternative" } as const;
    const refusal = refusedViewing(principal, { of, sound: false, archived: false });
    return refusal === undefined
      ? undefined
      : new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
  }

  #endWatch(watch: LiveWatch, { code, message, hint }: NvrdError): void {
    this.#watches.delete(watch.id);
    watch.close();
    this.send({ type: "ended", id: watch.id, code, text: sentence(message, hint) });
  }

  /** Answers a message that was not taken. Other errors than NvrdError are faults of the service, and close the connection. */
  #refuse(error: unknown, id: number | undefined): void {
    if (!(error instanceof NvrdError)) throw error;
    const { log } = this.#options;
    log.debug({ code: error.code, reason: errorText(error) }, "a message of the live socket was refused");
    const text = sentence(error.message, error.hint);
    this.send({ type: "error", code: error.code, text, ...(id === undefined ? {} : { id }) });
  }
}

function sentence(message: string, hint: string): string {
  return hint === "" ? message : `${message}: ${hint}`;
}

function unknownWatch(id: number): NvrdError {
  return new NvrdError("NOT_FOUND", `there is no subscription ${id}`, { hint: "watch or play first" });
}
