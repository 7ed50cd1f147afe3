import { PASSWORD_ADVICE, PASSWORD_WARNINGS } from "../contract/answer/index.js";
import type { PasswordJudge } from "./password-judge.js";

/** Longer passwords are judged by their beginning: the time of a judgement grows with the square of the length. */
const JUDGED_LENGTH_MAX = 100;

export type PasswordWarning = (typeof PASSWORD_WARNINGS)[number];

export type PasswordAdvice = (typeof PASSWORD_ADVICE)[number];

interface PasswordStrength {
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
