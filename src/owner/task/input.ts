import * as v from "valibot";

/* Input of tasks and of the routes under /api/disks. */

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
export const flagValue = v.boolean("accepted: true or false");

export const PATH_NOTE = "As in `GET /api/disks`.";
