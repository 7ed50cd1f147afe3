import { expect, it } from "vitest";
import { isObviousPassword } from "../../src/access/index.js";

it.each([
  "password",
  "Password1",
  "PASSW0RD",
  "password2026!",
  "Admin@123",
  "12345678",
  "87654321",
  "qwertyui",
  "aaaaaaaa",
  "12121212",
  "letmein1",
  "eva-eva-eva",
  "EVA2026!",
  "пароль123",
  "йцукенгш",
  "ｐａｓｓｗｏｒｄ",
])("%s is tried first", (password) => {
  expect(isObviousPassword(password, "eva")).toBe(true);
});

it.each([
  "a long sentence of my own",
  "correct horse battery staple",
  "xK4-9vTq",
  "the password of the gate",
  "evangeline-44",
  "приветик-с-моря",
  "0.7421-8863",
])("%s is not", (password) => {
  expect(isObviousPassword(password, "eva")).toBe(false);
});

it("a user without a name has no login to compare", () => {
  expect(isObviousPassword("xK4-9vTq", "")).toBe(false);
});
