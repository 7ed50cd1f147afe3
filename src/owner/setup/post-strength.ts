import * as v from "valibot";
import { isObviousPassword, passwordStrength as judged } from "../../access/index.js";
import { PASSWORD_SCORE_MIN, type PasswordStrength, passwordStrength } from "../../contract/answer/index.js";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../contract/index.js";
import {
  answerJson,
  given,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { knownWords } from "../session/index.js";
import type { SetupNeeds } from "./setup-state.js";

const NAME_LENGTH_MAX = 256;

const strengthBody = members({
  Password: v.pipe(
    v.string("accepted: text"),
    v.maxLength(PASSWORD_LENGTH_MAX, `accepted: at most ${PASSWORD_LENGTH_MAX} characters`),
  ),
  ServerName: given(
    v.pipe(
      v.string("accepted: text"),
      v.maxLength(NAME_LENGTH_MAX, `accepted: at most ${NAME_LENGTH_MAX} characters`),
    ),
  ),
});

export const STRENGTH_ROUTE: Route<SetupNeeds> = {
  method: "POST",
  path: "/api/setup/strength",
  login: "administrator",
  withFirstPassword: true,

  describe: {
    topic: "setup",
    summary: "Judges how strong a password is",
    text: [
      "By zxcvbn: how many guesses it takes somebody who knows common passwords, words, names, dates, rows of keys, and the names of user and recorder. The password is neither kept nor logged.",
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(strengthBody), {
        ServerName: "The name that the recorder is to get: a password should not have it.",
      }),
    },
    answer: jsonAnswer(schemaOf(passwordStrength), "The judgement.", {
      Score: 1,
      IsAccepted: false,
      Warning: "similarToCommon",
      Advice: ["anotherWord"],
    }),
    errors: { 429: "Too many other passwords are being judged.", 503: "It took too long (`Retry-After`)." },
    example: [
      'curl -fu "$AUTH" "$NVRD/api/setup/strength" --data \'{"Password": "a long sentence of my own"}\'',
    ],
  },
  /** POST /api/setup/strength: how strong a password is. */
  async endpoint({ needs, request, principal }) {
    const { Password, ServerName } = readBody(strengthBody, request.body);
    const words = knownWords(needs, principal, ServerName ?? undefined);
    const { score, warning, advice } = await judged(needs.passwordJudge, Password, words);
    const isLong = Password.length >= PASSWORD_LENGTH_MIN;
    const isObvious = isObviousPassword(Password, principal.user.name);
    return answerJson<PasswordStrength>({
      Score: isObvious ? Math.min(score, 1) : score,
      IsAccepted: isLong && !isObvious && score >= PASSWORD_SCORE_MIN,
      Warning: warning ?? (isObvious ? "similarToCommon" : null),
      Advice: advice,
    });
  },
};
