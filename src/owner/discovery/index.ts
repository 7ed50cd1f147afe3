/**
 * owner/discovery: devices found on the network: /configure/discovery.
 *
 * Belongs here: the endpoints, adding what was found.
 * Does not belong here: asking devices (`camera` of src).
 */
import type { Route } from "../../route/index.js";
import { DISCOVERY_ROUTE, type DiscoveryNeeds } from "./configure-discovery.js";
import { DISCOVERY_ADD_ROUTE } from "./configure-discovery-add.js";
import { DISCOVERY_CSV_ROUTE } from "./configure-discovery-csv.js";

export { CSV_LENGTH_MAX, cameraRows } from "./camera-csv.js";
export type { DiscoveryNeeds } from "./configure-discovery.js";
export {
  discoveryItems,
  HOSTS,
  INTERFACE_LENGTH_MAX,
} from "./configure-discovery.js";
export { type AdditionDefaults, DeviceAddition, type DeviceRequest } from "./device-addition.js";
export {
  archivingModeOfAll,
  DEVICE_NOTES,
  DEVICES_PER_REQUEST_MAX,
  deviceAddress,
  deviceLogin,
  devicePassword,
  deviceSchema,
  outcomeItem,
  readRequests,
} from "./device-input.js";

export const DISCOVERY_ROUTES: readonly Route<DiscoveryNeeds>[] = [
  DISCOVERY_ROUTE,
  DISCOVERY_ADD_ROUTE,
  DISCOVERY_CSV_ROUTE,
];
