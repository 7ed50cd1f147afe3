import { hashNewPassword, hashPassword, isMd5 } from "../../access/index.js";
import { EMPTY_PASSWORD_MD5, PASSWORD_LENGTH_MAX } from "../../contract/index.js";
import {
  answerJson,
  BodyReader,
  changeOwnSecret,
  Faults,
  type JsonSchema,
  jsonAnswer,
  lineUpTo,
  meaning,
  objectOf,
  orNull,
  parseJsonBody,
  type Route,
  requireOwnUser,
} from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const NEW_PASSWORD: JsonSchema = { ...lineUpTo(PASSWORD_LENGTH_MAX), minLength: 1 };
/** Null counts as left out. */
const TEXT_GIVEN: JsonSchema = { type: "string" };

export const PASSWORD_ROUTE: Route<ConfigurationNeeds> = {
  method: "PUT",
  path: "/api/password",
  login: "user",
  rights: [{ right: "CanChangePassword" }],

  describe: {
    topic: "configuration",
    summary: "Changes the user's own password",
    text: [
      "The request's credentials are the old password, the body holds the new one. Streams and programs that still use the old one are rejected.",
    ],
    body: {
      required: true,
      text: "Exactly one of the two members.",
      schema: {
        ...objectOf(
          {
            Password: orNull(NEW_PASSWORD),
            PasswordMd5: meaning(
              "The MD5 of the password, in hexadecimal; not that of an empty one.",
              orNull({ type: "string", pattern: "^[0-9a-fA-F]{32}$" }),
            ),
          },
          [],
        ),
        oneOf: [
          { required: ["Password"], properties: { Password: TEXT_GIVEN } },
          { required: ["PasswordMd5"], properties: { PasswordMd5: TEXT_GIVEN } },
        ],
      },
    },
    answer: jsonAnswer({ type: "object" }, "The password is changed."),
    errors: {
      403: "The right is missing, or the user is a directory user: change the password in the directory.",
      409: "The configuration changed meanwhile: repeat.",
    },
    example: [`curl -fu "$AUTH" -X PUT "$NVRD/api/password" --data '{"Password":"'"$PASSWORD"'"}'`],
  },
  /**
   * PUT /api/password: a user changes its own password; the credentials of the request are the old one. The new one comes as
   * `Password`, or as `PasswordMd5`. Streams and programs that still use the old one are rejected. Throws NvrdError BAD_REQUEST
   * naming the member, FORBIDDEN for directory users, CONFLICT if the user has just changed.
   */
  async endpoint(context) {
    const { needs, request, principal, log } = context;
    requireOwnUser(needs.site, principal.user);
    const secret = await hashOfNewPassword(request.body);
    await changeOwnSecret(needs.site, principal.user, secret);
    log.info({ user: principal.user.name }, "user changed its own password");
    return answerJson({});
  },
};

async function hashOfNewPassword(body: Uint8Array): Promise<string> {
  const faults = new Faults();
  const reader = new BodyReader(parseJsonBody(body), "body", faults);
  const plain = reader.text("Password", PASSWORD_LENGTH_MAX);
  const md5 = reader.text("PasswordMd5", PASSWORD_LENGTH_MAX);
  if ((plain === undefined) === (md5 === undefined))
    faults.add("body", "give either Password or PasswordMd5");
  if (plain === "") faults.add("body.Password", "1 to 256 characters");
  if (md5 !== undefined && (!isMd5(md5) || md5.toLowerCase() === EMPTY_PASSWORD_MD5))
    faults.add("body.PasswordMd5", "the MD5, in hexadecimal, of a password that is not empty");
  faults.throwIfAny();
  return md5 === undefined ? await hashNewPassword(plain ?? "") : await hashPassword(md5);
}
