import * as v from "valibot";
import {
  hashNewPassword,
  isObviousPassword,
  PASSWORD_SCORE_MIN,
  passwordStrength,
} from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { changeOwnSecret, type RequestContext, requireOwnUser } from "../route/index.js";
import type { SetupNeeds } from "./needs.js";
import { knownWords } from "./setup-state.js";

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;

export const newPassword = v.pipe(
  v.string("accepted: text"),
  v.minLength(PASSWORD_LENGTH_MIN, `accepted: at least ${PASSWORD_LENGTH_MIN} characters`),
  v.maxLength(PASSWORD_LENGTH_MAX, `accepted: at most ${PASSWORD_LENGTH_MAX} characters`),
  v.regex(/^[^\p{Cc}]*$/u, "accepted: no control characters"),
);

/** Throws NvrdError BAD_REQUEST for a password that is guessed soon. */
export async function requireStrong(
  { needs, principal }: RequestContext<SetupNeeds>,
  password: string,
  name: string | undefined,
): Promise<void> {
  const words = knownWords(needs, principal, name);
  const { score } = await passwordStrength(needs.passwordJudge, password, words);
  if (score >= PASSWORD_SCORE_MIN && !isObviousPassword(password, principal.user.name)) return;
  throw new NvrdError("BAD_REQUEST", "Password: it is guessed too soon", {
    hint: "take several words that have nothing to do with each other; POST /api/setup/strength says what is weak",
  });
}

/** Gives root its own password in place of the generated one. The session of the request goes on, others end. */
export async function giveOwnPassword(
  { needs, principal, credentials, log }: RequestContext<SetupNeeds>,
  password: string,
): Promise<void> {
  const { user } = principal;
  requireOwnUser(needs.site, user);
  const secret = await hashNewPassword(password);
  const key = "session" in credentials ? credentials.session : undefined;
  await needs.sessions.keepWhile(key, { id: user.id, secret }, () =>
    changeOwnSecret(needs.site, user, secret),
  );
  log.info({ user: user.name }, "the generated password was replaced at the first run");
}
