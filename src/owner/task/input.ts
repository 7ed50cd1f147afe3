import * as v from "valibot";

/* Input of tasks. */

const TEXT_LENGTH_MAX = 256;

export const shortText = v.pipe(
  v.string("accepted: a text"),
  v.maxLength(TEXT_LENGTH_MAX, `accepted: at most ${TEXT_LENGTH_MAX} characters`),
);
export const flagValue = v.boolean("accepted: true or false");
