import * as v from "valibot";
import { given, members, type Route, type SettingsDescription, settingsRoutes } from "../../route/index.js";
import { type MapFolder, SITE_LIMITS, siteValues } from "../../site/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { between, degrees, line, list } = siteValues;
const name = line(SITE_LIMITS.nameLengthMax);

const locationSchema = members({
  Name: name,
  Latitude: degrees(90),
  Longitude: degrees(180),
  Zoom: given(between(0, SITE_LIMITS.mapZoomMax)),
});

interface FolderInput {
  readonly Name?: string | null | undefined;
  readonly ChildLocations?: readonly v.InferOutput<typeof locationSchema>[] | null | undefined;
  readonly ChildFolders?: readonly FolderInput[] | null | undefined;
}

/** Recursive; the nesting of the body is limited before. */
const folderSchema: v.GenericSchema<unknown, FolderInput> = members({
  Name: given(name),
  ChildLocations: given(list(locationSchema, SITE_LIMITS.mapLocationsMax, "locations")),
  ChildFolders: given(
    list(
      v.lazy(() => folderSchema),
      SITE_LIMITS.mapFoldersMax,
      "folders",
    ),
  ),
});

const DESCRIPTION: SettingsDescription = {
  title: "Locations",
  noun: "the places on the map",
  text: ["[`/configex`](#get-configex) shows them too."],
  members: {
    Locations: "The tree of places. They have no ids, so PUT replaces the tree.",
    "Locations.ChildLocations.Latitude": { description: "Degrees." },
    "Locations.ChildLocations.Longitude": { description: "Degrees." },
    "Locations.ChildFolders": {
      description: "Folders within, of the same shape.",
      items: { type: "object" },
    },
  },
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
  schema: members({ Locations: given(folderSchema) }),
  describe: ({ mapLocations }) => ({ Locations: describeFolder(mapLocations) }),
  apply: (site, { Locations }) => (Locations ? { ...site, mapLocations: folderOf(Locations) } : site),
});

function describeFolder({ name: folderName, locations: places, folders }: MapFolder): unknown {
  return {
    Name: folderName,
    ChildLocations: places.map((place) => ({
      Name: place.name,
      Latitude: place.latitude,
      Longitude: place.longitude,
      Zoom: place.zoom,
    })),
    ChildFolders: folders.map(describeFolder),
  };
}

function folderOf(input: FolderInput): MapFolder {
  return {
    name: input.Name ?? "",
    locations: (input.ChildLocations ?? []).map((place) => ({
      name: place.Name,
      latitude: place.Latitude,
      longitude: place.Longitude,
      zoom: place.Zoom ?? 0,
    })),
    folders: (input.ChildFolders ?? []).map(folderOf),
  };
}
