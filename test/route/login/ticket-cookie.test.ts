import { describe, expect, it } from "vitest";
import type { CookieRequest } from "../../../src/route/login/session-cookie.js";
import { TicketCookie } from "../../../src/route/login/ticket-cookie.js";

const cookie = new TicketCookie(() => "11111111-0000-4000-8000-000000000001");
const NAME = "nvrd-login-11111111";

function requestWith(text: string | undefined, secure = false): CookieRequest {
  return { secure, header: (name: string) => (name === "cookie" ? text : undefined) } as CookieRequest;
}

describe("the cookie of a login at a provider", () => {
  it.each([
    ["alone", `${NAME}=ticket_1-A`],
    ["among others", `a=b; ${NAME}=ticket_1-A; nvrd-login-22222222=other`],
    ["sent twice alike", `${NAME}=ticket_1-A; ${NAME}=ticket_1-A`],
  ])("is read: %s", (_what, text) => {
    expect(cookie.read(requestWith(text))).toBe("ticket_1-A");
  });

  it.each([
    ["none", undefined],
    ["another recorder's", "nvrd-login-22222222=other"],
    ["two that differ, of which one was planted", `${NAME}=one; ${NAME}=two`],
    ["text that no ticket has", `${NAME}=a.b`],
    ["an empty one", `${NAME}=`],
    ["one that is too long", `${NAME}=${"a".repeat(65)}`],
  ])("is not read: %s", (_what, text) => {
    expect(cookie.read(requestWith(text))).toBeUndefined();
  });

  it("over HTTPS has a name that no answer over HTTP can give", () => {
    const [, given] = cookie.given(requestWith(undefined, true), "one", 60);
    expect(given).toBe(`__Host-${NAME}=one; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`);
    expect(cookie.read(requestWith(`__Host-${NAME}=one`, true))).toBe("one");
    expect(cookie.read(requestWith(`${NAME}=one`, true))).toBeUndefined();
  });
});
