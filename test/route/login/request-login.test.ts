import { describe, expect, it } from "vitest";
import type { Access, Credentials, Principal } from "../../../src/access/index.js";
import { NvrdError } from "../../../src/base/index.js";
import { HUB_USER_HEADER } from "../../../src/contract/index.js";
import { type RawRequest, RequestContent } from "../../../src/http/request.js";
import { HUB_DOOR } from "../../../src/route/login/hub-login.js";
import { RequestLogin } from "../../../src/route/login/request-login.js";
import { SessionCookie } from "../../../src/route/login/session-cookie.js";
import type { User } from "../../../src/site/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SERVER_ID = "11111111-0000-4000-8000-000000000001";
const TOKEN = "a".repeat(43);
const BASIC = { authorization: `Basic ${Buffer.from("alice:secret").toString("base64")}` };
const COOKIE = { cookie: `nvrd-session-11111111=${TOKEN}`, host: "nvr", origin: "http://nvr" };
const FOREIGN = { ...COOKIE, origin: "http://elsewhere", "sec-fetch-site": "cross-site" };
const alice = { user: { name: "alice" } as User } as Principal;

function request(
  headers: Readonly<Record<string, string>>,
  change: Partial<RawRequest> = {},
): RequestContent {
  return new RequestContent({
    ...{ method: "post", url: "/a", query: "", headers: Object.entries(headers), address: "192.0.2.1" },
    ...{ body: new Uint8Array(0), ...change },
  });
}

/** Whose access does as it is told, and notes what it verifies. */
function loginOf({ known, verified = alice }: { known?: Principal; verified?: Principal | Error } = {}) {
  const asked: Credentials[] = [];
  const verify = async (credentials: Credentials) => {
    asked.push(credentials);
    if (verified instanceof Error) throw verified;
    return verified;
  };
  const login = new RequestLogin({
    access: { recall: () => known, verify } as unknown as Access,
    cookie: new SessionCookie(() => SERVER_ID),
    mustChangePassword: ({ name }) => name === "alice",
    clock: new SimulatedClock(),
  });
  return { login, asked };
}

describe("who sends a request", () => {
  it("is who it names, whatever session it carries, from wherever its page is", () => {
    const { login } = loginOf();
    const named = login.credentials(request({ ...FOREIGN, ...BASIC }), true);
    expect(named).toMatchObject({ login: "alice", password: "secret", address: "192.0.2.1" });
  });

  it("is whose session it carries, on a page of its own only where it changes something", () => {
    const { login } = loginOf();
    expect(login.credentials(request(COOKIE), true)).toEqual({
      session: expect.any(String),
      address: "192.0.2.1",
    });
    expect(() => login.credentials(request(FOREIGN), true)).toThrow(
      expect.objectContaining({ code: "FORBIDDEN" }),
    );
  });

  it("is nobody without either", () => {
    const unauthorized = expect.objectContaining({ code: "UNAUTHORIZED" });
    expect(() => loginOf().login.credentials(request({}), false)).toThrow(unauthorized);
  });

  it("is the hub's user where it came through a hub, and no login that it carries", async () => {
    const { login } = loginOf();
    const user = {
      ...{ Id: SERVER_ID, Name: "carol", Group: "Guards", IsAdministrator: false, Rights: [] },
      ...{ Realtime: true, Archive: false, Address: "192.0.2.9" },
    };
    const named = { ...BASIC, [HUB_USER_HEADER]: Buffer.from(JSON.stringify(user)).toString("base64url") };
    const through = (headers: Readonly<Record<string, string>>) => request(headers, { door: HUB_DOOR });
    expect(login.credentials(through(named), true)).toMatchObject({ hub: user, address: "192.0.2.9" });
    expect(await login.isSomebody(through({}))).toBe(true);
    const nobody = expect.objectContaining({ code: "UNAUTHORIZED" });
    expect(() => login.credentials(through(BASIC), true)).toThrow(nobody);
  });

  it("is known at once where it was verified before", async () => {
    const { login, asked } = loginOf({ known: alice });
    const credentials = login.credentials(request(BASIC), false);
    expect(login.principal(credentials)).toBe(alice);
    expect(asked).toEqual([]);
    const other = loginOf();
    expect(await other.login.principal(credentials)).toBe(alice);
    expect(other.asked).toEqual([credentials]);
  });
});

describe("whether somebody sends a request", () => {
  const over = new NvrdError("UNAUTHORIZED", "the session is over");

  it.each([
    ["a login, true or not", BASIC, over, true],
    ["a session", COOKIE, alice, true],
    ["a session that is over", COOKIE, over, false],
    ["nothing", {}, alice, false],
  ] as const)("with %s", async (_name, headers, verified, expected) => {
    const { login } = loginOf({ verified });
    expect(await login.isSomebody(request(headers))).toBe(expected);
  });

  it("is not told where that cannot be known now", async () => {
    const down = new NvrdError("NOT_AVAILABLE", "the directory is silent");
    await expect(loginOf({ verified: down }).login.isSomebody(request(COOKIE))).rejects.toBe(down);
  });
});

it("only a session waits for a password of one's own, and only of who has none", () => {
  const { login } = loginOf();
  const session = login.credentials(request(COOKIE), false);
  const needed = expect.objectContaining({ code: "PASSWORD_CHANGE_NEEDED" });
  expect(() => login.requireOwnPassword(session, alice)).toThrow(needed);
  const bob = { user: { name: "bob" } as User } as Principal;
  expect(() => login.requireOwnPassword(session, bob)).not.toThrow();
  const named = login.credentials(request(BASIC), false);
  expect(() => login.requireOwnPassword(named, alice)).not.toThrow();
});
