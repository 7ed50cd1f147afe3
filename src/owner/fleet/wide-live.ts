import { maySeeFleet, type Principal } from "../../access/index.js";
import { type Guid, NvrdError } from "../../base/index.js";
import {
  type ClientMessage,
  DECKS,
  type PlaybackOrder,
  type PlayMessage,
  type WatchMessage,
} from "../../contract/answer/index.js";
import type { SocketConnection } from "../../http/index.js";
import type { RequestContext } from "../../route/index.js";
import {
  LIVE_PROTOCOL,
  type LiveClient,
  type LiveListener,
  readClientMessage,
  WATCHES_MAX,
} from "../live/index.js";
import { BoxLive, type LiveMessage } from "./box-live.js";
import { openBox } from "./box-request.js";
import { requireHub } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { MixedPlayback, type PlaybackNotice } from "./mixed-playback.js";
import { sharedLive, viewersLike } from "./shared-live.js";
import { SharedWatches } from "./shared-watches.js";

/** With more waiting for the client, nothing more is taken of the boxes: they go on at their next key frames. */
const WAITING_BYTES_MAX = 256 * 1024;
/** Feeds of boxes have numbers from here on; those of this server are below. */
const FIRST_FEED = 0x8000_0000;
/** A ping has at most 125 bytes (RFC 6455, 5.5); a recorder's have a number. */
const PING_LENGTH_MAX = 64;
const PONG = /^box (\d+) (.*)$/s;

/** A subscription of a playback at a box. */
interface BoxWatch {
  readonly boxId: Guid;
  readonly deck: number;
}

interface OpenBoxLive {
  readonly live: BoxLive;
  readonly number: number;
  /** Playbacks that it has for a client, as far as it has said so; recorders of before 2026-12 have one, and say nothing. */
  decks?: number;
}

/**
 * A client of a hub's live socket: what it watches live of boxes it shares with all other clients; what it plays of them comes over one
 * socket a box, as it is, with other numbers of feeds; all else is this server's own client's.
 */
export class WideLive implements LiveListener {
  readonly #own: LiveClient;
  readonly #context: RequestContext<FleetNeeds>;
  /** Live. */
  readonly #shared: SharedWatches;
  /** Of playbacks. */
  readonly #watches = new Map<number, BoxWatch>();
  readonly #boxes = new Map<Guid, OpenBoxLive>();
  #principal: Principal;
  #connection: SocketConnection | undefined;
  #hello: string | undefined;
  /** By their decks. */
  readonly #playbacks = new Map<number, MixedPlayback>();
  /** Subscriptions of playbacks of this server's own channels by their decks, as far as they are not over. */
  readonly #ownPlaybacks = new Map<number, readonly number[]>();
  #nextFeed = FIRST_FEED;
  #nextNumber = 1;

