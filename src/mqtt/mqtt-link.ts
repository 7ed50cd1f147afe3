import { type Clock, type ClockTimer, endsWithin, errorText, MS_PER_SECOND } from "../base/index.js";
import { type BrokerSettings, readBrokerAccess } from "./broker-settings.js";
import { MqttConnection } from "./mqtt-connection.js";
import type { MqttMessage, MqttOutbox } from "./mqtt-outbox.js";

/** Pauses between attempts: doubled from the first to the longest. */
export const RETRY_FIRST_MS = MS_PER_SECOND;
export const RETRY_LONGEST_MS = 30 * MS_PER_SECOND;
/** A connection that held so long is a good one: the next pause is the first again. */
const STABLE_US = 10_000_000;
/** Messages under way at most, and their bytes: a slow broker gets no more before it confirms. */
export const UNDER_WAY_MAX = 16;
export const BYTES_UNDER_WAY_MAX = 512 * 1024;
/** How long the end waits for the broker to take the goodbye. */
const GOODBYE_MS = 2000;

export interface MqttLinkOptions {
  readonly broker: BrokerSettings;
  readonly clientId: string;
  /** Its states are `online` and, by the last will, `offline`. */
  readonly statusTopic: string;
  /** Of each connection; others come with `subscribe`. */
  readonly subscriptions: readonly string[];
  readonly outbox: MqttOutbox;
  readonly clock: Clock;
  onMessage(topic: string, payload: Uint8Array, isRetained: boolean): void;
  /** Called when the broker is there, before anything is published. */
  onConnected(): void;
  /** Called when the broker is gone or cannot be reached, with the reason. */
  onProblem(problem: string): void;
}

/** The connection to the broker, made again whenever it ends, and what the outbox holds sent over it. */
export class MqttLink {
  readonly #options: MqttLinkOptions;
  readonly #underWay = new Set<MqttMessage>();
  #further: readonly string[] = [];
  #refusal: string | undefined;
  #connection: MqttConnection | undefined;
  #timer: ClockTimer | undefined;
  #retryMs = RETRY_FIRST_MS;
  #connectedUs = 0;
  readonly #stopping = new AbortController();
  #opening: Promise<void> = Promise.resolve();
  #published = 0;

  constructor(options: MqttLinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Messages that the broker has confirmed. */
  get published(): number {
    return this.#published;
  }

  start(): void {
    this.#opening = this.#open();
  }

  /** Publishes `offline`, and leaves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.clear();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    const { statusTopic: topic, clock } = this.#options;
    const goodbye = connection.publish({ topic, payload: Buffer.from("offline"), retain: true });
    await endsWithin(
      goodbye.catch(() => undefined),
      { clock, ms: GOODBYE_MS },
    );
    connection.close();
  }

  /** Resolves when the first attempt has ended, for tests. */
  get opened(): Promise<void> {
    return this.#opening;
  }

  /** The subscriptions besides those of the options, from now on; they replace the former ones. */
  subscribe(topics: readonly string[]): void {
    const before = this.#further;
    this.#further = topics;
    if (this.#connection !== undefined) this.#follow(this.#connection, before);
  }

  /** Why the broker does not grant the further subscriptions; undefined: it does. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * A broker that refuses further topics stays connected: they may be another program's. Which one it was is not known: after a
   * refusal all are asked for again.
   */
  #follow(connection: MqttConnection, before: readonly string[]): void {
    const topics = this.#further;
    const wasRefused = this.#refusal !== undefined;
    const added = topics.filter((topic) => wasRefused || !before.includes(topic));
    const gone = before.filter((topic) => !topics.includes(topic));
    const failed = (error: unknown): void => {
      if (this.#further === topics) this.#refusal = `the subscription failed: ${errorText(error)}`;
    };
    this.#refusal = undefined;
    if (gone.length > 0) connection.unsubscribe(gone).catch(failed);
    if (added.length > 0) connection.subscribe(added).catch(failed);
  }

  /** Sends what the outbox holds, as far as the broker keeps up. */
  send(): void {
    const { outbox } = this.#options;
    while (this.#connection !== undefined && this.#hasRoom() && !outbox.isEmpty) {
      const message = outbox.take();
      if (message !== undefined) this.#publish(message, this.#connection);
    }
  }

  #hasRoom(): boolean {
    let bytes = 0;
    for (const { payload } of this.#underWay) bytes += payload.length;
    return this.#underWay.size < UNDER_WAY_MAX && bytes < BYTES_UNDER_WAY_MAX;
  }

  #publish(message: MqttMessage, connection: MqttConnection): void {
    this.#underWay.add(message);
    connection.publish(message).then(
      () => {
        if (!this.#underWay.delete(message)) return;
        this.#published += 1;
        this.send();
      },
      // The connection ends with the same reason, and gives back what was under way.
      (error: unknown) => connection.abort(errorText(error)),
    );
  }

  async #open(): Promise<void> {
    const { broker, clientId, statusTopic, subscriptions, clock, onMessage, onConnected } = this.#options;
    let connection: MqttConnection | undefined;
    try {
      const access = await readBrokerAccess(broker);
      if (this.#stopping.signal.aborted) return;
      connection = await MqttConnection.open({
        access,
        clientId,
        will: { topic: statusTopic, payload: "offline" },
        clock,
        signal: this.#stopping.signal,
        onMessage,
        onEnd: (problem) => this.#onEnd(problem),
      });
      await connection.subscribe(subscriptions);
      if (this.#stopping.signal.aborted) return connection.close();
    } catch (error) {
      // A connection that ended by itself was reported by `onEnd`.
      if (connection === undefined) this.#retry(errorText(error));
      else connection.abort(errorText(error));
      return;
    }
    // It ended with the broker's consent: `onEnd` has said why, and the next attempt is on its way.
    if (connection.hasEnded) return;
    this.#connection = connection;
    this.#follow(connection, []);
    this.#connectedUs = clock.monotonicUs();
    this.#options.outbox.sendAllAgain();
    onConnected();
    this.send();
  }

  #onEnd(problem: string): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, outbox } = this.#options;
    if (this.#connection !== undefined && clock.monotonicUs() - this.#connectedUs >= STABLE_US)
      this.#retryMs = RETRY_FIRST_MS;
    this.#connection = undefined;
    const unconfirmed = [...this.#underWay];
    this.#underWay.clear();
    outbox.giveBack(unconfirmed);
    this.#retry(problem);
  }

  #retry(problem: string): void {
    if (this.#stopping.signal.aborted) return;
    const { clock, onProblem } = this.#options;
    onProblem(problem);
    this.#timer?.clear();
    this.#timer = clock.setTimeout(() => {
      this.#opening = this.#open();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LONGEST_MS);
  }
}
