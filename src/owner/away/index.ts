/**
 * owner/away: recordings in object storage: the state of each target, and what its bucket holds.
 *
 * Belongs here: endpoints about sending and about a bucket.
 * Does not belong here: sending (`away`), the settings of targets (`compat/configuration`), locks of recordings (`owner/archive`).
 */
import type { Route } from "../../route/index.js";
import { type AwayNeeds, AWAY_ROUTES as TARGET_ROUTES } from "./away.js";
import { AWAY_BUCKET_ROUTES } from "./away-bucket.js";

export type { AwayNeeds } from "./away.js";

/** Off-site storage, under any licence. */
export const AWAY_ROUTES: readonly Route<AwayNeeds>[] = [...TARGET_ROUTES, ...AWAY_BUCKET_ROUTES];
