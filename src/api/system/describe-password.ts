import { jsonAnswer, objectOf, type RouteDescription, textUpTo } from "../route/index.js";
import { PASSWORD_LENGTH_MAX } from "./put-password.js";

export const PASSWORD_DESCRIPTION: RouteDescription = {
  summary: "A user changes its own password",
  text: "The request's credentials are the old one. Streams and programs that use the old one are turned away.",
  body: {
    required: true,
    text: "Exactly one of the two.",
    schema: objectOf(
      { Password: textUpTo(PASSWORD_LENGTH_MAX), PasswordMd5: textUpTo(PASSWORD_LENGTH_MAX) },
      [],
    ),
  },
  answer: jsonAnswer({ type: "object" }, "It is changed."),
  errors: [409],
};
