import type { Principal } from "../../access/index.js";
import type { Clock, Guid, Log } from "../../base/index.js";
import type { EventRecord } from "../../event/index.js";
import type { StreamResponse } from "../../http/index.js";
import { LIVE_ITEM_BYTES_MAX } from "./event-item.js";
import { mayReceive } from "./event-visibility.js";

/** Maximum number of items queued for a slow client; beyond it the oldest are dropped. */
export const LISTENER_QUEUE_ITEMS_MAX = 256;
/** A client with dropped items that is still behind after this time is disconnected. */
export const LISTENER_BEHIND_MS_MAX = 10_000;
/** A client gets a keep-alive item if nothing was sent for this time. */
export const KEEP_ALIVE_MS = 1000;

/** Sent after each item as a separate chunk, so that the item's chunk is terminated on the wire at once. */
const ITEM_END: Uint8Array = Buffer.from("\r\n");

/** An event and its item, formatted once for all listeners, when the first one takes it. */
export interface SharedItem {
  readonly event: EventRecord;
  /** A virtual event: only for clients with mode=demo. */
  readonly demo: boolean;
  bytes(): Uint8Array;
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
    this.#queue.push(item.bytes());
    return true;
  }

  /** Sets the present rights; undefined while they are being checked, and then nothing is sent. */
  setPrincipal(principal: Principal | undefined): void {
    this.#principal = principal;
    if (principal === undefined) return;
    for (const item of this.#unchecked.splice(0)) this.offer(item);
    this.flush();
  }

  /** Sends queued items as far as the client takes them; several whole items at once, up to the limit of one item. */
  flush(): void {
    const { stream, clock } = this.#options;
    while (this.#queue.length > 0 && !stream.busy && !stream.closed) {
      const unit: Uint8Array[] = [];
      let unitBytes = 0;
      for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
        unitBytes += next.length + ITEM_END.length;
        if (unit.length > 0 && unitBytes > LIVE_ITEM_BYTES_MAX) break;
        unit.push(next, ITEM_END);
        this.#queue.shift();
      }
      stream.send(unit);
      this.#sentUs = clock.monotonicUs();
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
    this.#queue.length = 0;
    this.#unchecked = [];
    this.#options.stream.end();
  }

  #wants(item: SharedItem): boolean {
    const { typeId, channelId, demo } = this.#options;
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
