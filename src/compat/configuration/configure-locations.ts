import { changed, locations, locationsTexts, shown } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { type Route, type SettingsDescription, settingsRoutes } from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const NOTES = notesOf(locations, locationsTexts, { isOne: true });
const FOLDERS = "Locations.ChildFolders";

const DESCRIPTION: SettingsDescription = {
  title: "Locations",
  noun: "the places on the map",
  text: ["[`/configex`](#get-configex) shows them too."],
  // The nesting of the body is limited before.
  members: { ...NOTES, [FOLDERS]: { ...NOTES[FOLDERS], items: { type: "object" } } },
  examples: {
    get: ['curl -fu "$AUTH" "$NVRD/configure/locations"'],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/locations" --data \'{ "Locations": { "Name": "All",',
      '  "ChildLocations": [{ "Name": "Depot", "Latitude": 58.01, "Longitude": 56.23, "Zoom": 14 }] } }\'',
    ],
  },
};

/** /configure/locations: the places on the map. They have no ids: PUT replaces the tree. */
export const LOCATION_ROUTES: readonly Route<ConfigurationNeeds>[] = settingsRoutes({
  path: "/configure/locations",
  description: DESCRIPTION,
  schema: readerOf(locations),
  describe: (site) => shown(locations, site),
  apply: (site, input) => ({ ...site, ...changed(locations, input, site) }),
});
