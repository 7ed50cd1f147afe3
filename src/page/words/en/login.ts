import { counted } from "../language.js";

export const words = {
  title: "Log in to the recorder",
  name: "Name",
  password: "Password",
  logIn: "Log in",
  logOut: "Log out",
  language: "Language",
  firstTime: "For the first time?",
  firstTimeText:
    "The name is root. The password is the one that the recorder made: in NVRD-PASSWORD.txt on its boot partition, on its console, or in the file root-password of its data directory.",
  lost: "Lost the password?",
  lostText:
    "An administrator gives you another one: Settings, Users. For root, whoever has the machine runs nvrd password reset there, or puts an empty file nvrd-password-reset.txt onto the boot partition or a USB stick and starts the box with it: another password is then in NVRD-PASSWORD.txt beside it.",
  ended: "Your session has ended: log in again.",
  wrong: "Name or password is wrong.",
  locked: (wait: string) => `Too many wrong passwords. Try again in ${wait}.`,
  seconds: (count: number) => counted(count, { one: "second", other: "seconds" }),
  minutes: (count: number) => counted(count, { one: "minute", other: "minutes" }),
  current: "Present password",
  next: "New password",
  again: "New password again",
  differs: "The two new passwords differ.",
  currentWrong: "The present password is wrong.",
  refused:
    "Choose another: this one is too short, is the present one, or is among the first that everybody tries.",
  rule: "At least 8 characters; not the name.",
  change: "Change password",
};
