import * as v from "valibot";
import type { StorageUser } from "../../storage/index.js";
import { type JsonSchema, type RequestContext, textUpTo } from "../route/index.js";
import type { SystemNeeds } from "./needs.js";

/* What the routes under /api/disks take alike. */

export const PATH_LENGTH_MAX = 4096;
export const TEXT_LENGTH_MAX = 256;

export const pathText = v.pipe(
  v.string("accepted: a path"),
  v.startsWith("/", "accepted: a path from the root on"),
  v.maxLength(PATH_LENGTH_MAX, `accepted: at most ${PATH_LENGTH_MAX} characters`),
  v.excludes("\0", "accepted: a path"),
);
export const shortText = v.pipe(
  v.string("accepted: a text"),
  v.maxLength(TEXT_LENGTH_MAX, `accepted: at most ${TEXT_LENGTH_MAX} characters`),
);
export const flag = v.boolean("accepted: true or false");

export const PATH: JsonSchema = { ...textUpTo(PATH_LENGTH_MAX), description: "As `GET /api/disks` has it." };
export const WRONG_CONFIRM = "The body is faulty, or `Confirm` does not fit.";

export function userOf({ principal }: RequestContext<SystemNeeds>): StorageUser {
  return { id: principal.user.id, name: principal.user.name };
}
