import type { Principal } from "../../access/index.js";
import type { Clock, ClockTimer, Guid, Log } from "../../base/index.js";
import { type EventRecord, eventTypeOf } from "../../event/index.js";
import type { StreamResponse } from "../../http/index.js";
import { mayReceive } from "./event-visibility.js";

/** Maximum number of items queued for a slow client; beyond it the oldest are dropped. */
export const LISTENER_QUEUE_ITEMS_MAX = 256;
/** A client with dropped items that is still behind after this time is disconnected. */
export const LISTENER_BEHIND_MS_MAX = 10_000;
/** A client gets a keep-alive item if nothing was sent for this time. */
export const KEEP_ALIVE_MS = 1000;

/**
 * Between two items to one client: programs take what one read of the socket gives for one item, and lose the second of
 * two.
 */
export const ITEM_GAP_MS = 20;
/** With more items waiting than this, gaps would delay the events: the first ones go out without. */
export const GAP_ITEMS_MAX = 16;

/** Ends each item as a chunk of its own, so that the item's chunk is terminated on the wire with it. */
const ITEM_END: Uint8Array = Buffer.from("\r\n");

/** An event and its item, formatted once for all listeners who may read it whole, when the first one takes it. */
export interface SharedItem {
  readonly event: EventRecord;
  /** A virtual event: only for clients with mode=demo. */
  readonly demo: boolean;
  bytes(principal: Principal): Uint8Array;
}

export interface EventListenerOptions {
  readonly stream: StreamResponse;
  readonly principal: Principal;
  /** Undefined: all types. */
  readonly typeId: Guid | undefined;
  /** Undefined: all channels the user may see, and events not related to a channel. */
  readonly channelId: Guid | undefined;
  readonly demo: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One client of /event: accepts the events that its filter and rights allow, queues a bounded number of items, and disconnects
 * a client that stays behind.
 */
export class EventListener {
  readonly #options: EventListenerOptions;
  #principal: Principal | undefined;
  readonly #queue: Uint8Array[] = [];
  /** Items received while the rights were being rechecked. */
  #unchecked: SharedItem[] = [];
  #dropped = 0;
  /** Items dropped since the client last kept up. */
  #droppedBehind = 0;
  #behindSinceUs: number | undefined;
  #sentUs: number;
  #itemSentUs = Number.NEGATIVE_INFINITY;
  /** Set while the next item waits for its gap. */
  #gap: ClockTimer | undefined;

  constructor(options: EventListenerOptions) {
    this.#options = options;
    this.#principal = options.principal;
    this.#sentUs = options.clock.monotonicUs();
    options.stream.onDrain = () => this.flush();
    // The head of the answer is sent with the first unit.
    options.stream.send([ITEM_END]);
  }

  /** Items dropped because the client was behind. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Queues the item if it is for this client; `flush` sends it. */
  offer(item: SharedItem): boolean {
    if (this.#options.stream.closed || !this.#wants(item)) return false;
    if (this.#principal === undefined) {
      if (this.#unchecked.length >= LISTENER_QUEUE_ITEMS_MAX) this.#drop(this.#unchecked);
      this.#unchecked.push(item);
      return false;
    }
    if (!item.demo && !mayReceive(this.#principal, item.event)) return false;
    if (this.#queue.length >= LISTENER_QUEUE_ITEMS_MAX) this.#drop(this.#queue);
    this.#queue.push(item.bytes(this.#principal));
    return true;
  }

  /** Queues an item of another recorder, which has decided that it is for this client, and sends it. */
  pass(item: Uint8Array): void {
    if (this.#options.stream.closed) return;
    if (this.#queue.length >= LISTENER_QUEUE_ITEMS_MAX) this.#drop(this.#queue);
    this.#queue.push(item);
    this.flush();
  }

  /** Sets the present rights; undefined while they are being checked, and then nothing is sent. */
  setPrincipal(principal: Principal | undefined): void {
    this.#principal = principal;
    if (principal === undefined) return;
    for (const item of this.#unchecked.splice(0)) this.offer(item);
    this.flush();
  }

  /** Sends what waits, as far as the client takes it: each item for itself, a gap after the one before. */
  flush(): void {
    const { stream, clock } = this.#options;
    while (this.#queue.length > 0 && !stream.busy && !stream.closed) {
      const gapMs = this.#queue.length > GAP_ITEMS_MAX ? 0 : this.#gapMs();
      if (gapMs > 0) {
        this.#flushIn(gapMs);
        break;
      }
      const item = this.#queue.shift();
      if (item !== undefined) stream.send([item, ITEM_END]);
      this.#sentUs = clock.monotonicUs();
      this.#itemSentUs = this.#sentUs;
    }
    if (stream.busy) this.#behindSinceUs ??= clock.monotonicUs();
    else {
      this.#behindSinceUs = undefined;
      this.#droppedBehind = 0;
    }
  }

  /** Called on the feed's tick: sends a keep-alive if due, and disconnects a client that stays behind. */
  tick(keepAlive: () => Uint8Array): void {
    const { stream, clock, log } = this.#options;
    const nowUs = clock.monotonicUs();
    if (stream.closed) return;
    const behindMs = this.#behindSinceUs === undefined ? 0 : (nowUs - this.#behindSinceUs) / 1000;
    if (this.#droppedBehind > 0 && behindMs >= LISTENER_BEHIND_MS_MAX) {
      log.info({ dropped: this.#dropped }, "client of /event stays behind: closed");
      this.end();
      return;
    }
    if (stream.busy || this.#queue.length > 0 || nowUs - this.#sentUs < KEEP_ALIVE_MS * 1000) return;
    this.#queue.push(keepAlive());
    this.flush();
  }

  end(): void {
    this.#gap?.clear();
    this.#queue.length = 0;
    this.#unchecked = [];
    this.#options.stream.end();
  }

  /** What is left of the gap after the last item. */
  #gapMs(): number {
    const sinceMs = (this.#options.clock.monotonicUs() - this.#itemSentUs) / 1000;
    return Math.ceil(ITEM_GAP_MS - sinceMs);
  }

  #flushIn(gapMs: number): void {
    this.#gap ??= this.#options.clock.setTimeout(() => {
      this.#gap = undefined;
      this.flush();
    }, gapMs);
  }

  #wants(item: SharedItem): boolean {
    const { typeId, channelId, demo } = this.#options;
    // Which of the types that a program may name are plates, a server without their modules cannot know.
    const isUnknownType = typeId !== undefined && eventTypeOf(typeId) === undefined;
    if (item.demo && isUnknownType) return demo;
    if (typeId !== undefined && item.event.typeId !== typeId) return false;
    if (item.demo) return demo;
    return channelId === undefined || item.event.channelId === channelId;
  }

  #drop(queue: unknown[]): void {
    queue.shift();
    this.#dropped += 1;
    this.#droppedBehind += 1;
  }
}
