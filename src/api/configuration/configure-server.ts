import { siteValues } from "../../site/index.js";
import { given, members, nameText, settingsEndpoints } from "../route/index.js";

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
