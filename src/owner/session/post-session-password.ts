import * as v from "valibot";
import { md5OfPassword } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { PASSWORD_SCORE_MIN } from "../../contract/answer/index.js";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../contract/index.js";
import {
  answerJson,
  jsonAnswer,
  meaning,
  members,
  objectOf,
  type RequestContext,
  type Route,
  readBody,
  requireOwnUser,
  textUpTo,
  withoutControls,
} from "../../route/index.js";
import type { User } from "../../site/index.js";
import { giveOwnPassword, newPassword, requireStrong } from "./own-password.js";
import type { SessionNeeds } from "./session-state.js";

const CURRENT_LENGTH_MAX = 1024;

const passwordForm = members({
  Current: v.pipe(
    v.string("accepted: text"),
    v.maxLength(CURRENT_LENGTH_MAX, "accepted: the present password"),
  ),
  New: newPassword,
});

export const SESSION_PASSWORD_ROUTE: Route<SessionNeeds> = {
  method: "POST",
  path: "/api/session/password",
  login: "user",
  rights: [{ right: "CanChangePassword" }],
  withFirstPassword: true,

  describe: {
    topic: "session",
    summary: "Changes the user's own password, and ends its other sessions",
    text: [
      `The new password has at least ${PASSWORD_LENGTH_MIN} characters, is not the present one, and is not guessed soon: its score of [\`POST /api/setup/strength\`](#post-apisetupstrength) is at least ${PASSWORD_SCORE_MIN}, as at the first run. Programs that still send the old one are rejected. Wrong values of \`Current\` count as failed logins.`,
    ],
    body: {
      required: true,
      schema: objectOf({
        Current: meaning("The present password.", textUpTo(CURRENT_LENGTH_MAX)),
        New: { ...withoutControls(PASSWORD_LENGTH_MAX), minLength: PASSWORD_LENGTH_MIN },
      }),
    },
    answer: jsonAnswer({ type: "object" }, "The password is changed. The session of the request goes on."),
    errors: {
      403: "`Current` is wrong, the right is missing, or the user is a directory user: change the password in the directory.",
      409: "The user was changed meanwhile: repeat.",
      429: "Too many failed logins. `Retry-After` says how long to wait.",
    },
    example: [
      "NEW='a long sentence of my own'",
      `curl -fu "$AUTH" "$NVRD/api/session/password" --data '{"Current": "'"$PASSWORD"'", "New": "'"$NEW"'"}'`,
      "# And back.",
      `curl -fu "root:$NEW" -X PUT "$NVRD/api/password" --data '{"Password": "'"$PASSWORD"'"}'`,
    ],
  },
  /** POST /api/session/password: a user chooses another password. */
  async endpoint(context) {
    const { needs, request, principal, log } = context;
    const { user } = principal;
    requireOwnUser(needs.site, user);
    const { Current: current, New: next } = readBody(passwordForm, request.body);
    await requireCurrent(context, current);
    requireOther(current, next);
    await requireStrong(context, next, { member: "New" });
    await giveOwnPassword(context, next);
    log.info({ user: user.name }, "user changed its own password");
    return answerJson({});
  },
};

/** The cookie alone is not enough: somebody else may sit at the screen. */
async function requireCurrent(context: RequestContext<SessionNeeds>, current: string): Promise<void> {
  const { needs, request, principal } = context;
  const { id, name: login }: User = principal.user;
  const { address } = request;
  const credentials = {
    login,
    password: current,
    isPlainOrMd5: true,
    userType: "internal",
    address,
  } as const;
  try {
    const verified = needs.access.recall(credentials) ?? (await needs.access.verify(credentials));
    if (verified.user.id === id) return;
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "UNAUTHORIZED") throw error;
  }
  // Not 401: the session is all right, and the page must not take this for its end.
  throw new NvrdError("FORBIDDEN", "Current is not the present password", { hint: "type it again" });
}

function requireOther(current: string, next: string): void {
  const same = next === current || md5OfPassword(next) === current.toLowerCase();
  if (same) throw new NvrdError("BAD_REQUEST", "New is the present password", { hint: "choose another one" });
}
