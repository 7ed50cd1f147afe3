import { withoutName } from "./hls/index.js";
import { withoutLink } from "./link/index.js";

/** A path for the log: without what gives access to whoever reads it. */
export function loggedPath(path: string): string {
  return withoutLink(withoutName(path));
}
