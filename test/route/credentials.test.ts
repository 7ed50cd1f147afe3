import { beforeEach, describe, expect, it } from "vitest";
import { EMPTY_MD5, ROOT_MD5 } from "../support/api/api-fakes.js";
import { startApi } from "../support/api/api-harness.js";
import { forAllTests } from "../support/base/for-tests.js";

const api = forAllTests(() => startApi());

beforeEach(() => {
  api.access.seen.length = 0;
});

const basic = (pair: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
});

async function status(query: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(api.url(`/configex?${query}`), { headers });
  await response.arrayBuffer();
  return response.status;
}

describe("credentials", () => {
  it("are taken from the query, the MD5 in either case, names in any case", async () => {
    expect(await status(`login=root&password=${ROOT_MD5}`)).toBe(200);
    expect(await status(`LOGIN=root&Password=${ROOT_MD5.toUpperCase()}&UserType=Internal`)).toBe(200);
  });

  it("are taken from HTTP Basic, the MD5 in either case", async () => {
    expect(await status("", basic(`root:${ROOT_MD5}`))).toBe(200);
    expect(await status("", basic(`root:${ROOT_MD5.toUpperCase()}`))).toBe(200);
  });

  it("may be the password itself in HTTP Basic, as a browser's dialog sends it, but not in the query", async () => {
    expect(await status("", basic("root:secret"))).toBe(200);
    expect(await status("login=root&password=secret")).toBe(401);
  });

  it("may come both ways at once: the query counts", async () => {
    expect(await status(`login=root&password=${ROOT_MD5}`, basic("root:old"))).toBe(200);
    expect(await status(`login=root&password=${ROOT_MD5}`, basic(`root:${ROOT_MD5}`))).toBe(200);
  });

  it.each([
    ["the password omitted", "login=guard", {}],
    ["an empty password", "login=guard&password=", {}],
    ["the MD5 of nothing", `login=guard&password=${EMPTY_MD5}`, {}],
    ["the MD5 of nothing in upper case", `login=guard&password=${EMPTY_MD5.toUpperCase()}`, {}],
    ["Basic guard:", "", basic("guard:")],
  ])("let a user without a password in by %s", async (_what, query, headers) => {
    expect(await status(query, headers)).toBe(200);
  });

  it.each([
    ["none", "", {}],
    ["a wrong password", "login=root&password=00000000000000000000000000000000", {}],
    ["an unknown user", "login=nobody", {}],
    ["Basic that is no Base64", "", { Authorization: "Basic ???" }],
    ["Basic without a colon", "", { Authorization: `Basic ${Buffer.from("root").toString("base64")}` }],
    ["another scheme", "", { Authorization: "Bearer abc" }],
    ["an endless login", `login=${"a".repeat(2000)}`, {}],
  ])("that are %s get 401 with the challenge and a text", async (_what, query, headers) => {
    const response = await fetch(api.url(`/configex?${query}`), { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Basic realm="nvrd"');
    expect(await response.text()).toMatch(/^Error code: 401\r\nMessage: .+\r\n$/);
  });

  it.each(["root", ":secret", ""])(
    "in Basic that names no login and password are tried by nobody: %j",
    async (pair) => {
      const answer = await fetch(api.url("/configex"), { headers: basic(pair) });
      expect([answer.status, await answer.text()]).toEqual([
        401,
        expect.stringContaining("is not Basic with login:password in Base64"),
      ]);
      expect(api.access.seen).toEqual([]);
    },
  );

  it("of a directory user are decoded from Base64 in the query and plain in Basic", async () => {
    const password = "пароль+>?";
    const base64 = Buffer.from(password).toString("base64");
    await status(`login=u@example.org&usertype=activedirectory&password=${base64}`);
    await status("", { ...basic(`u@example.org:${password}`), UserType: "ActiveDirectory" });
    expect(api.access.seen).toHaveLength(2);
    for (const credentials of api.access.seen) {
      expect(credentials).toMatchObject({ login: "u@example.org", password, userType: "ActiveDirectory" });
    }
  });

  it("without a user type may be a directory user's as well: Base64 in the query, plain in Basic", async () => {
    const password = "secret+>?";
    const base64 = Buffer.from(password).toString("base64");
    await status(`login=u@example.org&password=${base64}`);
    await status("", basic(`u@example.org:${password}`));
    const directoryPassword = password;
    const plain = { directoryPassword, userType: undefined };
    expect(api.access.seen).toMatchObject([plain, plain]);
  });

  it("of a directory user that are no Base64, or no text, are refused", async () => {
    for (const password of ["***", Buffer.from([0xc3, 0x28]).toString("base64")])
      expect(await status(`login=u@example.org&usertype=ActiveDirectory&password=${password}`)).toBe(401);
    expect(api.access.seen).toEqual([]);
  });

  it.each([
    ["a broken percent escape", "login=%zz", 400],
    ["half a percent escape", "login=root&password=%", 400],
    ["percent escapes of no UTF-8", "login=%ff%fe", 400],
    ["two different logins", "login=root&LOGIN=guard", 400],
    ["a zero byte", "login=root%00", 401],
    ["a long password", `login=root&password=${"a".repeat(8000)}`, 401],
    ["a name of an object's member", "login=__proto__", 401],
    ["more parameters than are read", `login=root${"&a=1".repeat(101)}`, 400],
  ])("with %s are refused", async (_what, query, expected) => {
    expect(await status(query)).toBe(expected);
  });

  it.each([
    ["a long one", "A".repeat(14_000), 401],
    ["bytes that are no UTF-8", Buffer.from([0xff, 0xfe, 0x3a, 0xff]).toString("base64"), 401],
    ["only a colon", Buffer.from(":").toString("base64"), 401],
    ["nothing", "", 401],
  ])("in a Basic header of %s are refused", async (_what, value, expected) => {
    expect(await status("", { Authorization: `Basic ${value}` })).toBe(expected);
  });

  it("carry the client's address", async () => {
    await status("login=guard");
    expect(api.access.seen[0]?.address).toBe("127.0.0.1");
  });

  it("with an unknown usertype are refused", async () => {
    expect(await status("login=root&usertype=ldap")).toBe(400);
  });

  it("never reach the log", async () => {
    await status(`login=root&password=${ROOT_MD5}`, basic("root:hidden-secret"));
    const log = JSON.stringify(api.logLines);
    expect(log).not.toContain(ROOT_MD5);
    expect(log).not.toContain("hidden-secret");
  });

  it("that were verified are remembered", async () => {
    await status("login=guard");
    const before = api.access.verifications;
    for (let index = 0; index < 5; index++) await status("login=guard");
    expect(api.access.verifications).toBe(before);
  });
});

describe("browsers from other origins", () => {
  it("get their preflight answered without credentials when the origin is allowed", async () => {
    const response = await fetch(api.url("/configure/channels"), {
      method: "OPTIONS",
      headers: { Origin: "https://panel.example", "Access-Control-Request-Method": "POST" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://panel.example");
    expect(response.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST, PUT, HEAD, OPTIONS");
    expect(await response.text()).toBe("");
  });

  it("may read answers, errors included, when the origin is allowed, and not otherwise", async () => {
    const from = (origin: string): Promise<Response> =>
      fetch(api.url("/configex"), { headers: { Origin: origin } });
    expect((await from("https://panel.example")).headers.get("access-control-allow-origin")).toBe(
      "https://panel.example",
    );
    const other = await from("https://elsewhere.example");
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
    expect(other.headers.get("vary")).toBe("Origin");
  });
});

describe("what is not there", () => {
  it("is 404 in one line that says where all of them are, JSON under /configure", async () => {
    const response = await api.get("/nothing");
    expect(response.status).toBe(404);
    expect(await response.text()).toBe(
      "Error code: 404\r\nMessage: there is no path /nothing: GET /openapi.json lists those that there are\r\n",
    );
    expect(await (await api.get("/configure/nothing")).json()).toHaveProperty("ErrorMessage");
  });

  it("is 405 with the methods there are", async () => {
    const response = await fetch(api.url("/video"), { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(await response.text()).toContain("use GET, HEAD, OPTIONS");
  });
});
