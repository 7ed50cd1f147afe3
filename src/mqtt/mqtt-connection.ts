import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { MqttClient } from "mqtt";
import { type Clock, type ClockTimer, MS_PER_SECOND } from "../base/index.js";
import { brokerProblem } from "./broker-problem.js";
import type { MqttMessage } from "./mqtt-outbox.js";
import { PacedSocket } from "./paced-socket.js";

/** From the first packet to the broker's consent. */
const CONNECT_TIMEOUT_MS = 15_000;
/** A broker that confirms nothing for so long is given up. */
export const CONFIRM_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_SECONDS = 30;
const MQTT_3_1_1 = 4;
/** At least once: the broker confirms each message. */
const QOS = 1;

/** Where the broker is and how to log in; files were read just now. */
export interface BrokerAccess {
  readonly host: string;
  readonly port: number;
  /** Absent: not encrypted. */
  readonly tls?: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
  readonly login?: string;
  readonly password?: string;
}

export interface MqttConnectionOptions {
  readonly access: BrokerAccess;
  readonly clientId: string;
  /** What the broker publishes when the recorder is gone; absent: nothing. */
  readonly will?: { readonly topic: string; readonly payload: string };
  readonly clock: Clock;
  /** Aborted when nobody waits for the connection any longer. */
  readonly signal: AbortSignal;
  onMessage(topic: string, payload: Uint8Array, isRetained: boolean): void;
  /** Once, when the connection has ended; with the reason in words. */
  onEnd(problem: string): void;
}

/** One connection to a broker. It is not opened again: the next attempt is another one. */
export class MqttConnection {
  readonly #options: MqttConnectionOptions;
  readonly #client: MqttClient;
  #hasEnded = false;

  private constructor(client: MqttClient, options: MqttConnectionOptions) {
    this.#client = client;
    this.#options = options;
    client.on("message", (topic, payload, { retain }) => options.onMessage(topic, payload, retain));
    client.on("error", (error) => this.#end(error));
    client.on("close", () => this.#end(undefined));
  }

  /** Resolves when the broker has accepted the login. Rejects with an Error in words. */
  static async open(options: MqttConnectionOptions): Promise<MqttConnection> {
    // Loaded for the first connection: most recorders have no broker.
    const library = await import("mqtt");
    const { access, clientId, will, clock, signal } = options;
    const socket = openSocket(access);
    const client = new library.MqttClient(() => new PacedSocket({ socket, clock }), {
      protocolVersion: MQTT_3_1_1,
      clientId,
      clean: true,
      keepalive: KEEP_ALIVE_SECONDS,
      reconnectPeriod: 0,
      // Ours comes first, and says so in words.
      connectTimeout: 2 * CONNECT_TIMEOUT_MS,
      resubscribe: false,
      queueQoSZero: false,
      timerVariant: "native",
      ...(will === undefined
        ? {}
        : { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: QOS, retain: true } }),
      ...(access.login === undefined ? {} : { username: access.login }),
      ...(access.password === undefined ? {} : { password: access.password }),
    });
    return await new Promise<MqttConnection>((resolve, reject) => {
      let timer: ClockTimer | undefined;
      const fail = (error: unknown): void => {
        timer?.clear();
        client.on("error", () => undefined);
        client.end(true);
        socket.destroy();
        reject(new Error(brokerProblem(error)));
      };
      timer = clock.setTimeout(
        () => fail(new Error(`it did not answer within ${CONNECT_TIMEOUT_MS / MS_PER_SECOND} s`)),
        CONNECT_TIMEOUT_MS,
      );
      const onClose = (): void => fail(undefined);
      const onAbort = (): void => fail(new Error("the recorder stops"));
      signal.addEventListener("abort", onAbort, { once: true });
      client.once("error", fail);
      client.once("close", onClose);
      client.once("connect", () => {
        timer?.clear();
        client.off("error", fail);
        client.off("close", onClose);
        signal.removeEventListener("abort", onAbort);
        resolve(new MqttConnection(client, options));
      });
    });
  }

  /** Whether it is over: what is asked of it now is never done. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when the broker has accepted all of them. */
  async subscribe(topics: readonly string[]): Promise<void> {
    await this.#confirmed(
      (done) => this.#client.subscribe([...topics], { qos: QOS }, done),
      "the subscription",
    );
  }

  /** Resolves when the broker has confirmed that none of them come any more. */
  async unsubscribe(topics: readonly string[]): Promise<void> {
    await this.#confirmed(
      (done) => this.#client.unsubscribe([...topics], {}, done),
      "the end of a subscription",
    );
  }

  /** Resolves when the broker has confirmed it. */
  async publish({ topic, payload, retain }: MqttMessage): Promise<void> {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    await this.#confirmed(
      (done) => this.#client.publish(topic, bytes, { qos: QOS, retain }, done),
      "a message",
    );
  }

  /** Says goodbye, so that the broker does not publish the last will. */
  close(): void {
    this.#hasEnded = true;
    this.#client.on("error", () => undefined);
    this.#client.end();
  }

  /** Ends the connection as if the network did. */
  abort(problem: string): void {
    this.#end(new Error(problem));
  }

  async #confirmed(ask: (done: (error?: Error | null) => void) => void, what: string): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const timer = clock.setTimeout(() => {
        const problem = `it did not confirm ${what} within ${CONFIRM_TIMEOUT_MS / MS_PER_SECOND} s`;
        this.abort(problem);
        reject(new Error(problem));
      }, CONFIRM_TIMEOUT_MS);
      ask((error) => {
        timer.clear();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  #end(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#client.end(true);
    this.#options.onEnd(brokerProblem(error));
  }
}

function openSocket({ host, port, tls }: BrokerAccess): Socket {
  if (tls === undefined) return connectTcp({ host, port });
  return connectTls({
    host,
    port,
    minVersion: "TLSv1.2",
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
}
