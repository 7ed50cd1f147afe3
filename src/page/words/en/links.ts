import { counted } from "../language.js";

/** Words of the links to files for people without a login. */
export const words = {
  make: "Link for others",
  makeHint:
    "Whoever has the link sees this file, without a login. It ends by itself, and you can take it back.",
  makeNow: "Make the link",
  hours: "It works for",
  lasts: (hours: number) =>
    hours < 24
      ? counted(hours, { one: "hour", other: "hours" })
      : counted(hours / 24, { one: "day", other: "days" }),
  password: "Password, if wanted",
  passwordHint: "Send it in another way than the link.",
  link: "Link to this file",
  linkHint: "Copy it now: it is shown only once. It works where this address of the recorder can be reached.",
  linksTo: (name: string) => `Links to ${name}`,
  until: (time: string) => `Link until ${time}`,
  withPassword: "with a password",
  notOpened: "not opened yet",
  opened: (times: number) => `opened ${counted(times, { one: "time", other: "times" })}`,
  takeBack: "Take back",
};
