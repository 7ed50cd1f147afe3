import { COMPAT_ROUTES, type CompatNeeds } from "../../compat/index.js";
import { OWNER_ROUTES, type OwnerNeeds, openApiRoute, overAllBoxes } from "../../owner/index.js";
import type { Route } from "../../route/index.js";

/** What all endpoints need of the service. */
export type ApiNeeds = CompatNeeds & OwnerNeeds;

/** All endpoints. */
export const ROUTES: readonly Route<ApiNeeds>[] = [
  ...[...COMPAT_ROUTES, ...OWNER_ROUTES].map((route) => overAllBoxes<ApiNeeds>(route)),
  openApiRoute((): readonly Route[] => ROUTES),
];
