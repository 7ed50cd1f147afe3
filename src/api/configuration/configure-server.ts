import { siteValues } from "../../site/index.js";
import { given, members, nameText } from "../route/body-schema.js";
import { settingsEndpoints } from "../route/settings-endpoints.js";

/** /configure/server: this server's name, and whether clients take time zones into account. */
export const server = settingsEndpoints({
  path: "/configure/server",
  schema: members({ Name: given(nameText), UseTimeZones: given(siteValues.flag) }),
  describe: (site) => ({ Id: site.server.id, Name: site.server.name, UseTimeZones: site.useTimeZones }),
  apply: (site, input) => ({
    ...site,
    server: { ...site.server, name: input.Name ?? site.server.name },
    useTimeZones: input.UseTimeZones ?? site.useTimeZones,
  }),
});
