import type { broker, ObjectOf } from "../../../contract/index.js";

export const BROKER = "/api/system/broker";

/** What the configuration says of the broker. */
export type BrokerSettings = ObjectOf<typeof broker>;

export const ONVIF_DEVICE = "/api/system/onvif-device";
