import { beforeEach, describe, expect, it } from "vitest";
import type { SessionState } from "../../../src/contract/answer/index.js";
import { FakeDirectory } from "../../support/access/fake-directory.js";
import { type Administration, startAdministration } from "../../support/api/administration.js";
import { SessionBrowser } from "../../support/api/session-browser.js";

let administration: Administration;
let browser: SessionBrowser;

beforeEach(async () => {
  administration = await startAdministration({ directory: new FakeDirectory() });
  browser = new SessionBrowser(administration.api);
  await administration.store.change((site) => ({
    ...site,
    groups: site.groups.map((group) =>
      group.seniorAdministrators ? group : { ...group, directoryGroups: ["Guards"] },
    ),
  }));
});

describe("the form", () => {
  it("is locked as the other doors are, and with them", async () => {
    for (let tries = 0; tries < 11; tries++)
      expect((await browser.logIn("root", `wrong ${tries}`)).status).toBe(401);
    const locked = await browser.logIn("root", "secret");
    expect([locked.status, Number(locked.headers.get("retry-after"))]).toEqual([429, 1]);
    expect((await administration.api.get("/configex")).status).toBe(429);
  });

  it("takes a directory user, who changes the password elsewhere", async () => {
    const answer = await browser.logIn("alice@example.org", "alice-secret");
    expect(answer.status).toBe(200);
    expect((await answer.json()) as SessionState).toMatchObject({
      ...{ Login: "alice@example.org", IsDirectoryUser: true, CanChangePassword: false, IsRoot: false },
    });
    expect(browser.setCookie).toContain("Max-Age=43200;");
    expect(await browser.status("GET", "/configex")).toBe(200);
    const body = { Current: "alice-secret", New: "a long sentence of my own" };
    const change = await browser.send("POST", "/api/session/password", body);
    expect(change.status).toBe(403);
    expect(JSON.stringify(administration.api.logLines)).not.toContain("alice-secret");
  });

  it("asks the directory alone where it is told to", async () => {
    const form = { Login: "root", Password: "secret" };
    const asked = async (UserType: string) =>
      (await browser.send("POST", "/api/session", { ...form, UserType })).status;
    expect([await asked("internal"), await asked("ActiveDirectory"), await asked("other")]).toEqual([
      200, 401, 400,
    ]);
  });
});
