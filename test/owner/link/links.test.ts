import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileLinkList, FileLinkMade } from "../../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { changeGuards, rights } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { SAVED_FILE_ID } from "../../support/api/saved-file.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

let api: ApiHarness;

beforeEach(() => begin());

async function begin(options: Parameters<typeof startApi>[0] = {}): Promise<void> {
  api = await startApi({ hasSavedFile: true, ...options });
  await allow(true);
  // That of the sample.
  for (const { Id } of (await listed()).Links)
    await fetch(api.url(`/api/links/${Id}?${ROOT_QUERY}`), { method: "DELETE" });
  api.events.raised.length = 0;
}
afterEach(() => api.stop());

async function allow(fileLinksEnabled: boolean): Promise<void> {
  await api.site.change((site) => ({ ...site, fileLinksEnabled }));
}

function make(body: object = { Hours: 24 }, query = ROOT_QUERY): Promise<Response> {
  return fetch(api.url(`/api/files/${SAVED_FILE_ID}/links?${query}`), {
    method: "POST",
    body: JSON.stringify(body),
  });
}

async function made(body?: object): Promise<FileLinkMade> {
  const response = await make(body);
  expect(response.status).toBe(200);
  return (await response.json()) as FileLinkMade;
}

/** As a stranger's browser asks. */
function open(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(api.url(path), { redirect: "manual", ...init });
}

const listed = async () => (await (await api.get("/api/links")).json()) as FileLinkList;
const typed = (path: string, password: string, headers: Record<string, string> = {}) =>
  open(path, { method: "POST", body: new URLSearchParams({ password }), headers });
const raised = (type: keyof typeof EVENT_TYPES) =>
  api.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES[type].id);

