/**
 * owner/network: the box's own network: interfaces, changes on trial, name and time zone.
 *
 * Belongs here: the endpoints under /api/network.
 * Does not belong here: what they change (`network`), the ports that the service listens on (`settings`).
 */
import type { Route } from "../../route/index.js";
import { NETWORK_ROUTE } from "./get-network.js";
import type { NetworkNeeds } from "./network-input.js";
import { NETWORK_TRIAL_ROUTES } from "./network-trial.js";
import { BOX_ROUTE } from "./put-box.js";
import { NETWORK_CHANGE_ROUTE } from "./put-network.js";

export type { NetworkNeeds } from "./network-input.js";

/** The box's own network, under any licence. */
export const NETWORK_ROUTES: readonly Route<NetworkNeeds>[] = [
  NETWORK_ROUTE,
  NETWORK_CHANGE_ROUTE,
  ...NETWORK_TRIAL_ROUTES,
  BOX_ROUTE,
];