  constructor(own: LiveClient, context: RequestContext<FleetNeeds>) {
    this.#own = own;
    this.#context = context;
    this.#principal = context.principal;
    this.#shared = new SharedWatches(sharedLive(context.needs), {
      get codecs() {
        return own.codecs;
      },
      clientFeed: (options) => own.clientFeed(options),
      send: (message) => this.#send(message),
      onLost: (id, reason) =>
        this.#send({ type: "problem", id, reason: "recorder-lost", text: lostText(reason) }),
    });
  }

  start(connection: SocketConnection): void {
    this.#connection = connection;
    this.#own.start(connection);
  }

  onMessage(text: string | undefined): void {
    const message = readOrUndefined(text);
    // What cannot be read, or comes before the hello, is refused as everywhere.
    if (message === undefined || (this.#hello === undefined && message.type !== "hello"))
      this.#own.onMessage(text);
    else
      try {
        if (!this.#take(message, text ?? "")) this.#own.onMessage(text);
      } catch (error) {
        this.#refuse(error, "id" in message ? message.id : undefined);
      }
  }

  onDrain(): void {
    this.#own.onDrain();
    for (const { live } of this.#boxes.values()) live.drained();
  }

  onPong(text: string): void {
    const [, number, payload = ""] = PONG.exec(text) ?? [];
    if (number === undefined) this.#own.onPong(text);
    else for (const box of this.#boxes.values()) if (box.number === Number(number)) box.live.pong(payload);
  }

  onClose(): void {
    this.#connection = undefined;
    for (const playback of this.#playbacks.values()) playback.close();
    this.#shared.close();
    for (const { live } of this.#boxes.values()) live.close();
    this.#boxes.clear();
    this.#own.onClose();
  }

  /** A box learns what a user may do when its socket is opened. */
  recheck(present: Principal): void {
    const before = this.#principal;
    this.#principal = present;
    this.#own.recheck(present);
    if (before.group === present.group) return;
    if (maySeeFleet(present)) this.#shared.recheck(viewersLike(present));
    else this.#shared.end();
    for (const boxId of [...this.#boxes.keys()]) {
      this.#boxes.get(boxId)?.live.close();
      this.#lost(boxId, "the rights of the user have changed");
    }
  }

  /** Whether it is about boxes. */
  #take(message: ClientMessage, text: string): boolean {
    if (message.type === "hello") {
      this.#hello ??= text;
      return false;
    }
    if (message.type === "watch") return this.#watch(message);
    if (message.type === "play") return this.#play(message);
    if (message.type === "change" || message.type === "leave") return this.#change(message);
    if (message.type === "states") return false;
    return this.#order(message);
  }

  #watch(message: WatchMessage): boolean {
    const place = this.#placeOf(message.channel);
    if (place === undefined) return false;
    this.#requireFree([message.id]);
    const of = { boxId: place.boxId, user: viewersLike(this.#principal), isOfPeer: false };
    this.#shared.watch({ ...message, channel: place.ownId }, of);
    return true;
  }

  #change(message: Extract<ClientMessage, { type: "change" | "leave" }>): boolean {
    const watch = this.#watches.get(message.id);
    if (message.type === "leave")
      for (const [deck, ids] of this.#ownPlaybacks)
        this.#ownPlaybacks.set(
          deck,
          ids.filter((id) => id !== message.id),
        );
    if (this.#shared.has(message.id)) {
      if (message.type === "leave") this.#shared.leave(message.id);
      else this.#shared.change(message.id, message);
      return true;
    }
    if (watch === undefined) return false;
    if (message.type === "leave") this.#watches.delete(message.id);
    this.#boxes.get(watch.boxId)?.live.send(message);
    this.#closeUnused(watch.boxId);
    return true;
  }

  #play(message: PlayMessage): boolean {
    const places = message.watches.map((watch) => ({ watch, place: this.#placeOf(watch.channel) }));
    const { deck = 0 } = message;
    this.#endPlayback(deck);
    this.#endOwnPlayback(deck);
    if (places.every(({ place }) => place === undefined)) {
      this.#ownPlaybacks.set(
        deck,
        message.watches.map(({ id }) => id),
      );
      return false;
    }
    const byBox = new Map<Guid, PlayMessage["watches"][number][]>();
    for (const { watch, place } of places) {
      if (place === undefined)
        throw new NvrdError("CONFLICT", "the hub's own cameras do not play in step with those of recorders", {
          hint: "play them by themselves",
        });
      const ofBox = byBox.get(place.boxId) ?? [];
      byBox.set(place.boxId, [...ofBox, { ...watch, channel: place.ownId }]);
    }
    this.#requireFree(message.watches.map(({ id }) => id));
    if ([...byBox.keys()].some((boxId) => deck >= (this.#boxes.get(boxId)?.decks ?? DECKS))) {
      const error = new NvrdError("NOT_SUPPORTED", "an older recorder has one playback for a client");
      this.#refuse(error, message.watches[0]?.id);
      return true;
    }
    for (const [boxId, watches] of byBox)
      for (const { id } of watches) this.#watches.set(id, { boxId, deck });
    const playback = new MixedPlayback(message, byBox, {
      send: (boxId, order) => this.#at(boxId).send(order),
      notify: (notice) => this.#send({ ...notice }),
      clock: this.#context.needs.clock,
    });
    this.#playbacks.set(deck, playback);
    return true;
  }

  #order(message: PlaybackOrder): boolean {
    const playback = this.#playbacks.get(message.deck ?? 0);
    playback?.order(message);
    return playback !== undefined;
  }

  #endPlayback(deck: number): void {
    this.#playbacks.get(deck)?.close();
    this.#playbacks.delete(deck);
    const ended = [...this.#watches].filter(([, watch]) => watch.deck === deck);
    for (const [id, { boxId }] of ended) {
      this.#watches.delete(id);
      this.#boxes.get(boxId)?.live.send({ type: "leave", id });
    }
    for (const boxId of new Set(ended.map(([, watch]) => watch.boxId))) this.#closeUnused(boxId);
  }

  /** On a deck a client has one playback, here or at boxes. */
  #endOwnPlayback(deck: number): void {
    for (const id of this.#ownPlaybacks.get(deck) ?? [])
      this.#own.onMessage(JSON.stringify({ type: "leave", id }));
    this.#ownPlaybacks.delete(deck);
  }

  #placeOf(channel: Guid) {
    const { needs } = this.#context;
    if (!maySeeFleet(this.#principal)) return undefined;
    return requireHub(needs).catalogue.place(channel);
  }

  #requireFree(ids: readonly number[]): void {
    const taken = ids.find(
      (id, at) => this.#watches.has(id) || this.#shared.has(id) || ids.indexOf(id) !== at,
    );
    if (taken !== undefined)
      throw new NvrdError("BAD_REQUEST", `subscription ${taken} exists already`, { hint: "use change" });
    if (this.#watches.size + this.#shared.size + ids.length > WATCHES_MAX)
      throw new NvrdError("TOO_MANY_REQUESTS", `a client has at most ${WATCHES_MAX} subscriptions`, {
        hint: "leave one first",
      });
  }

  /** The socket of a box, which is opened where there is none yet. */
  #at(boxId: Guid): BoxLive {
    const known = this.#boxes.get(boxId);
    if (known !== undefined) return known.live;
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    const live = new BoxLive({
      hello: this.#hello ?? "",
      open: () => this.#openAt(boxId),
      onMessage: (message) => this.#onMessage(boxId, message),
      onMedia: (bytes) => this.#connection?.send(bytes),
      onPing: (text) => {
        if (text.length <= PING_LENGTH_MAX) this.#connection?.ping(`box ${number} ${text}`);
      },
      nextFeed: () => this.#nextFeed++,
      together: (run) => (this.#connection === undefined ? undefined : this.#connection.together(run)),
      isFull: () => (this.#connection?.waitingBytes ?? 0) > WAITING_BYTES_MAX,
      onEnd: (reason) => this.#lost(boxId, reason),
    });
    this.#boxes.set(boxId, { live, number });
    return live;
  }

  #openAt(boxId: Guid) {
    const { needs, request } = this.#context;
    const path = "/api/live";
    const headers = {
      ...{ ":method": "CONNECT", ":protocol": "websocket", ":scheme": "https", ":authority": "box" },
      ...{ ":path": path, "sec-websocket-protocol": LIVE_PROTOCOL },
    };
    const asked = { headers, role: "media", hasBody: true } as const;
    return openBox({ needs, request, principal: this.#principal }, { boxId, path }, asked);
  }

  /** A message of a box; what is of another one's subscriptions is none of its business. */
  #onMessage(boxId: Guid, message: LiveMessage): void {
    if (message.type === "welcome") this.#welcomed(boxId, message);
    else if (message.type === "playback")
      this.#playbacks.get(deckOf(message))?.said(boxId, message as unknown as PlaybackNotice);
    else if (typeof message.id === "number" && this.#watches.get(message.id)?.boxId === boxId) {
      if (message.type === "ended") this.#watches.delete(message.id);
      this.#send(message);
    } else if (message.type === "error" && message.id === undefined) this.#send(message);
  }

  #welcomed(boxId: Guid, { limits }: LiveMessage): void {
    const box = this.#boxes.get(boxId);
    if (box === undefined) return;
    const hasDecks = typeof limits === "object" && limits !== null && "decks" in limits;
    box.decks = hasDecks && typeof limits.decks === "number" ? limits.decks : 1;
  }

  /** Its playbacks are over. */
  #lost(boxId: Guid, reason: string): void {
    this.#boxes.delete(boxId);
    for (const [id, watch] of [...this.#watches]) {
      if (watch.boxId !== boxId) continue;
      this.#watches.delete(id);
      this.#send({ type: "ended", id, code: "NOT_AVAILABLE", text: lostText(reason) });
    }
  }

  #isUsed(boxId: Guid): boolean {
    return [...this.#watches.values()].some((watch) => watch.boxId === boxId);
  }

  #closeUnused(boxId: Guid): void {
    if (this.#isUsed(boxId)) return;
    this.#boxes.get(boxId)?.live.close();
    this.#boxes.delete(boxId);
  }

  #send(message: object): void {
    this.#connection?.send(JSON.stringify(message));
  }

  #refuse(error: unknown, id: number | undefined): void {
    if (!(error instanceof NvrdError)) throw error;
    const { code, message } = error;
    this.#send({ type: "error", ...(id === undefined ? {} : { id }), code, text: message });
  }
}

function lostText(reason: string): string {
  return `The recorder is not connected to this hub: ${reason}.`;
}

/** A box's word is not to be believed: what is no deck is none of a client. */
function deckOf({ deck = 0 }: LiveMessage): number {
  return typeof deck === "number" ? deck : Number.NaN;
}

function readOrUndefined(text: string | undefined): ClientMessage | undefined {
  try {
    return readClientMessage(text);
  } catch {
    // This server's own client says what is wrong with it.
    return undefined;
  }
}
