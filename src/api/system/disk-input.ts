import * as v from "valibot";
import type { StorageUser } from "../../storage/index.js";
import type { RequestContext } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/* Input shared by the routes under /api/disks. */

export const PATH_LENGTH_MAX = 4096;
export const TEXT_LENGTH_MAX = 256;

export const pathText = v.pipe(
  v.string("accepted: a path"),
  v.startsWith("/", "accepted: an absolute path"),
  v.maxLength(PATH_LENGTH_MAX, `accepted: at most ${PATH_LENGTH_MAX} characters`),
  v.excludes("\0", "accepted: a path"),
  v.metadata({ jsonSchema: { pattern: "^/[^\\u0000]*$" } }),
);
export const shortText = v.pipe(
  v.string("accepted: a text"),
  v.maxLength(TEXT_LENGTH_MAX, `accepted: at most ${TEXT_LENGTH_MAX} characters`),
);
export const flag = v.boolean("accepted: true or false");

export const PATH_NOTE = "As in `GET /api/disks`.";
export const WRONG_CONFIRM = "The body is invalid, or `Confirm` does not match.";

export function userOf({ principal }: RequestContext<SystemNeeds>): StorageUser {
  return { id: principal.user.id, name: principal.user.name };
}
