import type { Clock } from "../base/index.js";
import { type BrokerSettings, readBrokerAccess } from "./broker-settings.js";
import { MqttConnection } from "./mqtt-connection.js";

export interface BrokerTrialOptions {
  readonly broker: BrokerSettings;
  /** Of this connection: a broker ends the one that has the same. */
  readonly clientId: string;
  /** What the recorder would listen to. */
  readonly topics: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Connects, subscribes, and leaves; nothing is published. Rejects with an Error in words where the broker does not let it. */
export async function tryBroker(options: BrokerTrialOptions): Promise<void> {
  const { broker, clientId, topics, clock, signal } = options;
  const access = await readBrokerAccess(broker);
  let ended: string | undefined;
  const connection = await MqttConnection.open({
    ...{ access, clientId, clock, signal },
    onMessage: () => undefined,
    onEnd: (problem) => {
      ended = problem;
    },
  });
  try {
    await connection.subscribe(topics);
  } catch (error) {
    throw ended === undefined ? error : new Error(ended);
  } finally {
    connection.close();
  }
}
