import {
  clearable,
  flag,
  group as groupOf,
  line,
  lines,
  list,
  type Members,
  name,
  needed,
  storedAs,
  unsaid,
} from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { channelIds } from "./channels.js";

/** User groups with their rights and channels: `/configure/groups`. */

export const GROUPS_MAX = 128;
/** What a group's users may choose, unless it says otherwise. */
export const GRID_TYPES_USUAL = ["GridType1", "GridType12X11"] as const;

/** A screen grid by its name in client programs. */
export const gridType = line(64);

/** The rights of the reference, in its order. */
export const GROUP_RIGHTS = [
  "CanConfigure",
  "CanConfigureWorkplace",
  "CanShutdown",
  "CanChangeChannelMode",
  "CanManageRec",
  "CanAccessExpertMode",
  "CanPTZ",
  "CanReceiveSound",
  "CanTransmitSound",
  "CanAccessNewCamera",
  "CanAccessReports",
  "CanGetTranscodedVideoFromMobileServer",
  "CanAccessEditingAnalystPluginsInClient",
  "CanAccessVideoViaWeb",
  "CanAccessVideoViaSmartTV",
  "CanExportVideoToAvi",
  "CanUseArchiveExport",
  "CanReceiveMainStream",
  "IsAllForbidden",
  "CanAccessUnifiedLog",
  "CanAccessArchiveMarks",
  "CanAccessSearch",
  "CanAccessToAllUsersInUnifiedLog",
  "CanReceiveMobilePush",
  "MessengerCanSendMessages",
  "MessengerCanReceiveMessages",
  "CanConfigureVideowall",
  "CanBrowsingVideowall",
  "CanAccessPlans",
  "CanChangePassword",
  "CanRunUserScenarios",
  "CanAccessGis",
] as const;

export type GroupRight = (typeof GROUP_RIGHTS)[number];

const rights = Object.fromEntries(GROUP_RIGHTS.map((right) => [right, flag])) as {
  readonly [R in GroupRight]: typeof flag;
};

/** Which channels its users may watch. */
export const channelsAccess = {
  ChannelsArchiveAllowed: channelIds,
  ChannelsRealtimeAllowed: channelIds,
  AllArchiveAllowed: flag,
  AllRealtimeAllowed: flag,
} as const satisfies Members;

export const group = {
  Name: needed(name),
  Comment: clearable(lines(1024)),
  IsSeniorAdministrators: storedAs("seniorAdministrators", unsaid(flag, false)),
  PtzPriority: unsaid(line(32), "Low"),
  GridTypesAllowed: storedAs("gridTypes", unsaid(list(gridType, 64, "grid types"), GRID_TYPES_USUAL)),
  DirectoryGroups: unsaid(list(line(1024), 64, "directory groups"), []),
  Rights: groupOf(rights),
  ChannelsAccessOptions: groupOf(channelsAccess),
} as const;

export const groupTexts: TextsOf<typeof group> = {
  Name: "Required in POST. Names must be unique, ignoring case.",
  Comment: "May be null.",
  IsSeniorAdministrators:
    "True gives every right and every channel; contradicting `Rights` or lists are refused.",
  PtzPriority: 'The priority for moving cameras: see [`/ptz`](#get-and-post-ptz). `"Low"` for a new group.',
  GridTypesAllowed: "Screen grids.",
  DirectoryGroups: "Names or DNs of directory groups. Their members log in with this group.",
  Rights: "The rights by name, each true or false; [rights](rights.md) describes them. A new group has none.",
  "ChannelsAccessOptions.ChannelsRealtimeAllowed":
    "Channels that may be watched live. GET lists all if all are allowed. A new group has none.",
  "ChannelsAccessOptions.ChannelsArchiveAllowed":
    "Channels that may be watched in the archive. GET lists all if all are allowed. A new group has none.",
  "ChannelsAccessOptions.AllRealtimeAllowed":
    "All channels, including future ones. False without a list: the present ones.",
  "ChannelsAccessOptions.AllArchiveAllowed":
    "All channels, including future ones. False without a list: the present ones.",
};
