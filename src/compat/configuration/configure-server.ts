import {
  given,
  members,
  nameText,
  type Route,
  type SettingsDescription,
  settingsRoutes,
} from "../../route/index.js";
import { siteValues } from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const DESCRIPTION: SettingsDescription = {
  title: "ServerSettings",
  noun: "the settings of this server",
  text: [],
  members: { UseTimeZones: "Shown in [`/configex`](#get-configex)." },
  answered: { Id: { type: "string", format: "uuid", description: "Only in answers." } },
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/server"'],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/server" --data \'{ "Name": "Depot", "UseTimeZones": true }\'',
    ],
  },
};

/** /configure/server: this server's name, and whether clients take time zones into account. */
export const SERVER_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/server",
  description: DESCRIPTION,
  schema: members({ Name: given(nameText), UseTimeZones: given(siteValues.flag) }),
  describe: (site) => ({ Id: site.server.id, Name: site.server.name, UseTimeZones: site.useTimeZones }),
  apply: (site, input) => ({
    ...site,
    server: { ...site.server, name: input.Name ?? site.server.name },
    useTimeZones: input.UseTimeZones ?? site.useTimeZones,
  }),
});
