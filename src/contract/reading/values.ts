import * as v from "valibot";
import { EMPTY_GUID } from "../../base/index.js";
import { NAME_LENGTH_MAX } from "../kinds/kinds.js";

/**
 * The kinds of values in a configuration. Messages say what is accepted and never contain the value, because some values are
 * passwords.
 */

const GUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Excludes what XML 1.0 does not allow (section 2.2): control characters, lone surrogates and two non-characters. */
const LINE_PATTERN = /^[^\p{Cc}\p{Cs}\uFFFE\uFFFF]*$/u;
const TEXT_PATTERN = /^(?:[^\p{Cc}\p{Cs}\uFFFE\uFFFF]|[\t\n\r])*$/u;

/** Something besides what `trim` takes away. */
const NAME_PATTERN = /[^\s\ufeff]/u;

export const guid = v.pipe(
  v.string("accepted: a GUID"),
  v.regex(GUID_PATTERN, "accepted: a GUID in lower case with dashes"),
  v.notValue(EMPTY_GUID, "accepted: a GUID other than all zeros"),
);
export const line = (lengthMax: number) =>
  v.pipe(
    v.string("accepted: a text"),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
    v.regex(LINE_PATTERN, "accepted: one line without control characters"),
  );
export const text = (lengthMax: number) =>
  v.pipe(
    v.string("accepted: a text"),
    v.maxLength(lengthMax, `accepted: at most ${lengthMax} characters`),
    v.regex(TEXT_PATTERN, "accepted: text without control characters"),
  );
export const name = v.pipe(
  line(NAME_LENGTH_MAX),
  v.regex(NAME_PATTERN, "accepted: a name that is not empty"),
);
export const flag = v.boolean("accepted: true or false");
export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `accepted: ${values.join(", ")}`);
export const whole = (min: number, max: number) =>
  v.pipe(
    v.number(`accepted: a whole number ${min} to ${max}`),
    v.safeInteger(`accepted: a whole number ${min} to ${max}`),
    v.minValue(min, `accepted: a whole number ${min} to ${max}`),
    v.maxValue(max, `accepted: a whole number ${min} to ${max}`),
  );
/** A number from `min` to `max`, with fractions. */
export const between = (min: number, max: number, unit = "") => {
  const accepted = `accepted: ${unit}${unit === "" ? "" : " from "}${min} to ${max}`;
  return v.pipe(v.number(accepted), v.minValue(min, accepted), v.maxValue(max, accepted));
};
export const degrees = (bound: number) => between(-bound, bound, "degrees");
export const list = <T extends v.GenericSchema>(
  item: T,
  countMax: number,
  noun: string,
  accepted = "a list",
) =>
  v.pipe(
    v.array(item, `accepted: ${accepted}`),
    v.maxLength(countMax, `accepted: at most ${countMax} ${noun}`),
    v.readonly(),
  );
