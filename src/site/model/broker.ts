import type { broker, StoredOf } from "../../contract/index.js";

/** An MQTT broker in the configuration; the room `mqtt` connects to it. */
export type BrokerInConfiguration = StoredOf<typeof broker>;
