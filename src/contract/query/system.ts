import { HISTORY_SPANS, LOG_LEVELS, LOG_LINES_MAX, LOG_TEXT_LENGTH_MAX } from "../answer/index.js";
import { choice, flag, id, meaning, needed, whole } from "../kinds/kinds.js";
import { filled, moment, or, type Parameters, words } from "./parameters.js";
import { language } from "./viewing.js";

/** The recorder itself, and who is logged in. */

export const logQuery = {
  level: meaning("This bad or worse.", or(choice(...LOG_LEVELS), "Information")),
  channel: meaning("Lines that name this camera.", id),
  text: meaning("Lines with this in their text, in any case.", words(LOG_TEXT_LENGTH_MAX)),
  since: meaning(
    "Lines from this time on: ISO 8601, or a time as elsewhere in this API. Default: all.",
    moment,
  ),
  limit: meaning("How many lines at most.", or(whole(1, LOG_LINES_MAX), 200)),
} as const satisfies Parameters;

export const historyQuery = {
  span: meaning("How far back.", or(choice(...HISTORY_SPANS), "Day")),
} as const satisfies Parameters;

/** A disk by its device. */
export const diskHistoryQuery = {
  device: meaning("`Device` of [`GET /api/disks`](#get-apidisks).", needed(filled)),
} as const satisfies Parameters;

export const healthQuery = {
  language: meaning("Of `Title`, `Remedy` and the texts of `Losses`.", language),
} as const satisfies Parameters;

export const boxesQuery = {
  language: meaning("Of `Title` and `Remedy`.", language),
} as const satisfies Parameters;

export const channelStatusQuery = {
  language: meaning("The language of what is said. Default: `en`.", language),
} as const satisfies Parameters;

export const eventKindsQuery = {
  language: meaning("The language of the names. Default: `en`.", language),
} as const satisfies Parameters;

export const acmeQuery = {
  language: meaning("Of `Title` and `Remedy`.", language),
} as const satisfies Parameters;

export const revisionsQuery = {
  language: meaning(
    "`Summary` in this language, as far as the recorder has words for it. When left out: English.",
    language,
  ),
} as const satisfies Parameters;

export const changeQuery = {
  revision: meaning(
    "The revision that the change is based on; 409 if it is not the current one.",
    whole(0, Number.MAX_SAFE_INTEGER),
  ),
} as const satisfies Parameters;

export const sessionQuery = {
  anonymous: meaning(
    "`true`: a request without credentials, or with a session that is over, is answered with 200 and `null` instead of 401. A page asks so before it shows its login: a browser reports each 401 as an error. Wrong credentials stay 401.",
    flag,
  ),
} as const satisfies Parameters;

export const manifestQuery = {
  anonymous: meaning(
    "`true`: who is not logged in gets the manifest too, with the name `nvrd`. Browsers ask for it before the login.",
    flag,
  ),
} as const satisfies Parameters;
