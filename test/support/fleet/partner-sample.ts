import type { PartnersControl } from "../../../src/owner/index.js";

/** Since when the sample is a partner, UTC microseconds. */
export const SINCE_US = Date.UTC(2026, 10, 21, 9) * 1000;

/** Another recorder of the place, connected. */
export const PARTNER: ReturnType<PartnersControl["states"]>[number] = {
  ...{ id: "0d9c0000-0000-4000-8000-00000000000d", name: "Gatehouse", version: "1.2.3", certificate: "hash" },
  ...{ hosts: ["192.0.2.9"], port: 7444, httpPort: 80, httpsPort: 443, addedUs: SINCE_US, sinceUs: SINCE_US },
  ...{ isConnected: true, problem: undefined, detail: "", heardUs: 0 },
  ...{ relayedUs: undefined, isRelayed: false, said: undefined },
};
