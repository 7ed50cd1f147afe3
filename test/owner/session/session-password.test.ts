import { beforeEach, describe, expect, it } from "vitest";
import { md5 } from "../../support/access/access-bench.js";
import { type Administration, startAdministration } from "../../support/api/administration.js";
import { SessionBrowser } from "../../support/api/session-browser.js";

const NEW = "a long sentence of my own";

let administration: Administration;
let browser: SessionBrowser;

beforeEach(async () => {
  administration = await startAdministration();
  browser = new SessionBrowser(administration.api);
  await browser.logIn();
});

const change = async (body: unknown, headers: Record<string, string> = {}) => {
  const response = await browser.send("POST", "/api/session/password", body, headers);
  return { status: response.status, text: await response.text() };
};

describe("POST /api/session/password", () => {
  it("changes the password; the own session goes on, the others end", async () => {
    const other = new SessionBrowser(administration.api);
    await other.logIn();
    expect(await change({ Current: "secret", New: NEW })).toEqual({ status: 200, text: "{}" });
    expect(await browser.status("GET", "/configex")).toBe(200);
    expect(await other.status("GET", "/configex")).toBe(401);
    expect((await other.logIn("root", "secret")).status).toBe(401);
    expect((await other.logIn("root", NEW)).status).toBe(200);
    // Programs with the old one are rejected as well.
    expect((await administration.api.get("/configex")).status).toBe(401);
  });

  it("keeps neither the old nor the new password", async () => {
    await change({ Current: "secret", New: NEW });
    const { logLines } = administration.api;
    const text = JSON.stringify([logLines, administration.site]);
    expect(text).not.toContain(NEW);
    expect(text).not.toContain('"secret":"secret"');
  });

  it.each([
    ["a wrong present one", { Current: "wrong", New: NEW }, 403, "not the present password"],
    ["none", { New: NEW }, 400, "Current"],
    ["one that is short", { Current: "secret", New: "xK4-9v" }, 400, "at least 8"],
    ["one that is endless", { Current: "secret", New: "x-".repeat(200) }, 400, "at most 256"],
    ["one of control characters", { Current: "secret", New: "xK4-9vTq\n" }, 400, "control characters"],
    ["one that is tried first", { Current: "secret", New: "password1" }, 400, "guessed too soon"],
    ["the login", { Current: "secret", New: "Root2026!" }, 400, "guessed too soon"],
    ["a word with a year", { Current: "secret", New: "Warehouse2026" }, 400, "guessed too soon"],
    ["no text", { Current: "secret", New: 12345678 }, 400, "New: text"],
  ])("refuses %s, and nothing ends", async (_what, body, status, word) => {
    const answer = await change(body);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(word)]);
    expect(await browser.status("GET", "/configex")).toBe(200);
    expect((await administration.api.get("/configex")).status).toBe(200);
  });

  it("refuses the present one again, or its MD5", async () => {
    await change({ Current: "secret", New: NEW });
    for (const Current of [NEW, md5(NEW)]) expect((await change({ Current, New: NEW })).status).toBe(400);
  });

  it("is no way around the lock-out", async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries++)
      statuses.push((await change({ Current: `wrong ${tries}`, New: NEW })).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 403));
    expect(statuses.at(-1)).toBe(429);
  });

  it("is not for another page", async () => {
    const answer = await change({ Current: "secret", New: NEW }, { Origin: "https://evil.example" });
    expect(answer.status).toBe(403);
    expect((await administration.api.get("/configex")).status).toBe(200);
  });

  it("is for programs as well, and ends every session", async () => {
    const answer = await administration.call("POST", "/api/session/password", {
      Current: "secret",
      New: NEW,
    });
    expect(answer.status).toBe(200);
    expect(await browser.status("GET", "/configex")).toBe(401);
  });
});
