import { errorText, type Log } from "../base/index.js";
import type { EventRecord, EventSubscription } from "./types.js";

interface Subscription {
  readonly listener: (event: EventRecord) => void;
  hasThrown: boolean;
}

/** The listeners, called immediately for each event. One that throws affects neither the others nor the source of the event. */
export class EventListeners {
  readonly #log: Log;
  readonly #subscriptions = new Set<Subscription>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(listener: (event: EventRecord) => void): EventSubscription {
    const subscription = { listener, hasThrown: false };
    this.#subscriptions.add(subscription);
    return { close: () => this.#subscriptions.delete(subscription) };
  }

  notify(event: EventRecord): void {
    for (const subscription of this.#subscriptions) {
      try {
        subscription.listener(event);
      } catch (error) {
        if (!subscription.hasThrown) this.#log.error({ error: errorText(error) }, "an event listener failed");
        subscription.hasThrown = true;
      }
    }
  }
}
