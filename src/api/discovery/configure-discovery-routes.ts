import type { Route } from "../route/index.js";
import { getDiscovery } from "./configure-discovery.js";
import { postDiscoveryAdd } from "./configure-discovery-add.js";
import { DISCOVERY_ADD_DESCRIPTION, DISCOVERY_DESCRIPTION } from "./describe-discovery.js";
import type { DiscoveryNeeds } from "./needs.js";

/** Finding cameras on the network and adding them: ours, not the reference's. */
export const DISCOVERY_ROUTES: readonly Route<DiscoveryNeeds>[] = [
  {
    method: "GET",
    path: "/configure/discovery",
    login: "administration",
    endpoint: getDiscovery,
    describe: DISCOVERY_DESCRIPTION,
  },
  {
    method: "POST",
    path: "/configure/discovery/add",
    login: "administration",
    endpoint: postDiscoveryAdd,
    describe: DISCOVERY_ADD_DESCRIPTION,
  },
];
