import type { SecurityObject } from "./model.js";

/** The object and all below it, from the root down. */
export function securityObjects(root: SecurityObject): SecurityObject[] {
  return [root, ...root.children.flatMap(securityObjects)];
}
