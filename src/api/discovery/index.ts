/**
 * api/discovery: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { type DiscoveryItem, discoveryItems } from "./configure-discovery.js";
export { DISCOVERY_ROUTES } from "./configure-discovery-routes.js";
export { DeviceAddition, type DeviceRequest } from "./device-addition.js";
export type { DiscoveryNeeds } from "./needs.js";
