/**
 * api/still: GET /site: single pictures.
 *
 * Belongs here: the endpoint, where its picture comes from, pictures that cameras make themselves.
 * Does not belong here: decoding and keeping pictures (`picture`).
 */
export { SITE_DESCRIPTION } from "./describe-pictures.js";
export { getSite, keptSite } from "./get-site.js";
export type { StillNeeds } from "./needs.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./snapshot-source.js";