describe("a link to a file", () => {
  it("opens its page and its video without a login, in ranges too", async () => {
    const { Path } = await made();
    expect(Path).toMatch(/^\/shared\/[0-9a-f]{32}$/);
    const page = await open(Path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.headers.get("x-robots-tag")).toContain("noindex");
    expect(page.headers.get("cache-control")).toContain("no-store");
    const [, src] = /<video[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    const video = await open(new URL(src ?? "", api.url(Path)).pathname);
    expect([video.status, await video.text()]).toEqual([200, "xx"]);
    expect(video.headers.get("content-disposition")).toContain('filename="Gate.mp4"');
    const part = await open(`${Path}/video.mp4`, { headers: { range: "bytes=1-1" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 1-1/2"]);
  });

  it("is off until an administrator allows it, and all links end where that is taken back", async () => {
    const { Path } = await made();
    await allow(false);
    expect((await open(Path)).status).toBe(404);
    expect((await open(`${Path}/video.mp4`)).status).toBe(404);
    expect((await listed()).IsAllowed).toBe(false);
    const refused = await make();
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("switched off")]);
  });

  it("is allowed by the configuration of the server, where it is off by default", async () => {
    await api.site.change(({ fileLinksEnabled: _, ...site }) => site);
    const settings = async () => await (await api.get("/configure/server")).json();
    expect(await settings()).not.toHaveProperty("FileLinksEnabled");
    const put = (on: boolean) =>
      fetch(api.url(`/configure/server?${ROOT_QUERY}`), {
        method: "PUT",
        body: JSON.stringify({ FileLinksEnabled: on }),
      });
    expect((await put(true)).status).toBe(200);
    expect([await settings(), api.site.current.fileLinksEnabled]).toEqual([
      expect.objectContaining({ FileLinksEnabled: true }),
      true,
    ]);
    await put(false);
    expect(await settings()).not.toHaveProperty("FileLinksEnabled");
    expect("fileLinksEnabled" in api.site.current).toBe(false);
  });

  it("opens nothing any more when it is taken back", async () => {
    const { Id, Path } = await made();
    expect((await listed()).Links).toMatchObject([{ Id, FileId: SAVED_FILE_ID, HasPassword: false }]);
    await fetch(api.url(`/api/links/${Id}?${ROOT_QUERY}`), { method: "DELETE" });
    expect((await open(Path)).status).toBe(404);
    expect((await listed()).Links).toEqual([]);
  });

  it("opens nothing any more when its file is deleted", async () => {
    const { Path } = await made();
    await fetch(api.url(`/api/files/${SAVED_FILE_ID}?${ROOT_QUERY}`), { method: "DELETE" });
    expect((await open(Path)).status).toBe(404);
    expect((await listed()).Links).toEqual([]);
  });

  it("opens nothing for who guesses, and says no more than that", async () => {
    await made();
    const guesses = ["/shared/ffffffffffffffffffffffffffffffff", "/shared/x", `/shared/${"a".repeat(5000)}`];
    const answers = await Promise.all(guesses.map(async (path) => await (await open(path)).text()));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain("This link opens nothing");
  });

  it("speaks the reader's language", async () => {
    const { Path } = await made({ Hours: 1, Password: "key" });
    const page = async (language: string) =>
      await (await open(Path, { headers: { "accept-language": language } })).text();
    expect(await page("ru-RU,ru;q=0.9,en;q=0.8")).toContain('<html lang="ru">');
    expect(await page("de,en;q=0.8,ru;q=0.2")).toContain('<html lang="en">');
    expect(await page("*")).toContain("needs a password");
  });

  it("has a page without scripts", async () => {
    const { Path } = await made();
    const page = await (await open(Path)).text();
    expect(page).not.toContain("<script");
  });
});

describe("the password of a link", () => {
  it("is asked for before anything is shown of the file, and opens the page by a cookie", async () => {
    const { Path } = await made({ Hours: 1, Password: "gate at nine" });
    expect(await (await open(Path)).text()).not.toMatch(/<video|Gate/);
    expect((await open(`${Path}/video.mp4`)).status).toBe(401);
    const right = await typed(Path, "gate at nine");
    const cookie = right.headers.get("set-cookie") ?? "";
    expect([right.status, new URL(right.headers.get("location") ?? "", api.url(Path)).pathname]).toEqual([
      303,
      Path,
    ]);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: cookie.slice(0, cookie.indexOf(";")) };
    expect(await (await open(Path, { headers })).text()).toContain("<video");
    expect((await open(`${Path}/video.mp4`, { headers })).status).toBe(200);
  });

  it("is another link's for no other link", async () => {
    const [one, other] = [await made({ Hours: 1, Password: "a" }), await made({ Hours: 1, Password: "a" })];
    const cookie = (await typed(one.Path, "a")).headers.get("set-cookie")?.split(";")[0] ?? "";
    const renamed = cookie.replace(one.Id.slice(0, 8), other.Id.slice(0, 8));
    expect((await open(`${other.Path}/video.mp4`, { headers: { cookie: renamed } })).status).toBe(401);
  });

  it("is not tried without end, and each wrong one is reported", async () => {
    const { Path } = await made({ Hours: 1, Password: "key" });
    const statuses: number[] = [];
    for (let at = 0; at < 7; at += 1) statuses.push((await typed(Path, `wrong ${at}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
    const waits = await typed(Path, "key");
    expect([waits.status, waits.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^[12]$/)]);
    expect(raised("fileLinkRefused")).toHaveLength(6);
  });

  it("lies nowhere as it is, nor does the link", async () => {
    const { Path } = await made({ Hours: 1, Password: "gate at nine" });
    await open(Path);
    await typed(Path, "gate at nine");
    await typed(Path, "gate at ten");
    const token = Path.split("/")[2] ?? "no token";
    const kept = await readFile(`${api.dataDir}/files/links.json`, "utf8");
    const everything = `${kept} ${JSON.stringify(api.logLines)} ${JSON.stringify(api.events.raised)}`;
    for (const secret of [token, "gate at nine", "gate at ten"]) expect(everything).not.toContain(secret);
    expect(JSON.stringify(api.logLines)).toContain("/shared/{link}");
  });
});

describe("who makes a link", () => {
  it("is reported, as whoever opens it is, once in an hour of an address", async () => {
    const { Id, Path } = await made();
    for (let at = 0; at < 3; at += 1) await open(Path);
    expect(raised("fileLinkMade")).toMatchObject([{ comment: "Gate", initiator: { name: "root" } }]);
    expect(raised("fileLinkOpened")).toMatchObject([{ comment: "Gate: 127.0.0.1" }]);
    await expect.poll(async () => (await listed()).Links).toMatchObject([{ Id, Openings: 1 }]);
  });

  it("has as many links to a file as may be, and hours within a week", async () => {
    for (let at = 0; at < 8; at += 1) await made();
    expect((await make()).status).toBe(429);
    for (const Hours of [0, 169, "a day", null]) expect((await make({ Hours })).status).toBe(400);
  });

  it("sees the file: others make none to it", async () => {
    await changeGuards(api.site, { rights: rights(), archiveChannels: "all", realtimeChannels: "all" });
    expect((await make({ Hours: 1 }, "login=guard")).status).toBe(404);
  });

  it("may still export: otherwise the link opens nothing", async () => {
    const { Path } = await made();
    await api.site.change((site) => {
      const [root, guard] = ["root", "guard"].map((name) => site.users.find((user) => user.name === name));
      const groupOf = new Map([
        [root?.id, guard?.groupId],
        [guard?.id, root?.groupId],
      ]);
      const users = site.users.map((user) => ({ ...user, groupId: groupOf.get(user.id) ?? user.groupId }));
      return { ...site, users };
    });
    expect((await open(Path)).status).toBe(404);
  });
});

describe("the end of a link", () => {
  it("is when its time is over, and never after that of its file", async () => {
    await api.stop();
    const clock = new SimulatedClock(Date.now() * 1000);
    await begin({ clock });
    const { EndTime, Path } = await made({ Hours: 2 });
    expect(Math.round((Date.parse(EndTime) - clock.nowUs() / 1000) / 60_000)).toBe(120);
    const week = await made({ Hours: 168 });
    expect(Date.parse(week.EndTime)).toBeLessThanOrEqual(clock.nowUs() / 1000 + 168 * 3_600_000);
    expect((await open(Path)).status).toBe(200);
    await clock.advance(2 * 3_600_000_000);
    expect((await open(Path)).status).toBe(404);
  });
});
