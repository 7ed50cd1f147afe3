import { by, flag, id, list, name, needed, sparse, unsaid, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { GRID_TYPES_USUAL, GROUPS_MAX, gridType } from "./group.js";

/** Screen profiles, cameras in a grid: `/configure/views`. */

export const VIEWS_MAX = 512;
/** Of a grid. */
const CELLS_MAX = 256;

export const ROTATION_SECONDS_MAX = 3600;

export const view = {
  Name: needed(name),
  GridType: unsaid(gridType, GRID_TYPES_USUAL[0]),
  ChannelIds: unsaid(list(id, CELLS_MAX, "channels"), []),
  IsFilled: sparse(unsaid(flag, false)),
  RotationSeconds: sparse(unsaid(whole(0, ROTATION_SECONDS_MAX), 0)),
  GroupIds: list(id, GROUPS_MAX, "groups"),
  AllGroups: by(flag, true),
} as const;

export const viewTexts: TextsOf<typeof view> = {
  Name: "Required in POST.",
  GridType: "The screen grid.",
  ChannelIds:
    "In the grid's order. A channel may occur repeatedly. Those beyond the grid's tiles are on further pages.",
  IsFilled: "Pictures fill their tiles, and what is beyond them is cut.",
  RotationSeconds: "So long each page is shown; 0: until another one is chosen.",
  AllGroups: "Every group may use it.",
  GroupIds: "The groups that may use it.",
};
