/**
 * compat/mobile: GET /mobile: video transcoded for slow links.
 *
 * Belongs here: the endpoint, its parameters, its parts.
 * Does not belong here: the transcoder (`picture`).
 */
import type { Route } from "../../route/index.js";
import { MOBILE_ROUTE, type MobileNeeds } from "./get-mobile.js";

export type { MobileNeeds } from "./get-mobile.js";

export const MOBILE_ROUTES: readonly Route<MobileNeeds>[] = [MOBILE_ROUTE];
