import type { SecurityObject } from "./model.js";

/** The object and all its descendants, starting with the root. */
export function securityObjects(root: SecurityObject): SecurityObject[] {
  return [root, ...root.children.flatMap(securityObjects)];
}
