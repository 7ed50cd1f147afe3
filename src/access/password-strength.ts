import type { PasswordJudge } from "./password-judge.js";

/** Longer passwords are judged by their beginning: the time of a judgement grows with the square of the length. */
const JUDGED_LENGTH_MAX = 100;

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
export type PasswordWarning = (typeof PASSWORD_WARNINGS)[number];

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
export type PasswordAdvice = (typeof PASSWORD_ADVICE)[number];

/** A password that somebody sets out to guess for a day without a lock-out has at least this score. */
export const PASSWORD_SCORE_MIN = 3;

export interface PasswordStrength {
  /** 0: guessed at once, 4: not in years. */
  readonly score: number;
  readonly warning: PasswordWarning | undefined;
  readonly advice: readonly PasswordAdvice[];
}

/** Judges a password. `words`: what somebody who guesses knows of the box and its owner. Rejects like `PasswordJudge.judge`. */
export async function passwordStrength(
  judge: Pick<PasswordJudge, "judge">,
  password: string,
  words: readonly string[],
): Promise<PasswordStrength> {
  const reply = await judge.judge({ password: password.slice(0, JUDGED_LENGTH_MAX), words });
  return {
    score: reply.score,
    warning: PASSWORD_WARNINGS.find((known) => known === reply.warning),
    advice: reply.advice.flatMap((name) => PASSWORD_ADVICE.find((known) => known === name) ?? []),
  };
}
