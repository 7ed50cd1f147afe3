/**
 * api/still: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */
export { SITE_DESCRIPTION } from "./describe-pictures.js";
export { getSite, keptSite } from "./get-site.js";
export type { StillNeeds } from "./needs.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./snapshot-source.js";
