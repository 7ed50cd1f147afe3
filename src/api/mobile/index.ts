/**
 * api/mobile: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { MOBILE_DESCRIPTION } from "./describe-mobile.js";
export { getMobile } from "./get-mobile.js";
export type { MobileNeeds } from "./needs.js";
