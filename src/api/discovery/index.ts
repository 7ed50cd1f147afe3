/**
 * api/discovery: devices found on the network: /configure/discovery.
 *
 * Belongs here: the endpoints, adding what was found.
 * Does not belong here: asking devices (`camera` of src).
 */
export { type DiscoveryItem, discoveryItems } from "./configure-discovery.js";
export { DISCOVERY_ROUTES } from "./configure-discovery-routes.js";
export { DeviceAddition, type DeviceRequest } from "./device-addition.js";
export type { DiscoveryNeeds } from "./needs.js";
