import type { GroupRight } from "../site/index.js";
import type { Principal } from "./types.js";

/** Whether the user's group has a right; senior administrators have all. */
export function hasRight(principal: Principal, right: Exclude<GroupRight, "IsAllForbidden">): boolean {
  if (principal.group.seniorAdministrators) return true;
  return principal.group.rights[right] && !principal.group.rights.IsAllForbidden;
}

/** Whether everything is forbidden for the user's group. */
export function isAllForbidden(principal: Principal): boolean {
  return principal.group.rights.IsAllForbidden && !principal.group.seniorAdministrators;
}
