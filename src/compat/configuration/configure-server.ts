import { changed, type ObjectOf, part, serverSettings, serverSettingsTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { type Route, type SettingsDescription, settingsRoutes } from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const DESCRIPTION: SettingsDescription = {
  title: "ServerSettings",
  noun: "the settings of this server",
  text: [],
  members: notesOf(serverSettings, serverSettingsTexts, { isOne: true }),
  answered: { Id: { type: "string", format: "uuid", description: "Only in answers." } },
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/server"'],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/server" --data \'{ "Name": "Depot", "UseTimeZones": true }\'',
    ],
  },
};

/** /configure/server: this server's name, whether clients take time zones into account, and whether links to files may be made. */
export const SERVER_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/server",
  description: DESCRIPTION,
  schema: readerOf(serverSettings),
  describe: ({ server: { id, name }, useTimeZones, fileLinksEnabled }): ObjectOf<typeof serverSettings> => ({
    ...{ Id: id, Name: name, UseTimeZones: useTimeZones },
    ...(fileLinksEnabled === true ? { FileLinksEnabled: true } : {}),
  }),
  apply: ({ fileLinksEnabled: before, ...site }, input) => ({
    ...site,
    server: { ...site.server, ...changed(part(serverSettings, "Name"), input, site.server) },
    ...changed(part(serverSettings, "UseTimeZones"), input, site),
    // Older versions do not know it: it is there only where it says something.
    ...((input.FileLinksEnabled ?? before) === true ? { fileLinksEnabled: true } : {}),
  }),
});
