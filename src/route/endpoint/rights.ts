import { hasRight, isAllForbidden, type Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import type { GroupRight } from "../../site/index.js";

/** Licences that include the configuration API. */
const CONFIGURATION_PRODUCTS = ["enterprise", "ultra"];

/**
 * The requirement for every user: "user": logged in; "administrator": a senior administrator; "administration": a senior
 * administrator, and a licence that includes the configuration API; "name": a name in the path, issued to a logged-in user,
 * replaces the credentials; "none": everybody.
 */
export type RouteLogin = "user" | "administrator" | "administration" | "name" | "none";

/** Routes whose credentials are not read. */
export type OpenLogin = "name" | "none";

/** A right of the user's group that a route needs. */
export interface RouteRight {
  readonly right: Exclude<GroupRight, "IsAllForbidden">;
  /** Which requests need it, if not all. Then the endpoint checks it, otherwise the router. */
  readonly when?: string;
}

/** Who may use a route; see docs/ref/rights.md. */
export interface RouteAccess {
  readonly login: RouteLogin;
  /** Additional rights; none when absent. */
  readonly rights?: readonly RouteRight[];
  /** Also allowed for users of a group with IsAllForbidden. */
  readonly evenForbidden?: true;
  /** Leaves nothing here that others see: who may only look may send it, whatever its method is. */
  readonly leavesNothing?: true;
  /** A question, or a mark of the user's own: no act of a hub's user that is kept among the events. */
  readonly isNoAct?: true;
  /** Also for the administrators of a hub that the owner lets update this recorder. */
  readonly isUpdate?: true;
  /** Also for a session of a user who must choose another password first. */
  readonly withFirstPassword?: true;
}

/** Throws NvrdError FORBIDDEN unless the user may use the route. The endpoint checks what depends on the request. */
export function requireRoute(
  route: RouteAccess & { readonly method?: string },
  principal: Principal,
  productType: string,
): void {
  if (isAllForbidden(principal) && route.evenForbidden !== true)
    throw new NvrdError("FORBIDDEN", "your group may do nothing here (right IsAllForbidden)");
  if (route.login === "administration") requireAdministration(principal, productType);
  if (route.login === "administrator" && !(route.isUpdate === true && principal.mayUpdate === true))
    requireAdministrator(principal, "this is");
  if (principal.mayOnlyLook === true && leavesSomething(route))
    throw new NvrdError("FORBIDDEN", "the hub may only look here", {
      hint: "the owner of the recorder decides how far its hub may go",
    });
  const missing = route.rights?.find(({ right, when }) => when === undefined && !hasRight(principal, right));
  if (missing !== undefined)
    throw new NvrdError("FORBIDDEN", `your group may not do this (right ${missing.right})`);
}

/** Whether nothing but a login guards a route that changes something. */
function leavesSomething({
  method,
  login,
  rights,
  leavesNothing,
}: RouteAccess & { readonly method?: string }): boolean {
  return (
    method !== undefined &&
    method !== "GET" &&
    login === "user" &&
    rights === undefined &&
    leavesNothing !== true
  );
}

/** Throws NvrdError FORBIDDEN unless user and licence may use the configuration API. */
export function requireAdministration(principal: Principal, productType: string): void {
  if (!CONFIGURATION_PRODUCTS.includes(productType.toLowerCase())) {
    throw new NvrdError(
      "FORBIDDEN",
      `the configuration API needs a licence of type Enterprise or Ultra, this server's is ${productType}`,
    );
  }
  requireAdministrator(principal, "the configuration API is");
}

function requireAdministrator(principal: Principal, what: string): void {
  if (principal.group.seniorAdministrators) return;
  throw new NvrdError("FORBIDDEN", `${what} for the group of senior administrators`);
}
