import {
  type CollectionEndpoints,
  describeCollection,
  describeSettings,
  type Route,
  type SettingsEndpoints,
} from "../route/index.js";
import { alarms } from "./configure-alarms.js";
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
import type { ConfigurationNeeds } from "./needs.js";

const COLLECTIONS: readonly CollectionEndpoints[] = [
  groups,
  users,
  securityObjectEndpoints,
  views,
  userScenarios,
  alarms,
];
const SETTINGS: readonly SettingsEndpoints[] = [locations, mobile, monitoring, rtsp, server];

/** The administration beside channels: lists of objects, and parts that are one object. */
export const CONFIGURE_ROUTES: readonly Route<ConfigurationNeeds>[] = [
  ...COLLECTIONS.flatMap((endpoints): Route<ConfigurationNeeds>[] => {
    const { path } = endpoints;
    const describe = describeCollection(endpoints);
    const all = { path, login: "administration" } as const;
    const one = { path: `${path}/{id}`, login: "administration" } as const;
    return [
      { method: "GET", ...all, endpoint: endpoints.getAll, describe: describe.getAll },
      { method: "POST", ...all, endpoint: endpoints.post, describe: describe.post },
      { method: "PUT", ...all, endpoint: endpoints.put, describe: describe.put },
      { method: "GET", ...one, endpoint: endpoints.getOne, describe: describe.getOne },
      { method: "DELETE", ...one, endpoint: endpoints.remove, describe: describe.remove },
    ];
  }),
  ...SETTINGS.flatMap((endpoints): Route<ConfigurationNeeds>[] => {
    const describe = describeSettings(endpoints);
    const place = { path: endpoints.path, login: "administration" } as const;
    return [
      { method: "GET", ...place, endpoint: endpoints.get, describe: describe.get },
      { method: "PUT", ...place, endpoint: endpoints.put, describe: describe.put },
    ];
  }),
];
