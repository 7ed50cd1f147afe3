import type { StorageUser } from "../../box/storage/index.js";
import type { RequestContext } from "../../route/index.js";
import type { DiskNeeds } from "./disks.js";

/* Shared by the routes under /api/disks. */

export const WRONG_CONFIRM = "The body is invalid, or `Confirm` does not match.";

export function userOf({ principal }: RequestContext<DiskNeeds>): StorageUser {
  return { id: principal.user.id, name: principal.user.name };
}
