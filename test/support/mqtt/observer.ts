import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { expect } from "vitest";
import { PATIENCE_MS } from "../base/patience.js";
import { pause } from "../service/service.js";

/** A broker that has sent nothing for so long has sent all. */
const QUIET_MS = 200;

/** A message as an observer gets it. */
export interface SeenMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
}

/** Another client of the broker: sees everything, and sends commands. */
export class Observer {
  readonly messages: SeenMessage[] = [];
  /** The newest payload of each topic. */
  readonly states = new Map<string, string>();
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on("message", (topic, payload, { retain }) => {
      this.messages.push({ topic, payload, isRetained: retain });
      this.states.set(topic, payload.toString());
    });
    client.on("error", () => undefined);
  }

  static async connect(url: string, options: IClientOptions = {}): Promise<Observer> {
    const client = await connectAsync(url, { reconnectPeriod: 100, ...options });
    const observer = new Observer(client);
    await client.subscribeAsync("#", { qos: 1 });
    return observer;
  }

  /** The topics that the broker has a state of for somebody who comes now. */
  static async retained(url: string): Promise<ReadonlyMap<string, string>> {
    const observer = await Observer.connect(url);
    const end = `end/${Math.random()}`;
    await observer.send(end, "x");
    await observer.until(end, (text) => text === "x");
    // A broker may deliver what it kept behind what was sent after it.
    for (let count = -1; count !== observer.messages.length; ) {
      count = observer.messages.length;
      await pause(QUIET_MS);
    }
    await observer.close();
    return new Map(
      observer.messages
        .filter(({ isRetained }) => isRetained)
        .map(({ topic, payload }) => [topic, payload.toString()]),
    );
  }

  async send(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  /** Waits until a topic's newest payload is what is wanted. */
  async until(topic: string, isWanted: (text: string) => boolean): Promise<string> {
    await expect
      .poll(() => isWanted(this.states.get(topic) ?? ""), { timeout: PATIENCE_MS, message: topic })
      .toBe(true);
    return this.states.get(topic) ?? "";
  }

  texts(topic: string): string[] {
    return this.messages
      .filter((message) => message.topic === topic)
      .map(({ payload }) => payload.toString());
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
