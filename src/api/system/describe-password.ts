import { jsonAnswer, meaning, objectOf, type RouteDescription, textUpTo } from "../route/index.js";
import { PASSWORD_LENGTH_MAX } from "./put-password.js";

const NEW_PASSWORD = textUpTo(PASSWORD_LENGTH_MAX);

export const PASSWORD_DESCRIPTION: RouteDescription = {
  topic: "configuration",
  summary: "Changes the user's own password",
  text: [
    "The request's credentials are the old password, the body holds the new one. Streams and programs that still use the old one are turned away.",
  ],
  body: {
    required: true,
    text: "Exactly one of the two members.",
    schema: objectOf(
      {
        Password: NEW_PASSWORD,
        PasswordMd5: meaning("The MD5 of the password, in hexadecimal.", NEW_PASSWORD),
      },
      [],
    ),
  },
  answer: jsonAnswer({ type: "object" }, "The password is changed."),
  errors: {
    403: "The right is missing, or the user is one of a directory: change the password there.",
    409: "The configuration changed meanwhile: repeat.",
  },
  example: ['curl -u "$AUTH" -X PUT "$NVR/api/password" --data \'{"Password":"a new one"}\''],
};
