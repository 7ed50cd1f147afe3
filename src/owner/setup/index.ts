/**
 * owner/setup: the first run of a recorder: /api/setup.
 *
 * Belongs here: how far it is, root's own password in place of the generated one, name, language and time zone of the box.
 * Does not belong here: cameras and disks (`task`, `discovery`, `system`), keeping the choices (`service`).
 */
import type { Route } from "../../route/index.js";
import { SETUP_ROUTE } from "./get-setup.js";
import { SET_UP_ROUTE } from "./post-setup.js";
import { STRENGTH_ROUTE } from "./post-strength.js";
import type { SetupNeeds } from "./setup-state.js";

export type { FirstRun, SetupNeeds } from "./setup-state.js";

export const SETUP_ROUTES: readonly Route<SetupNeeds>[] = [SETUP_ROUTE, SET_UP_ROUTE, STRENGTH_ROUTE];
