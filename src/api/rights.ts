import type { Principal } from "../access/index.js";
import { NvrdError } from "../base/index.js";
import type { GroupRight } from "../site/index.js";

/** Licences whose owners may use the configuration API (rest-api.md, Authentication, rule 3). */
const CONFIGURATION_PRODUCTS = ["enterprise", "ultra"];

/** Whether the user's group has a right; senior administrators have all. */
export function hasRight(principal: Principal, right: Exclude<GroupRight, "IsAllForbidden">): boolean {
  if (principal.group.seniorAdministrators) return true;
  return principal.group.rights[right] && !principal.group.rights.IsAllForbidden;
}

/** Throws NvrdError FORBIDDEN unless user and licence may use the configuration API. */
export function requireAdministration(principal: Principal, productType: string): void {
  if (!CONFIGURATION_PRODUCTS.includes(productType.toLowerCase())) {
    throw new NvrdError(
      "FORBIDDEN",
      `the configuration API needs a licence of type Enterprise or Ultra, this server's is ${productType}`,
    );
  }
  if (!principal.group.seniorAdministrators) {
    throw new NvrdError("FORBIDDEN", "the configuration API is for the group of senior administrators");
  }
}
