import * as v from "valibot";
import { hashNewPassword, isObviousPassword, type Principal, passwordStrength } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { PASSWORD_SCORE_MIN } from "../../contract/answer/index.js";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../contract/index.js";
import { changeOwnSecret, type RequestContext, requireOwnUser } from "../../route/index.js";
import type { SessionNeeds } from "./session-state.js";

/* The one rule for a password that a user chooses: at the first run, and later. */

export const newPassword = v.pipe(
  v.string("accepted: text"),
  v.minLength(PASSWORD_LENGTH_MIN, `accepted: at least ${PASSWORD_LENGTH_MIN} characters`),
  v.maxLength(PASSWORD_LENGTH_MAX, `accepted: at most ${PASSWORD_LENGTH_MAX} characters`),
  v.regex(/^[^\p{Cc}]*$/u, "accepted: no control characters"),
);

/** What somebody who guesses a user's password knows. `serverName`: the recorder's next name. */
export function knownWords(
  needs: SessionNeeds,
  { user }: Principal,
  serverName: string | undefined,
): readonly string[] {
  const { server } = needs.site.current;
  const names = [user.name, server.name, serverName ?? ""];
  const parts = names.flatMap((one) => [one, ...one.split(/[^\p{L}\d]+/u)]);
  return [...new Set([...parts, "nvrd", "nvr", "recorder", "camera"])].filter((word) => word !== "");
}

/** Throws NvrdError BAD_REQUEST, by the name of the body's member, for a password that is guessed soon. */
export async function requireStrong(
  { needs, principal }: RequestContext<SessionNeeds>,
  password: string,
  { member, serverName }: { readonly member: string; readonly serverName?: string | undefined },
): Promise<void> {
  const words = knownWords(needs, principal, serverName);
  const { score } = await passwordStrength(needs.passwordJudge, password, words);
  if (score >= PASSWORD_SCORE_MIN && !isObviousPassword(password, principal.user.name)) return;
  throw new NvrdError("BAD_REQUEST", `${member}: it is guessed too soon`, {
    hint: "take several words that have nothing to do with each other; POST /api/setup/strength says what is weak",
  });
}

/** Gives the user another password. The session of the request goes on, others end. */
export async function giveOwnPassword(
  { needs, principal, credentials }: RequestContext<SessionNeeds>,
  password: string,
): Promise<void> {
  const { user } = principal;
  requireOwnUser(needs.site, user);
  const secret = await hashNewPassword(password);
  const key = "session" in credentials ? credentials.session : undefined;
  await needs.sessions.keepWhile(key, { id: user.id, secret }, () =>
    changeOwnSecret(needs.site, user, secret),
  );
}
