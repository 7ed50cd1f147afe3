import { beforeEach, describe, expect, it } from "vitest";
import type { SessionItem, SessionState } from "../../../src/contract/answer/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SessionBrowser } from "../../support/api/session-browser.js";
import { forAllTests } from "../../support/base/for-tests.js";

let browser: SessionBrowser;
/** Whether root must choose another password. */
let isFirstPassword = false;

const api = forAllTests(() =>
  startApi({ mustChangePassword: ({ name }) => isFirstPassword && name === "root" }),
);
beforeEach(() => {
  isFirstPassword = false;
  browser = new SessionBrowser(api);
  for (const { id } of api.sessions.list()) api.sessions.end(id);
});

const sessions = async (of = browser): Promise<SessionItem[]> =>
  (await (await of.get("/api/sessions")).json()) as SessionItem[];

describe("GET /api/session", () => {
  it("answers who is not logged in with 401, and with null where that is asked for", async () => {
    const ask = (query = "") => browser.get(`/api/session${query}`);
    expect((await ask()).status).toBe(401);
    const nobody = await ask("?anonymous=true");
    expect([nobody.status, await nobody.json()]).toEqual([200, null]);
    await browser.logIn();
    const who = (await (await ask()).json()) as SessionState;
    expect(await (await ask("?anonymous=true")).json()).toEqual({ ...who, Time: expect.any(String) });
    for (const { id } of api.sessions.list()) api.sessions.end(id);
    const over = await ask("?anonymous=true");
    expect([over.status, await over.json()]).toEqual([200, null]);
    expect((await ask()).status).toBe(401);
    expect((await ask("?anonymous=true&login=root&password=wrong")).status).toBe(401);
    expect((await ask("?anonymous=maybe")).status).toBe(400);
  });
});

