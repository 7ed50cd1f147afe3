import { coded, flag, id, line, nameWith, needed, readOnly, secret, writeOnly } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** The recorder's own users: `/configure/users`. */

export const USERS_MAX = 1024;
/** Characters of a password; the fewest of one that its user chooses. */
export const PASSWORD_LENGTH_MAX = 256;
export const PASSWORD_LENGTH_MIN = 8;

/** The MD5 of the empty string, as clients send it for a user without a password. */
export const EMPTY_PASSWORD_MD5 = "d41d8cd98f00b204e9800998ecf8427e";

export const user = {
  Name: needed(
    // HTTP Basic ends the login at the first colon (RFC 7617, section 2).
    nameWith({ pattern: /^[^:]*$/, accepted: "a name without a colon: HTTP Basic ends the login there" }),
  ),
  GroupId: needed(id),
  Password: secret(line(PASSWORD_LENGTH_MAX)),
  PasswordMd5: writeOnly(
    coded(/^(?:[0-9a-fA-F]{32})?$/, "an MD5 in hexadecimal", {
      check: (text) => text.toLowerCase() !== EMPTY_PASSWORD_MD5,
      accepted: "the MD5 of a password; NoPassword: true makes a user without one",
    }),
  ),
  NoPassword: writeOnly(flag),
  IsLocked: flag,
  HasPassword: readOnly(flag),
} as const;

export const userTexts: TextsOf<typeof user> = {
  Name: "Required in POST. Names must be unique, ignoring case. It has no colon, because HTTP Basic ends the login there.",
  GroupId: "Required in POST.",
  Password: "Null, absent or empty in PUT: unchanged. Send it over HTTPS. Always null in answers.",
  PasswordMd5: "Instead of `Password`: its MD5 in hexadecimal, as clients send it to log in.",
  NoPassword:
    "True: the user logs in without a password. A new user has one of `Password`, `PasswordMd5` and `NoPassword: true`.",
  IsLocked: "True: the user cannot log in until it gets a new password.",
};
