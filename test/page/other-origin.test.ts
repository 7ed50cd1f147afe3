import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";

const browser = new PageBrowser();
let recorder: PageService;
let other: Server;
let otherOrigin: string;

beforeAll(async () => {
  recorder = await PageService.start();
  other = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>Another page</title><iframe></iframe>");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherOrigin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await browser.close();
  other?.closeAllConnections();
  other?.close();
  await recorder?.stop();
});

/** What a script of another page gets for a request with the browser's cookies: the status, or that it may not see it. */
const attempt = (path: string, options: object): string =>
  `fetch(${JSON.stringify(`${recorder.origin}${path}`)}, ${JSON.stringify({ credentials: "include", ...options })})
    .then((answer) => answer.type === "opaque" ? "unseen" : answer.status, () => "refused")`;

// A port of the same host is the same site: the browser sends it the cookie, however strict its SameSite is.
describe.skipIf(noBrowser !== undefined)(`a page of another origin${notHere(noBrowser)}`, () => {
  it("reads nothing, changes nothing and shows nothing with the session of the recorder's page", () =>
    browser.visit(
      recorder.origin,
      { allow: [/another host|CORS|ERR_|status of|frame|WebSocket/i] },
      async (visit) => {
        await visit.logIn();
        await visit.page.goto(otherOrigin);
        const run = (path: string, options: object = {}) => visit.page.evaluate(attempt(path, options));
        expect(await run("/api/session")).toBe("refused");
        expect(await run("/configex?responsetype=json")).toBe("refused");
        expect(await run("/api/sessions", { method: "DELETE" })).toBe("refused");
        expect(await run("/api/session", { method: "DELETE" })).toBe("refused");
        const blind = {
          mode: "no-cors",
          method: "POST",
          body: '{"Current":"Test-password-1","New":"stolen one"}',
        };
        expect(await run("/api/session/password", blind)).toBe("unseen");
        const socket = `new Promise((resolve) => {
        const socket = new WebSocket(${JSON.stringify(`${recorder.origin.replace("http", "ws")}/api/live`)}, "nvrd.live.1");
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      })`;
        expect(await visit.page.evaluate(socket)).toBe("refused");
        await visit.page.evaluate(
          `document.querySelector("iframe").src = ${JSON.stringify(recorder.origin)}`,
        );
        await expect.poll(() => visit.page.frames()[1]?.url()).toMatch(/^chrome-error:/);
        await visit.page.goto(recorder.origin);
        await visit.page.getByRole("navigation").waitFor();
        await visit.screen("Account");
        await visit.button("Log out").first().click();
        await visit.logIn();
      },
    ));
});
