import type { JsonSchema } from "./json-schema.js";

/**
 * Times as schemas. The patterns have the days that the calendar has, so that whatever matches is a time; the other spellings
 * that `parseApiTime` reads are in the text about times.
 */

const CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]";
/** Of the years from 1000 on. */
const LEAP_YEAR = "(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:1[26]|[2468][048]|[3579][26])00)";
const DAY_FIRST = [
  "(?:(?:(?:0[1-9]|1[0-9]|2[0-8])\\.(?:0[1-9]|1[0-2])|(?:29|30)\\.(?:0[13-9]|1[0-2])|31\\.(?:0[13578]|1[02]))\\.[1-9][0-9]{3}",
  `29\\.02\\.${LEAP_YEAR})`,
].join("|");
const API_TIME = `${DAY_FIRST} ${CLOCK}(?:\\.[0-9]{1,7})?`;

/** ISO 8601 from 1971 on: with any offset it is behind 1970. */
const YEAR = "(?:19(?:7[1-9]|[89][0-9])|[2-9][0-9]{3})";
const LATE_LEAP_YEAR =
  "(?:19(?:7[26]|8[048]|9[26])|[2-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[3579][26])00)";
const DAY_OF_YEAR = [
  `(?:${YEAR}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`,
  `${LATE_LEAP_YEAR}-02-29)`,
].join("|");
const ISO = `${DAY_OF_YEAR}T${CLOCK}(?:\\.[0-9]{1,9})?(?:Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])?`;

/** A BinaryTimestamp: the kind UTC in the two highest bits, and the moment after 1970. */
const BINARY = "5(?:2[4-9]|[3-9][0-9])[0-9]{16}|6[0-9]{18}|7[0-6][0-9]{17}";

/** `dd.MM.yyyy HH:mm:ss[.fff]`, or ISO 8601. */
export const TIME: JsonSchema = { type: "string", format: "nvrd-time", pattern: `^(?:${API_TIME}|${ISO})$` };
export const TIME_OR_EMPTY: JsonSchema = { ...TIME, pattern: `^(?:${API_TIME}|${ISO})?$` };
/** The same, or a BinaryTimestamp. */
export const EVENT_TIME: JsonSchema = { ...TIME, pattern: `^(?:${API_TIME}|${ISO}|${BINARY})$` };
/** The same, or Unix milliseconds from 2001 on. */
export const MOMENT: JsonSchema = { ...TIME, pattern: `^(?:${API_TIME}|${ISO}|[0-9]{13})$` };
/** `yyyy-MM-dd`, from 1971 on. */
export const DAY_PATTERN = `^${DAY_OF_YEAR}$`;
