import { decimal, group, line, list, NAME_LENGTH_MAX, storedAs, tree, unsaid } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** The places on the map: `/configure/locations`. */

/** In all folders together, and so many folders. */
export const MAP_LOCATIONS_MAX = 1024;
export const MAP_FOLDERS_MAX = 256;
/** Levels of folders below the root. */
export const MAP_FOLDER_DEPTH_MAX = 16;

const text = line(NAME_LENGTH_MAX);

export const mapLocation = {
  Name: text,
  Latitude: decimal(-90, 90, "degrees"),
  Longitude: decimal(-180, 180, "degrees"),
  /** The map's scale step, 0 is the world. */
  Zoom: unsaid(decimal(0, 24), 0),
} as const;

export const mapFolder = tree({
  members: {
    Name: unsaid(text, ""),
    ChildLocations: storedAs(
      "locations",
      unsaid(list(group(mapLocation, "Name", "Latitude", "Longitude"), MAP_LOCATIONS_MAX, "locations"), []),
    ),
  },
  children: "ChildFolders",
  storedChildren: "folders",
  max: MAP_FOLDERS_MAX,
  noun: "folders",
});

export const locations = { Locations: storedAs("mapLocations", mapFolder) } as const;

export const locationsTexts: TextsOf<typeof locations> = {
  Locations: "The tree of places. They have no ids, so PUT replaces the tree.",
  "Locations.ChildLocations.Latitude": "Degrees.",
  "Locations.ChildLocations.Longitude": "Degrees.",
  "Locations.ChildFolders": "Folders within, of the same shape.",
};
