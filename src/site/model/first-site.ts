import { newGuid } from "../../base/index.js";
import { defaultsOf, GROUP_RIGHTS, type GroupRight, group, without } from "../../contract/index.js";
import { LOCKED_SECRET, type Site, type UserGroup } from "./model.js";
import { DEFAULT_SITE_PARTS } from "./site-defaults.js";

/** The name of the user in a new configuration. */
export const ROOT_USER_NAME = "root";

/** The configuration of a new recorder: no cameras, the group of senior administrators, and root, who cannot log in yet. */
export function createFirstSite(options: { readonly serverName: string; readonly nowUs: number }): Site {
  const administrators: UserGroup = {
    id: newGuid(),
    name: "Senior administrators",
    ...defaultsOf(without(group, "Name", "Rights", "ChannelsAccessOptions")),
    seniorAdministrators: true,
    ptzPriority: "High",
    rights: allRights(),
    realtimeChannels: "all",
    archiveChannels: "all",
  };
  return {
    id: newGuid(),
    revision: 1,
    appliedAtUs: options.nowUs,
    server: { id: newGuid(), name: options.serverName },
    cameras: [],
    rootSecurityObject: { id: newGuid(), name: null, children: [], channelIds: [] },
    groups: [administrators],
    users: [{ id: newGuid(), name: ROOT_USER_NAME, groupId: administrators.id, secret: LOCKED_SECRET }],
    ...DEFAULT_SITE_PARTS,
  };
}

/** Every right granted; `IsAllForbidden` takes rights away, so it is not. */
export function allRights(): Record<GroupRight, boolean> {
  const rights = Object.fromEntries(GROUP_RIGHTS.map((right) => [right, right !== "IsAllForbidden"]));
  return rights as Record<GroupRight, boolean>;
}
