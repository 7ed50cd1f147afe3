/**
 * api/discovery: devices found on the network: /configure/discovery.
 *
 * Belongs here: the endpoints, adding what was found.
 * Does not belong here: asking devices (`camera` of src).
 */
import type { Route } from "../route/index.js";
import { DISCOVERY_ROUTE } from "./configure-discovery.js";
import { DISCOVERY_ADD_ROUTE } from "./configure-discovery-add.js";
import type { DiscoveryNeeds } from "./needs.js";

export { type DiscoveryItem, discoveryItems } from "./configure-discovery.js";
export { DeviceAddition, type DeviceRequest } from "./device-addition.js";
export type { DiscoveryNeeds } from "./needs.js";

export const DISCOVERY_ROUTES: readonly Route<DiscoveryNeeds>[] = [DISCOVERY_ROUTE, DISCOVERY_ADD_ROUTE];
