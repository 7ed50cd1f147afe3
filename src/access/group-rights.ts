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
