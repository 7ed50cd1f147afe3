import type { GroupRight } from "../site/index.js";
import type { Principal } from "./types.js";

/** Whether the user's group has a right; senior administrators have all. */
export function hasRight(principal: Principal, right: Exclude<GroupRight, "IsAllForbidden">): boolean {
  if (principal.group.seniorAdministrators) return true;
  return principal.group.rights[right] && !principal.group.rights.IsAllForbidden;
}

/** Whether it is one of the configuration's users, who have a password and settings of their own here. */
export function isOfConfiguration({ directoryUser, isOfHub }: Principal): boolean {
  return directoryUser === undefined && isOfHub !== true;
}

/** Whether everything is forbidden for the user's group. */
export function isAllForbidden(principal: Principal): boolean {
  return principal.group.rights.IsAllForbidden && !principal.group.seniorAdministrators;
}

/** Whether a user of a hub may know its recorders: rights to single cameras are rights to cameras of one recorder. */
export function maySeeFleet({ group, isOfHub }: Principal): boolean {
  // Who comes through a hub of this hub is known to that one alone.
  if (isOfHub === true) return false;
  if (group.seniorAdministrators) return true;
  return (
    !group.rights.IsAllForbidden && (group.realtimeChannels === "all" || group.archiveChannels === "all")
  );
}
