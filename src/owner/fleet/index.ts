/**
 * owner/fleet: the hub that a recorder belongs to, the recorders of a hub, and partners.
 *
 * Belongs here: joining and leaving a hub, the list of a hub's recorders, requests to them through the hub, templates for their settings; the list of partners; what is kept of them.
 * Does not belong here: connections and certificates (`fleet`), what a hub's user may do at a recorder (`access`).
 */
import type { Route } from "../../route/index.js";
import { BOX_ROUTES } from "./box.js";
import { BOXES_ROUTES } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { HUB_ROUTES } from "./hub.js";
import { PARTNERS_ROUTES } from "./partners.js";
import { REPLICAS_ROUTES } from "./replicas.js";
import { ROLLOUT_ROUTES } from "./rollout.js";
import { TEMPLATE_ROUTES } from "./templates.js";

export type {
  BoxesControl,
  FleetNeeds,
  HubControl,
  PartnersControl,
  ReplicaShareState,
  ReplicasControl,
  ReserveStates,
  StorageWish,
} from "./fleet-control.js";
export { FleetServers } from "./other-servers.js";
export { overAllBoxes, seenOverRtsp, servePeerLive } from "./over-all-boxes.js";

export const FLEET_ROUTES: readonly Route<FleetNeeds>[] = [
  ...HUB_ROUTES,
  ...BOXES_ROUTES,
  ...ROLLOUT_ROUTES,
  ...TEMPLATE_ROUTES,
  ...BOX_ROUTES,
  ...PARTNERS_ROUTES,
  ...REPLICAS_ROUTES,
];
