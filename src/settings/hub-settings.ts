import { define } from "./definition.js";
import { readHubAddress } from "./hub-store-settings.js";
import { textWhere, wholeNumber } from "./values.js";

/** The settings of a hub, which other recorders connect to, and of partners. */

const PORT_MAX = 65_535;
const PARTNER_PORT = 7444;
const REPLICA_PORT = 7445;

export const HUB_SETTING_DEFINITIONS = {
  hubPort: define<number>({
    kind: wholeNumber(0, PORT_MAX, "; 0 = off"),
    fallback: 0,
    fallbackText: "0: this is no hub",
    description:
      "The port (TLS 1.3) that other recorders connect to when they belong to this hub. A hub needs no cameras and no disks. " +
      "See the [guide](../guide/fleet.md).",
  }),
  hubAddress: define<string | undefined>({
    kind: textWhere("a host name or an address, with :port where boxes reach the hub at another one", {
      lengthMax: 262,
      accept: (text) => readHubAddress(text) !== undefined,
    }),
    fallback: undefined,
    fallbackText: "an address of this machine, and `hubPort`",
    description:
      "How recorders reach this hub: what the codes of the hub name. Behind a router that passes the port on, the router's name.",
  }),
  partnerPort: define<number>({
    kind: wholeNumber(0, PORT_MAX, "; 0 = this recorder has no partners"),
    fallback: PARTNER_PORT,
    description:
      "The port (TLS 1.3) at which recorders of the LAN that are partners of this one reach it. It is open only while there is a partner, or a code " +
      "for one. See the [guide](../guide/fleet.md).",
  }),
  replicaPort: define<number>({
    kind: wholeNumber(0, PORT_MAX, "; 0 = chosen by the system, another one at each start"),
    fallback: REPLICA_PORT,
    description:
      "The port (TLS 1.3) at which partners send replicas of their recordings. It is open only while one of them has a share of a disk here. " +
      "See the [guide](../guide/fleet.md).",
  }),
} as const;
