/**
 * network: the box's own network: interfaces as they are, changes on trial, name and time zone.
 *
 * Belongs here: who configures an interface; plans and the files of systemd-networkd made from them; the network keeper, a
 * process with root rights that changes them on trial, and its protocol.
 * Does not belong here: ports and connections of the service (`http`, `rtsp`), cameras on the network (`camera`).
 */

export { BoxIdentity } from "./box-identity.js";
export type { InterfaceState } from "./interfaces.js";
export { readInterfaces } from "./interfaces.js";
export { networkKeeperClient } from "./keeper-client.js";
export { BOX_NAME, ZONE_NAME } from "./keeper-protocol.js";
export { serveNetworkKeeper } from "./keeper-server.js";
export { Network, type NetworkAct, type NetworkControl, type NetworkView, newAddresses } from "./network.js";
export { NetworkKeeper } from "./network-keeper.js";
export {
  checkedPlan,
  INTERFACE_NAME,
  type Ipv4Plan,
  type Ipv6Plan,
  NAME_SERVERS_MAX,
  type NetworkPlan,
  SERVER_NAME,
  TIME_SERVERS_MAX,
  VLAN_ID_MAX,
  VLANS_MAX,
} from "./network-plan.js";
export { SystemNetworkTools } from "./network-tools.js";
export { networkdFiles } from "./networkd-files.js";
