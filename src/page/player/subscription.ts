import type { ClientMessage, WatchMessage } from "../../contract/answer/index.js";
import type { Watch, WatchListener, WatchOrder } from "./watch.js";

/** What a subscription uses of its connection. */
export interface SubscriptionHost {
  /** Sent when the connection is up; a lost one asks for all anew when it is back. */
  send(message: ClientMessage): void;
  /** A number that no other subscription has. */
  number(): number;
  forget(subscription: Subscription): void;
  /** Begins it again, under another number. */
  begin(subscription: Subscription): void;
}

/** One channel that is watched, with what the service said of it. */
export class Subscription implements Watch {
  readonly listener: WatchListener;
  readonly #host: SubscriptionHost;
  #order: WatchOrder;
  /** Changes with each start, so that what was on its way belongs to nobody. */
  id: number;
  /** Number of the stream that comes for it now. */
  #feed: number | undefined;
  #init: Uint8Array | undefined;
  /** The service sends pictures, or should: silence is then a fault of the link. */
  expectsMedia = true;

  constructor(host: SubscriptionHost, order: WatchOrder, listener: WatchListener) {
    this.#host = host;
    this.#order = order;
    this.listener = listener;
    this.id = host.number();
  }

  get order(): Omit<WatchMessage, "type"> {
    return { id: this.id, ...this.#order };
  }

  get feed(): number | undefined {
    return this.#feed;
  }

  follow(feed: number | undefined): void {
    this.#feed = feed;
    this.#init = undefined;
  }

  /** One that comes again, as another subscription has begun to watch the same stream, changes nothing. */
  takeInit(init: Uint8Array): void {
    if (this.#init !== undefined && isSame(this.#init, init)) return;
    this.#init = init;
    this.listener.onInit(init);
  }

  renew(): void {
    this.id = this.#host.number();
    this.follow(undefined);
    this.expectsMedia = true;
  }

  change(what: Partial<Omit<WatchOrder, "channel">>): void {
    const next = { ...this.#order, ...what };
    if (JSON.stringify(next) === JSON.stringify(this.#order)) return;
    this.#order = next;
    this.#host.send({ type: "change", id: this.id, ...what });
  }

  restart(): void {
    this.#host.begin(this);
  }

  leave(): void {
    this.#host.forget(this);
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
