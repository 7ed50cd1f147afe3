/**
 * compat/still: GET /site: single pictures.
 *
 * Belongs here: the endpoint, the sources of its pictures, snapshots made by cameras, pictures of what was seen.
 * Does not belong here: decoding and caching pictures (`picture`).
 */
import type { Route } from "../../route/index.js";
import { SITE_ROUTE, type StillNeeds } from "./get-site.js";

export { archiveMaterial } from "./archive-still.js";
export type { StillNeeds } from "./get-site.js";
export { liveSource } from "./live-still.js";
export { partAround, type SeenStillNeeds, seenStill } from "./seen-still.js";
export { SNAPSHOT_BYTES_MAX, type SnapshotSource } from "./snapshot-source.js";

export const STILL_ROUTES: readonly Route<StillNeeds>[] = [SITE_ROUTE];
