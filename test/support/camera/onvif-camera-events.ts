import { notificationMessage, type ScriptedEvent, subscriptionTimes } from "./onvif-camera-messages.js";

/** Longest that a device holds a PullMessages back, milliseconds. */
const PULL_MS_MAX = 60_000;

interface Subscription {
  readonly queue: string[];
  wake: (() => void) | undefined;
}

/** Pull points of a device (ONVIF Core, 9.2): made, pulled from with a wait, renewed, and lost with a reboot. */
export class ScriptedPullPoints {
  readonly #now: () => Date;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #states = new Map<string, ScriptedEvent>();
  #made = 0;
  /** How long a subscription is granted, by the device's clock. */
  lifetimeMs = 60_000;
  /** Longest that an answer is held back, whatever is asked for. */
  waitMsMax = PULL_MS_MAX;
  /** False: an answer has all that waits, however few were asked for. */
  obeysLimit = true;
  /** True: who is subscribed gets empty answers, whatever happens. */
  isDeaf = false;
  /** Answers to PullMessages wait for it. */
  held: Promise<void> = Promise.resolve();

  constructor(now: () => Date) {
    this.#now = now;
  }

  get open(): number {
    return this.#subscriptions.size;
  }

  /** Changes a state, which every new subscription gets as Initialized. */
  set(event: ScriptedEvent): void {
    this.#states.set(event.topic + JSON.stringify(event.source), event);
    this.emit(event);
  }

  /** Queues an event at every pull point. */
  emit(event: ScriptedEvent): void {
    const message = notificationMessage(event, this.#now());
    for (const subscription of this.isDeaf ? [] : this.#subscriptions.values()) {
      subscription.queue.push(message);
      subscription.wake?.();
    }
  }

  /** As a reboot does: nobody is subscribed any more. */
  forget(): void {
    for (const subscription of this.#subscriptions.values()) subscription.wake?.();
    this.#subscriptions.clear();
  }

  /** Body of the answer; undefined: no such subscription or operation. */
  async answer(
    path: string,
    operation: string,
    request: string,
    origin: string,
  ): Promise<string | undefined> {
    if (operation === "CreatePullPointSubscription") return this.#create(origin);
    const subscription = this.#subscriptions.get(path);
    if (subscription === undefined) return undefined;
    if (operation === "PullMessages") return await this.#pull(subscription, request);
    if (operation === "Renew") return `<wsnt:RenewResponse>${this.#times("wsnt")}</wsnt:RenewResponse>`;
    if (operation !== "Unsubscribe") return undefined;
    this.#subscriptions.delete(path);
    return "<wsnt:UnsubscribeResponse/>";
  }

  #create(origin: string): string {
    this.#made += 1;
    const path = `/onvif/subscription?Idx=${this.#made}`;
    this.#subscriptions.set(path, { queue: this.#initial(), wake: undefined });
    return `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa5:Address>${origin}${path}</wsa5:Address></tev:SubscriptionReference>${this.#times("wsnt")}</tev:CreatePullPointSubscriptionResponse>`;
  }

  #initial(): string[] {
    return [...this.#states.values()].map((event) =>
      notificationMessage({ ...event, operation: "Initialized" }, this.#now()),
    );
  }

  async #pull(subscription: Subscription, request: string): Promise<string> {
    const seconds = Number(/Timeout>PT(\d+(?:\.\d+)?)S</.exec(request)?.[1] ?? "1");
    const limit = Number(/MessageLimit>(\d+)</.exec(request)?.[1] ?? "1");
    if (subscription.queue.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(seconds * 1000, this.waitMsMax));
        subscription.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      subscription.wake = undefined;
    }
    await this.held;
    const messages = subscription.queue
      .splice(0, this.obeysLimit ? limit : Number.POSITIVE_INFINITY)
      .join("");
    return `<tev:PullMessagesResponse>${this.#times("tev")}${messages}</tev:PullMessagesResponse>`;
  }

  #times(prefix: string): string {
    return subscriptionTimes(prefix, this.#now(), this.lifetimeMs);
  }
}
