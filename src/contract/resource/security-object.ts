import { maybeId, name, needed } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { channelIds } from "./channels.js";

/** The folders that hold the channels, in a tree: `/configure/securityobjects`. */

export const SECURITY_OBJECTS_MAX = 1024;
/** Levels of folders below the root. */
export const SECURITY_OBJECT_DEPTH_MAX = 16;

export const securityObject = {
  Name: needed(name),
  ParentId: maybeId,
  ChildChannels: channelIds,
} as const;

export const securityObjectTexts: TextsOf<typeof securityObject> = {
  Name: "Required in POST. Null for the root.",
  ParentId: "Moves a folder with its contents. Default in POST: the root. Null for the root in answers.",
  ChildChannels:
    "The contents of the folder. A channel listed here is moved from its previous folder, and one that is removed from the list goes to the root, so that every channel is in a folder.",
};
