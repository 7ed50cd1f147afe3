/**
 * api/mobile: GET /mobile: video transcoded for slow links.
 *
 * Belongs here: the endpoint, its parameters, its parts.
 * Does not belong here: the transcoder (`picture`).
 */
export { MOBILE_DESCRIPTION } from "./describe-mobile.js";
export { getMobile } from "./get-mobile.js";
export type { MobileNeeds } from "./needs.js";
