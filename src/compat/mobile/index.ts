/**
 * compat/mobile: GET /mobile: video transcoded for slow links.
 *
 * Belongs here: the endpoint, its parameters, its parts.
 * Does not belong here: the transcoder (`picture`).
 */
import type { Route } from "../../route/index.js";
import { MOBILE_ROUTE } from "./get-mobile.js";
import type { MobileNeeds } from "./needs.js";

export type { MobileNeeds } from "./needs.js";

export const MOBILE_ROUTES: readonly Route<MobileNeeds>[] = [MOBILE_ROUTE];
