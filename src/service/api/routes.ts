import { COMPAT_ROUTES, type CompatNeeds } from "../../compat/index.js";
import { OWNER_ROUTES, type OwnerNeeds, openApiRoute } from "../../owner/index.js";
import type { Route } from "../../route/index.js";

/** What all endpoints need of the service. */
export type ApiNeeds = CompatNeeds & OwnerNeeds;

/** All endpoints. */
export const ROUTES: readonly Route<ApiNeeds>[] = [
  ...COMPAT_ROUTES,
  ...OWNER_ROUTES,
  openApiRoute((): readonly Route[] => ROUTES),
];
