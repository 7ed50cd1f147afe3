import { describe, expect, it } from "vitest";
import { withoutSecret } from "../../src/base/index.js";

const SECRET = "Пароль-1/x";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("what another host said", () => {
  it.each([
    ["as it is", `535 not ${SECRET}!`],
    ["in an address", `no http://a/?k=${encodeURIComponent(SECRET)}&b=1`],
    ["in JSON", `{"a":${JSON.stringify(SECRET)}}`],
    ["in Base64", `334 ${base64(SECRET)}`],
    ["in Base64 without its end", `334 ${base64(SECRET).replace(/=+$/, "")}`],
    ["in Base64 of a login of SMTP", `535 AUTH PLAIN ${base64(`\0recorder\0${SECRET}`)}`],
    ["in Base64 of a login of HTTP", `Authorization: Basic ${base64(`recorder:${SECRET}`)}`],
    ["in Base64 behind letters", `xyz${base64(SECRET)}`],
    ["in Base64 for addresses", Buffer.from(`a:${SECRET}`).toString("base64url")],
  ])("holds no secret %s", (_what, text) => {
    const shown = withoutSecret(text, SECRET);
    expect(shown).toContain("***");
    const decoded = shown.split(/[\s*]+/).map((word) => Buffer.from(word, "base64").toString());
    expect([shown, decodeURIComponent(shown), ...decoded].join(" ")).not.toContain(SECRET);
  });

  it("keeps its other words", () => {
    const text =
      "535 5.7.8 Username and Password not accepted: https://support.example/mail/?p=BadCredentials";
    expect(withoutSecret(text, SECRET, "")).toBe(text);
  });
});
