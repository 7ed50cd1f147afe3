/**
 * compat/health: GET /hddstatus: disks, archive and machine, as the reference names them.
 *
 * Belongs here: the endpoint.
 * Does not belong here: nvrd's own answers on health (`owner`), the figures (`health`).
 */
import type { Route } from "../../route/index.js";
import { HDD_STATUS_ROUTE, type HddStatusNeeds } from "./get-hddstatus.js";

export type { HddStatusNeeds as HealthNeeds };

export const HEALTH_ROUTES: readonly Route<HddStatusNeeds>[] = [HDD_STATUS_ROUTE];
