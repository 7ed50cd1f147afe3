import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BASE_DN, PEOPLE, SERVICE_DN, SERVICE_PASSWORD, Slapd } from "../../support/access/slapd.js";
import { SessionBrowser } from "../../support/api/session-browser.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { commandInProcess } from "../../support/service/command-in-process.js";
import { Service } from "../../support/service/service.js";

let slapd: Slapd;
let directory: TemporaryDirectory;
let service: Service;
let reader: object;

const DIRECTORY = "/api/system/directory";
const GROUPS = "(&(objectClass=groupOfNames)(member={dn}))";

beforeAll(async () => {
  slapd = await Slapd.start();
  directory = new TemporaryDirectory("nvrd-directory-by-api");
  service = await Service.start({ dataDir: directory.join("data") });
  await service.json("/configure/groups", {
    method: "POST",
    body: [{ Name: "Guards", DirectoryGroups: ["guards"] }],
  });
  reader = {
    ...{ Url: slapd.url, BaseDn: BASE_DN, Authority: readFileSync(slapd.caFile, "utf8") },
    ...{ ServiceDn: SERVICE_DN, ServicePassword: SERVICE_PASSWORD, UserFilter: "(uid={user})" },
  };
});

afterAll(async () => {
  await service?.stop();
  await slapd?.stop();
  directory?.remove();
});

const origin = (): string => `http://127.0.0.1:${service.httpPort}`;
/** Of the service that runs now. */
const api = {
  get port() {
    return service.httpPort;
  },
  url: (path: string) => `${origin()}${path}`,
};
const set = (body: object) => service.json<object>(DIRECTORY, { method: "PUT", body });
const remove = () => service.json<object>(DIRECTORY, { method: "DELETE" });

/** The status of Alice's request, whom only the directory knows. */
async function statusOfAlice(login = "alice@example.org"): Promise<number> {
  const Authorization = `Basic ${Buffer.from(`${login}:${PEOPLE.alice}`).toString("base64")}`;
  return (await fetch(`${origin()}/configex`, { headers: { Authorization } })).status;
}

async function logIn(): Promise<SessionBrowser> {
  const browser = new SessionBrowser(api);
  expect((await browser.logIn("alice@example.org", PEOPLE.alice)).status).toBe(200);
  expect((await browser.get("/configex")).status).toBe(200);
  return browser;
}

/** Live events, which are open. */
async function openEvents(answer: Promise<Response>): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const { status, body } = await answer;
  expect(status).toBe(200);
  const stream = body?.getReader();
  if (stream === undefined) throw new Error("no body");
  return stream;
}

/** Resolves at the end of the answer, whatever comes before. */
async function ends(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await stream.read()).done);
}

describe("a directory that is set over the API, of Debian's slapd,", () => {
  it("is asked at once, by StartTLS with the authority that was sent", async () => {
    expect(await statusOfAlice()).toBe(401);
    expect(await set(reader)).toMatchObject({ IsConfigured: true, Source: "Configuration" });
    expect(await statusOfAlice()).toBe(200);
    await remove();
    expect(await statusOfAlice()).toBe(401);
  });

  it.each([
    ["becomes another one", () => set({ ...reader, GroupFilter: GROUPS })],
    ["is switched off", () => set({ ...reader, IsEnabled: false })],
    ["goes", remove],
  ])("ends its users' sessions and what streams by them when it %s", async (_what, change) => {
    await set(reader);
    const browser = await logIn();
    const events = await openEvents(browser.get("/event?responsetype=json"));
    await change();
    expect((await browser.get("/configex")).status).toBe(401);
    await ends(events);
    await remove();
  });

  it("ends what streams by a password that nobody accepts any more", async () => {
    await set(reader);
    const password = encodeURIComponent(Buffer.from(PEOPLE.alice).toString("base64"));
    const login = `login=alice@example.org&usertype=ActiveDirectory&password=${password}`;
    const events = await openEvents(fetch(`${origin()}/event?${login}&responsetype=json`));
    await remove();
    await ends(events);
    expect(await statusOfAlice()).toBe(401);
  });

  it("keeps its users' sessions over another password of its account, another time limit, and a restart", async () => {
    await set(reader);
    const browser = await logIn();
    await set({ ...reader, TimeoutMs: 2000 });
    expect((await browser.get("/configex")).status).toBe(200);
    await service.stop();
    service = await Service.start({ dataDir: directory.join("data"), httpPort: service.httpPort });
    expect((await browser.get("/configex")).status).toBe(200);
    expect(await statusOfAlice()).toBe(200);
    await remove();
    expect((await browser.get("/configex")).status).toBe(401);
  });

  it("comes back with a revert, and then with its password", async () => {
    await set(reader);
    const { revision } = await newest();
    await remove();
    const body = { Revision: revision };
    await service.json("/api/system/configuration/revert", { method: "POST", body });
    expect(await statusOfAlice()).toBe(200);
    expect((await newest()).summary).toBe(`reverted to revision ${revision}: directory settings changed`);
    await remove();
  });

  it("is in exports and their secrets, and in nothing else with its password", async () => {
    await set(reader);
    const [file, secrets] = [directory.join("site.json"), directory.join("secrets.json")];
    const data = ["--data", directory.join("data")];
    await commandInProcess(["config", "export", file, "--secrets", secrets, ...data]);
    expect(readFileSync(file, "utf8")).not.toContain(SERVICE_PASSWORD);
    expect(JSON.parse(readFileSync(secrets, "utf8"))).toMatchObject({
      directory: { url: slapd.url, serviceDn: SERVICE_DN, servicePassword: SERVICE_PASSWORD },
    });
    const written = [
      ...[await service.json(DIRECTORY), await service.json("/api/system/configuration/history")],
      await service.json("/api/system/configuration"),
      service.log,
    ];
    expect(JSON.stringify(written)).not.toContain(SERVICE_PASSWORD);
    await remove();
  });
});

async function newest(): Promise<{ revision: number; summary: string }> {
  const [entry] = await service.json<{ Revision: number; Summary: string }[]>(
    "/api/system/configuration/history",
  );
  return { revision: entry?.Revision ?? 0, summary: entry?.Summary ?? "" };
}
