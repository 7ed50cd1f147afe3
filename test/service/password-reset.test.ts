import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../src/base/index.js";
import type { SessionState } from "../../src/contract/answer/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { LmdbSiteStore, ROOT_USER_NAME, type Site } from "../../src/site/index.js";
import { SessionBrowser } from "../support/api/session-browser.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import type { FoundEvent } from "../support/event/service-events.js";
import { commandInProcess } from "../support/service/command-in-process.js";
import { md5, ROOT_PASSWORD, Service } from "../support/service/service.js";
import { silentLog } from "../support/site/site-samples.js";

const OWN_PASSWORD = "a long sentence of my own";

let directory: TemporaryDirectory;
let dataDir: string;
let service: Service | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("password-reset");
  dataDir = directory.join("data");
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  directory.remove();
});

const file = () => join(dataDir, "root-password");
const kept = () => readFileSync(file(), "utf8").trim();
const reset = (...flags: readonly string[]) =>
  commandInProcess(["password", "reset", "--data", dataDir, ...flags]);

async function statusOf(running: Service, password: string): Promise<number> {
  const query = new URLSearchParams({ login: ROOT_USER_NAME, password: md5(password) });
  return (await fetch(`http://127.0.0.1:${running.httpPort}/api/system/configuration/history?${query}`))
    .status;
}

function browserOf({ httpPort }: Service): SessionBrowser {
  return new SessionBrowser({ port: httpPort, url: (at) => `http://127.0.0.1:${httpPort}${at}` });
}

/** The configuration of a data directory that no service uses. */
async function editOffline(edit: (site: Site) => Site): Promise<Site> {
  const store = new LmdbSiteStore({ directory: dataDir, clock: new SystemClock(), log: silentLog });
  await store.start();
  const site = await store.change(edit);
  await store.stop();
  return site;
}

describe("nvrd password reset", () => {
  it("gives root of a running recorder another password, ends its sessions, and is in the history", async () => {
    service = await Service.start({ dataDir });
    const lost = browserOf(service);
    await lost.logIn(ROOT_USER_NAME, ROOT_PASSWORD);
    const { status, stdout, stderr } = await reset();
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`the user root has the password ${kept()}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await statusOf(service, ROOT_PASSWORD)).toBe(401);
    expect(await statusOf(service, kept())).toBe(200);
    expect(await lost.status("GET", "/configex")).toBe(401);
    const { stdout: lines } = await commandInProcess(["config", "history", "--data", dataDir]);
    expect(lines.split("\n")[0]).toMatch(/command line \(.+\): password of root reset on the machine$/);
    expect(lines).not.toContain(kept());
  });

  it("lets the page ask for an own password, after which the file is gone", async () => {
    service = await Service.start({ dataDir });
    await reset();
    const password = kept();
    const browser = browserOf(service);
    const state = (await (await browser.logIn(ROOT_USER_NAME, password)).json()) as SessionState;
    expect(state.MustChangePassword).toBe(true);
    const change = { Current: password, New: OWN_PASSWORD };
    expect((await browser.send("POST", "/api/session/password", change)).status).toBe(200);
    expect(await browser.status("GET", "/configex")).toBe(200);
    await expect.poll(() => existsSync(file())).toBe(false);
  });

  it("works without a running service, and prints nothing with --quiet", async () => {
    service = await Service.start({ dataDir });
    await service.stop();
    expect(await reset("--quiet")).toEqual({ status: 0, stdout: "", stderr: "" });
    const password = kept();
    service = await Service.launch({ dataDir, env: { NVRD_ROOT_PASSWORD: undefined } });
    await service.ready(undefined, undefined, { login: "root", password });
    const browser = browserOf(service);
    const state = (await (await browser.logIn(ROOT_USER_NAME, password)).json()) as SessionState;
    expect(state.MustChangePassword).toBe(true);
  });

  it("made without a running service is an event once it runs, once, with who asked for it", async () => {
    service = await Service.start({ dataDir });
    await service.stop();
    await reset("--by", "a key");
    const credentials = { login: ROOT_USER_NAME, password: kept() };
    const body = { eventIds: [EVENT_TYPES.configurationChanged.id] };
    for (let start = 0; start < 2; start += 1) {
      service = await Service.launch({ dataDir, env: { NVRD_ROOT_PASSWORD: undefined } });
      await service.ready(undefined, undefined, credentials);
      const query = { method: "POST", body, credentials } as const;
      const comments = async (running: Service): Promise<readonly string[]> =>
        (JSON.parse((await running.get("/archive_events", query)).body.toString("utf8")) as FoundEvent[])
          .map(({ EventComment }) => EventComment)
          .filter((comment) => comment.endsWith("password of root reset on the machine"));
      await expect.poll(() => comments(service as Service)).toHaveLength(1);
      await service.stop();
    }
    const { stdout } = await commandInProcess(["config", "history", "--data", dataDir]);
    expect(stdout.split("\n")[0]).toContain("command line (a key): password of root reset on the machine");
  });

  it("makes root a senior administrator again where it was deleted", async () => {
    service = await Service.start({ dataDir });
    await service.stop();
    service = undefined;
    const without = await editOffline((site) => ({
      ...site,
      users: site.users.map((user) => ({ ...user, name: "chief" })),
    }));
    expect((await reset()).status).toBe(0);
    const { users } = await editOffline((site) => site);
    expect(users.map(({ name }) => name)).toEqual(["root", "chief"]);
    expect(users[0]?.groupId).toBe(without.users[0]?.groupId);
  });

  it("of a directory without a configuration is refused", async () => {
    const { status, stderr } = await commandInProcess([
      "password",
      "reset",
      "--data",
      directory.join("none"),
    ]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("there is no configuration in")]);
  });
});
