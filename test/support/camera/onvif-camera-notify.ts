import { request } from "node:http";
import { notificationMessage, type ScriptedEvent, subscriptionTimes } from "./onvif-camera-messages.js";
import { envelope } from "./onvif-camera-soap.js";
import type { PrefixStyle } from "./onvif-camera-types.js";

/** Posts `body` from `from`, one of this machine's addresses; answers the status, or the error's code. */
export function post(url: string, body: string | Buffer, from = "127.0.0.1"): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { "Content-Type": "application/soap+xml; charset=utf-8" };
    const sending = request(
      url,
      { method: "POST", agent: false, localAddress: from, headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sending.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sending.end(body);
  });
}

/** Subscriptions of a device that pushes (WS-BaseNotification): made, notified, renewed, and lost with a reboot. */
export class ScriptedNotifier {
  readonly #now: () => Date;
  readonly #style: () => PrefixStyle;
  readonly #consumers = new Map<string, string>();
  readonly #states = new Map<string, ScriptedEvent>();
  #made = 0;
  #sending: Promise<unknown> = Promise.resolve();
  /** How long a subscription is granted, by the device's clock. */
  lifetimeMs = 60_000;
  /** How often each Notify is sent: more than once, where the device believes that it was not taken. */
  sendings = 1;
  /** What each Notify was answered, in order. */
  readonly answers: (number | string)[] = [];

  constructor(now: () => Date, style: () => PrefixStyle) {
    this.#now = now;
    this.#style = style;
  }

  get open(): number {
    return this.#consumers.size;
  }

  /** Where the consumers want their messages. */
  get consumers(): string[] {
    return [...this.#consumers.values()];
  }

  /** Changes a state, which every new subscription gets as Initialized. */
  set(event: ScriptedEvent): void {
    this.#states.set(event.topic + JSON.stringify(event.source), event);
    this.emit(event);
  }

  emit(event: ScriptedEvent): void {
    const body = this.notify([event]);
    for (const consumer of this.consumers) this.#send(consumer, body);
  }

  /** As a reboot does: nobody is subscribed any more. */
  forget(): void {
    this.#consumers.clear();
  }

  /** A whole Notify. */
  notify(events: readonly ScriptedEvent[]): string {
    const messages = events.map((event) => notificationMessage(event, this.#now())).join("");
    return envelope(`<wsnt:Notify>${messages}</wsnt:Notify>`, this.#style());
  }

  /** Body of the answer; undefined: no such subscription or operation. */
  async answer(
    path: string,
    operation: string,
    request: string,
    origin: string,
  ): Promise<string | undefined> {
    if (operation === "Subscribe") return await this.#subscribe(request, origin);
    if (!this.#consumers.has(path)) return undefined;
    if (operation === "Renew") return `<wsnt:RenewResponse>${this.#times()}</wsnt:RenewResponse>`;
    if (operation !== "Unsubscribe") return undefined;
    this.#consumers.delete(path);
    return "<wsnt:UnsubscribeResponse/>";
  }

  /** The states go out first: a device need not wait with them until its answer was read. */
  async #subscribe(request: string, origin: string): Promise<string | undefined> {
    const consumer = /ConsumerReference>\s*<[^>]*Address[^>]*>([^<]+)</.exec(request)?.[1];
    if (consumer === undefined) return undefined;
    this.#made += 1;
    const path = `/onvif/subscription?Push=${this.#made}`;
    this.#consumers.set(path, consumer);
    const states = [...this.#states.values()];
    if (states.length > 0)
      this.#send(consumer, this.notify(states.map((state) => ({ ...state, operation: "Initialized" }))));
    await this.#sending;
    return `<wsnt:SubscribeResponse><wsnt:SubscriptionReference><wsa5:Address>${origin}${path}</wsa5:Address></wsnt:SubscriptionReference>${this.#times()}</wsnt:SubscribeResponse>`;
  }

  /** One after the other, as a device does. */
  #send(consumer: string, body: string): void {
    for (let sending = 0; sending < this.sendings; sending += 1)
      this.#sending = this.#sending.then(async () => this.answers.push(await post(consumer, body)));
  }

  #times(): string {
    return subscriptionTimes("wsnt", this.#now(), this.lifetimeMs);
  }
}
