import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { SessionState } from "../../../src/contract/answer/session.js";
import { SessionBrowser } from "../../support/api/session-browser.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { md5, Service } from "../../support/service/service.js";

const OWN_PASSWORD = "a long sentence of my own";

const directory = new TemporaryDirectory("session");
const dataDir = directory.join("data");
let service: Service;
let browser: SessionBrowser;
let firstPassword = "";

/** The service on the same port as before, so that the browser finds it again. */
const start = async (password: () => string): Promise<void> => {
  const port = service === undefined ? {} : { httpPort: service.httpPort };
  service = await Service.launch({ dataDir, env: { NVRD_ROOT_PASSWORD: undefined }, ...port });
  await vi.waitFor(() => fetch(`http://127.0.0.1:${service.httpPort}/`), {
    timeout: PATIENCE_MS,
    interval: 50,
  });
  await service.ready(undefined, undefined, { login: "root", password: password() });
};

beforeAll(async () => {
  await start(() => {
    firstPassword = readFileSync(path.join(dataDir, "root-password"), "utf8").trim();
    return firstPassword;
  });
  const { httpPort } = service;
  browser = new SessionBrowser({ port: httpPort, url: (at) => `http://127.0.0.1:${httpPort}${at}` });
});
afterAll(async () => {
  await service?.stop();
  directory.remove();
});

it("root's generated password opens nothing before another one is chosen, and the session goes on over a crash and a restart", async () => {
  const state = (await (await browser.logIn("root", firstPassword)).json()) as SessionState;
  expect(state.MustChangePassword).toBe(true);
  expect(await browser.status("GET", "/configex")).toBe(403);
  const kept = () => readFileSync(path.join(dataDir, "sessions.json"), "utf8");
  // Written behind the answer.
  const before = await vi.waitFor(kept, { timeout: PATIENCE_MS });
  const change = { Current: firstPassword, New: OWN_PASSWORD };
  expect((await browser.send("POST", "/api/session/password", change)).status).toBe(200);
  expect(await browser.status("GET", "/configex")).toBe(200);
  await vi.waitFor(() => expect(kept()).not.toBe(before), { timeout: PATIENCE_MS });
  await service.kill();
  await start(() => OWN_PASSWORD);
  const after = (await (await browser.get("/api/session")).json()) as SessionState;
  expect(after).toMatchObject({ SessionId: state.SessionId, MustChangePassword: false });
  await service.stop();
  await start(() => OWN_PASSWORD);
  expect(await browser.status("GET", "/configex")).toBe(200);
});

it("no file of the service and no line of its log holds the cookie, or the password and its MD5", async () => {
  const value = browser.cookie?.split("=")[1] ?? "?";
  // Files that it replaces come and go while it runs.
  await service.stop();
  const texts = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(dataDir, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"));
  for (const secret of [value, OWN_PASSWORD, md5(OWN_PASSWORD)])
    for (const text of [...texts, service.log]) expect(text.includes(secret)).toBe(false);
});