describe("POST /api/session", () => {
  it("gives a session in a cookie that no script reads and no other site sends", async () => {
    const answer = await browser.logIn();
    expect(answer.status).toBe(200);
    expect(browser.setCookie).toMatch(
      /^nvrd-session-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("says who is logged in and what the page needs to know of the box", async () => {
    const state = (await (await browser.logIn()).json()) as SessionState;
    expect(state).toMatchObject({
      ...{ Login: "root", IsRoot: true, IsAdministrator: true, IsDirectoryUser: false },
      ...{ MustChangePassword: false, CanChangePassword: true, Version: "0.1.0", Language: "en" },
      TimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ServerName: api.site.current.server.name,
      ServerId: api.site.current.server.id,
      IsBucket: false,
      IsHub: false,
    });
    expect(state.Rights).toMatchObject({ CanPTZ: true, IsAllForbidden: false });
    expect(await (await browser.get("/api/session")).json()).toEqual({ ...state, Time: expect.any(String) });
  });

  it("says what time it is at the recorder", async () => {
    const before = Date.now();
    const { Time } = (await (await browser.logIn()).json()) as SessionState;
    expect(Date.parse(Time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(Time)).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ["a wrong password", { Login: "root", Password: "wrong" }, 401],
    ["an unknown user", { Login: "nobody", Password: "secret" }, 401],
    ["no login", { Password: "secret" }, 400],
    ["a login that is no text", { Login: 7, Password: "secret" }, 400],
    ["a list", [], 400],
    ["an endless password", { Login: "root", Password: "x".repeat(5000) }, 400],
  ])("refuses %s without a cookie", async (_what, body, status) => {
    const answer = await browser.send("POST", "/api/session", body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(await answer.text()).not.toContain("secret");
  });

  it("lets a user without a password in", async () => {
    expect((await browser.send("POST", "/api/session", { Login: "guard" })).status).toBe(200);
  });

  it("never takes over an id that the browser brings", async () => {
    browser.cookie = `nvrd-session-${api.site.current.server.id.slice(0, 8)}=${"A".repeat(43)}`;
    const planted = browser.cookie;
    expect((await browser.logIn()).status).toBe(200);
    expect(browser.cookie).not.toBe(planted);
    const victim = new SessionBrowser(api);
    victim.cookie = planted;
    expect(await victim.status("GET", "/api/session")).toBe(401);
  });

  it("ends the session that the browser had before", async () => {
    await browser.logIn();
    const before = new SessionBrowser(api);
    before.cookie = browser.cookie;
    await browser.logIn("guard", "");
    expect(await before.status("GET", "/api/session")).toBe(401);
    expect(await browser.status("GET", "/api/session")).toBe(200);
  });

  it("refuses the login that another page sends", async () => {
    const answer = await browser.send(
      "POST",
      "/api/session",
      { Login: "root", Password: "secret" },
      { Origin: "https://panel.example" },
    );
    expect(answer.status).toBe(403);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("a session's cookie", () => {
  it.each([
    "/configex",
    "/command?type=gettime",
    "/api/channels",
    "/configure/users",
    `/archivefragments?channelid=${GATE_ID}&fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00`,
  ])("opens %s", async (path) => {
    await browser.logIn();
    expect(await browser.status("GET", path)).toBe(200);
    browser.cookie = undefined;
    expect(await browser.status("GET", path)).toBe(401);
  });

  it("counts less than login and password in the request", async () => {
    await browser.logIn("guard", "");
    const state = (await (await browser.get(`/api/session?${ROOT_QUERY}`)).json()) as SessionState;
    expect(state).toMatchObject({ Login: "root", SessionId: null });
    expect(await browser.status("GET", "/api/session?login=root&password=wrong")).toBe(401);
  });

  it("stands in no log", async () => {
    await browser.logIn();
    await browser.get("/configex");
    const value = browser.cookie?.split("=")[1] ?? "?";
    expect(JSON.stringify(api.logLines)).not.toContain(value);
  });

  it.each([
    ["another value", (value: string) => `${value.slice(0, -1)}${value.endsWith("A") ? "B" : "A"}`],
    ["a longer value", (value: string) => `${value}A`],
    ["a shorter value", (value: string) => value.slice(1)],
    ["an empty value", () => ""],
    ["the hash of the value", (value: string) => value.toLowerCase()],
    ["a prototype's name", () => "__proto__"],
  ])("with %s is 401", async (_what, forge) => {
    await browser.logIn();
    const [name = "", value = ""] = browser.cookie?.split("=") ?? [];
    browser.cookie = `${name}=${forge(value)}`;
    expect(await browser.status("GET", "/configex")).toBe(401);
  });

  it("is found among others, and refused beside another one of its name", async () => {
    await browser.logIn();
    const own = browser.cookie ?? "";
    browser.cookie = `a=b; ${own}; theme="dark"; ${own}`;
    expect(await browser.status("GET", "/configex")).toBe(200);
    browser.cookie = `${own.split("=")[0]}=${"x".repeat(43)}; ${own}`;
    const refused = await browser.get("/configex");
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining("two different")]);
  });

  it("of a whole header is read in no time", async () => {
    await browser.logIn();
    browser.cookie = `${"a=b; ".repeat(2000)}${browser.cookie}`;
    expect(await browser.status("GET", "/configex")).toBe(200);
    browser.cookie = `${"a=b; ".repeat(5000)}`;
    expect(await browser.status("GET", "/configex")).toBe(431);
  });
});

describe("a session from another page", () => {
  const elsewhere = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "http://127.0.0.1:1" },
    { Origin: "", "Sec-Fetch-Site": "cross-site" },
    { Origin: "", "Sec-Fetch-Site": "same-site" },
  ];

  it.each(elsewhere)("changes nothing and reads nothing: %j", async (headers) => {
    await browser.logIn();
    expect(await browser.status("POST", "/command?type=gettime", headers)).toBe(403);
    expect(await browser.status("DELETE", "/api/session", headers)).toBe(403);
    expect(await browser.status("GET", "/configex", headers)).toBe(403);
    expect(await browser.status("GET", "/api/session")).toBe(200);
  });

  it("changes nothing where the browser does not say which page it is", async () => {
    await browser.logIn();
    const answer = await browser.send("POST", "/command?type=gettime", undefined, { Origin: "" });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("neither Origin nor Sec-Fetch-Site");
    expect(await browser.status("GET", "/configex")).toBe(200);
  });

  it("moves no camera and adds no event by GET, without a word of the own page", async () => {
    await browser.logIn();
    for (const path of [
      `/ptz?command=startmove&panspeed=50&channelid=${GATE_ID}`,
      "/command?type=generateexternalevent&systemname=x&information=y",
    ]) {
      expect(await browser.status("GET", path)).toBe(403);
      expect(await browser.status("GET", path, { "Sec-Fetch-Site": "same-origin" })).toBe(200);
      expect(await browser.status("POST", path)).toBe(200);
    }
  });

  it("gets no right to read by CORS", async () => {
    await browser.logIn();
    const answer = await browser.get("/configex", { Origin: "https://panel.example" });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("is that of the address itself behind a proxy that ends HTTPS", async () => {
    await browser.logIn();
    const headers = { Origin: `https://127.0.0.1:${api.port}` };
    expect(await browser.status("POST", "/command?type=gettime", headers)).toBe(200);
  });
});

describe("the end of a session", () => {
  it("comes by logging out, and takes the cookie away", async () => {
    await browser.logIn();
    const { cookie } = browser;
    expect(await browser.status("DELETE", "/api/session")).toBe(200);
    expect(browser.setCookie).toMatch(/^nvrd-session-[0-9a-f]{8}=; Path=\/; Max-Age=0; HttpOnly/);
    browser.cookie = cookie;
    expect(await browser.status("GET", "/configex")).toBe(401);
  });

  it("ends the streams that it watches", async () => {
    await browser.logIn();
    const stream = await browser.get("/event?responsetype=json");
    expect(stream.status).toBe(200);
    const reader = stream.body?.getReader();
    let over = false;
    void (async () => {
      while ((await reader?.read())?.done === false);
      over = true;
    })();
    await browser.send("DELETE", "/api/session");
    await until("the stream ends", () => over);
  });

  it("comes by ending it in the list: the own ones, or all for an administrator", async () => {
    const guard = new SessionBrowser(api);
    await browser.logIn();
    await guard.logIn("guard", "");
    const all = await sessions();
    expect(all.map(({ Login, IsThis }) => [Login, IsThis])).toEqual([
      ["root", true],
      ["guard", false],
    ]);
    expect(all[0]).toMatchObject({ Address: "127.0.0.1", SinceTime: expect.stringMatching(/^20.*Z$/) });
    expect((await sessions(guard)).map(({ Login }) => Login)).toEqual(["guard"]);
    const [root, other] = all;
    expect(await guard.status("DELETE", `/api/sessions/${root?.Id}`)).toBe(404);
    expect(await browser.status("DELETE", `/api/sessions/${other?.Id}`)).toBe(200);
    expect(await guard.status("GET", "/configex")).toBe(401);
    expect(await browser.status("DELETE", `/api/sessions/${other?.Id}`)).toBe(404);
  });
});

describe("the first password", () => {
  it("opens nothing but the session and its change", async () => {
    await browser.logIn();
    isFirstPassword = true;
    const answer = await browser.get("/api/channels");
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("POST /api/session/password");
    expect(await browser.status("GET", "/api/sessions")).toBe(200);
    expect(await (await browser.get("/api/session")).json()).toMatchObject({ MustChangePassword: true });
    expect(await browser.status("DELETE", "/api/session")).toBe(200);
  });

  it("goes on for programs that send it", async () => {
    isFirstPassword = true;
    expect((await api.get("/configex")).status).toBe(200);
  });
});

describe("a 401", () => {
  /** Written out, because fetch sets headers of its own. */
  const challenge = async (headers: Record<string, string>) => {
    const client = api.connect();
    client.get(
      "/configex",
      Object.entries(headers).map((header) => header.join(": ")),
    );
    await until("the answer", () => client.text.includes("\r\n\r\n"));
    expect(client.text).toMatch(/^HTTP\/1\.1 401 /);
    return /^WWW-Authenticate: (.*)\r$/im.exec(client.text)?.[1];
  };

  it.each([
    { "X-Requested-With": "nvrd" },
    { "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Site": "same-origin" },
  ])("has no dialog for the page: %j", async (headers) => {
    expect(await challenge(headers)).toBeUndefined();
  });

  it("has none at the login itself, nor for who asks whether it is logged in", async () => {
    for (const [method, body] of [
      ["POST", { Login: "root", Password: "wrong" }],
      ["GET", undefined],
    ] as const) {
      const answer = await browser.send(method, "/api/session", body);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, null]);
    }
  });

  it("has none for a browser whose session has ended", async () => {
    await browser.logIn();
    const cookie = browser.cookie ?? "";
    await browser.send("DELETE", "/api/session");
    expect(await challenge({ Cookie: cookie })).toBeUndefined();
  });

  it.each([{}, { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" }, { Cookie: "other=1" }])(
    "has it for everybody else: %j",
    async (headers) => {
      expect(await challenge(headers as Record<string, string>)).toBe('Basic realm="nvrd"');
    },
  );
});
