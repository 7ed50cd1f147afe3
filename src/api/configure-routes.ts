import type { CollectionEndpoints } from "./collection.js";
import { groups } from "./configure-groups.js";
import { locations } from "./configure-locations.js";
import { mobile } from "./configure-mobile.js";
import { monitoring } from "./configure-monitoring.js";
import { rtsp } from "./configure-rtsp.js";
import { securityObjectEndpoints } from "./configure-securityobjects.js";
import { server } from "./configure-server.js";
import { users } from "./configure-users.js";
import { userScenarios } from "./configure-userscenarios.js";
import { views } from "./configure-views.js";
import type { Route } from "./route.js";
import type { SettingsEndpoints } from "./settings-endpoints.js";

const COLLECTIONS: readonly CollectionEndpoints[] = [
  groups,
  users,
  securityObjectEndpoints,
  views,
  userScenarios,
];
const SETTINGS: readonly SettingsEndpoints[] = [locations, mobile, monitoring, rtsp, server];

/** The administration beside channels: lists of objects, and parts that are one object. */
export const CONFIGURE_ROUTES: readonly Route[] = [
  ...COLLECTIONS.flatMap(({ path, getAll, getOne, post, put, remove }): Route[] => [
    { method: "GET", path, needs: "administration", endpoint: getAll },
    { method: "POST", path, needs: "administration", endpoint: post },
    { method: "PUT", path, needs: "administration", endpoint: put },
    { method: "GET", path: `${path}/{id}`, needs: "administration", endpoint: getOne },
    { method: "DELETE", path: `${path}/{id}`, needs: "administration", endpoint: remove },
  ]),
  ...SETTINGS.flatMap(({ path, get, put }): Route[] => [
    { method: "GET", path, needs: "administration", endpoint: get },
    { method: "PUT", path, needs: "administration", endpoint: put },
  ]),
];
