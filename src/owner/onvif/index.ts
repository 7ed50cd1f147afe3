/**
 * owner/onvif: the path below which the recorder is an ONVIF device.
 *
 * Belongs here: the endpoint. Does not belong here: services, logins and answers (`onvif`).
 */
import type { Route } from "../../route/index.js";
import type { OnvifNeeds } from "./needs.js";
import { ONVIF_ROUTE } from "./post-onvif.js";

export type { OnvifNeeds, OnvifService } from "./needs.js";

export const ONVIF_ROUTES: readonly Route<OnvifNeeds>[] = [ONVIF_ROUTE];
