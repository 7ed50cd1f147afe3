import { beforeEach, expect, it } from "vitest";
import { startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SessionBrowser } from "../../support/api/session-browser.js";
import { forAllTests } from "../../support/base/for-tests.js";

let browser: SessionBrowser;

const api = forAllTests(() => startApi({ settings: { corsOrigins: ["*", "https://panel.example"] } }));
beforeEach(async () => {
  browser = new SessionBrowser(api);
  await browser.logIn();
});

const open = (...headers: string[]): LiveSocketClient =>
  new LiveSocketClient(api.port, {
    path: "/api/live",
    headers: [`Cookie: ${browser.cookie ?? ""}`, ...headers],
  });

it("the live socket opens by a session for the own page, and ends with it", async () => {
  const client = open("Origin: http://nvr");
  await client.greet();
  expect(client.status).toBe(101);
  await browser.send("DELETE", "/api/session");
  await until("the socket ends", () => client.isClosed);
  expect(client.closeReason).toContain("login");
});

it.each([
  ["another site", ["Origin: https://evil.example"]],
  ["a page that may call the API", ["Origin: https://panel.example"]],
  ["another service of the box", ["Origin: http://nvr:9000"]],
  ["a page that is not named", []],
])("the live socket does not open by a session for %s", async (_what, headers) => {
  const client = open(...headers);
  await until("the refusal", () => client.head.includes("\r\n\r\n"));
  expect(client.status).toBe(403);
  client.close();
});
