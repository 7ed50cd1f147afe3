import { LANGUAGES } from "../../../base/index.js";
import {
  choice,
  flag,
  group,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  text,
  type ValueOf,
  whole,
} from "../../kinds/kinds.js";
import { PASSWORD_LENGTH_MIN } from "../../resource/user.js";

/** The first run: `/api/setup`. */

/** What the judgement of a password says is weak about it. */
export const PASSWORD_WARNINGS = [
  "straightRow",
  "keyPattern",
  "simpleRepeat",
  "extendedRepeat",
  "sequences",
  "recentYears",
  "dates",
  "topTen",
  "topHundred",
  "common",
  "similarToCommon",
  "wordByItself",
  "namesByThemselves",
  "commonNames",
  "userInputs",
] as const;

/** What to do about it. */
export const PASSWORD_ADVICE = [
  "l33t",
  "reverseWords",
  "allUppercase",
  "capitalization",
  "dates",
  "recentYears",
  "associatedYears",
  "sequences",
  "repeated",
  "longerKeyboardPattern",
  "anotherWord",
  "useWords",
  "noNeed",
] as const;

/** A password that somebody sets out to guess for a day without a lock-out has at least this score. */
export const PASSWORD_SCORE_MIN = 3;
const PASSWORD_SCORE_MAX = 4;

export const setup = named(
  "SetupState",
  group({
    Stage: meaning(
      "`Password`: root still has the generated password. `Going`: the first run was begun on the page and not finished. `Finished`: all other recorders.",
      choice("Password", "Going", "Finished"),
    ),
    ServerName: text,
    Language: meaning(
      "Of events and of the page where a browser names none of its languages.",
      choice(...LANGUAGES),
    ),
    TimeZone: meaning("IANA name.", text),
    CanChooseTimeZone: meaning("False: it is the machine's (setting `timeZoneChoice`).", flag),
    CamerasCount: integer,
    PasswordScoreMin: meaning("Of `POST /api/setup/strength`.", integer),
  }),
);
export type Setup = ValueOf<typeof setup>;

export const passwordStrength = group({
  Score: meaning("0: guessed at once; 4: not in years.", whole(0, PASSWORD_SCORE_MAX)),
  IsAccepted: meaning(
    `At least ${PASSWORD_LENGTH_MIN} characters, and a score of ${PASSWORD_SCORE_MIN}.`,
    flag,
  ),
  Warning: meaning("What is weak about it.", nullable(choice(...PASSWORD_WARNINGS))),
  Advice: meaning("What to do about it.", listOf(choice(...PASSWORD_ADVICE))),
});
export type PasswordStrength = ValueOf<typeof passwordStrength>;
