/**
 * owner/onvif: the path below which the recorder is an ONVIF device.
 *
 * Belongs here: the endpoint. Does not belong here: services, logins and answers (`onvif`).
 */
import type { Route } from "../../route/index.js";
import { ONVIF_ROUTE, type OnvifNeeds } from "./post-onvif.js";

export type { OnvifNeeds, OnvifService } from "./post-onvif.js";

export const ONVIF_ROUTES: readonly Route<OnvifNeeds>[] = [ONVIF_ROUTE];
