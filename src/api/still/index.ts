/**
 * api/still: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { SITE_DESCRIPTION } from "./describe-pictures.js";
export { getSite, keptSite } from "./get-site.js";
