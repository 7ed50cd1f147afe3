import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { pageFolder } from "../../support/api/page-folder.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";

const LOG_IN = `fetch("/api/session", { method: "POST", body: '{"Login":"root","Password":"secret"}' })
  .then(({ status }) => status)`;
const WHO = `fetch("/api/session").then(({ status }) => status)`;

/** What a hostile page tries with the visitor's cookie; each says how it went. */
const ATTACKS = `(async (recorder, channel) => {
  const tried = (work) => work.catch((error) => error.name);
  const sent = { credentials: "include" };
  const load = (tag, url) =>
    new Promise((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("refused");
      element.src = url;
      document.body.append(element);
    });
  return {
    read: await tried(fetch(recorder + "/api/session", sent).then((answer) => answer.text())),
    logOut: await tried(fetch(recorder + "/api/session", { ...sent, method: "DELETE" }).then(() => "sent")),
    post: await tried(fetch(recorder + "/ptz?command=startmove&panspeed=50&channelid=" + channel,
      { ...sent, method: "POST", mode: "no-cors" }).then(({ type }) => type)),
    password: await tried(fetch(recorder + "/api/session/password",
      { ...sent, method: "POST", mode: "no-cors", body: '{"Current":"secret","New":"stolen password"}' }).then(({ type }) => type)),
    move: await load("img", recorder + "/ptz?command=startmove&panspeed=50&channelid=" + channel),
    script: await load("script", recorder + "/configex"),
    socket: await new Promise((resolve) => {
      const socket = new WebSocket(recorder.replace("http", "ws") + "/api/live", "nvrd.live.1");
      socket.onopen = () => resolve("open");
      socket.onerror = () => resolve("refused");
    }),
  };
})`;

describe.skipIf(noBrowser !== undefined)(`a page of somebody else in Chromium${notHere(noBrowser)}`, () => {
  const directory = new TemporaryDirectory();
  let api: ApiHarness;
  let hostile: Server;
  let browser: Browser;
  let context: BrowserContext;
  let own: Page;

  beforeAll(async () => {
    const folder = await pageFolder(undefined, directory.path);
    api = await startApi({ settings: { page: { folder }, corsOrigins: ["*"] } });
    hostile = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<title>hostile</title><body>");
    }).listen(0);
    browser = await sharedChromium();
  });
  afterAll(async () => {
    hostile.close();
    await api.stop();
    directory.remove();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    own = await context.newPage();
    await own.goto(api.url("/"));
    expect(await own.evaluate(LOG_IN)).toBe(200);
  });

  afterEach(() => context.close());

  const visit = async (host: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`http://${host}:${(hostile.address() as AddressInfo).port}/`);
    return page;
  };

  // Another service of the box is no other site to the browser: it sends the cookie along.
  it.each([
    ["on another port of the box", "127.0.0.1"],
    ["of another site", "localhost"],
  ])("%s reads nothing, moves nothing and logs nobody out", async (_what, host) => {
    const moves = api.ptz.requests.length;
    const page = await visit(host);
    const outcome = await page.evaluate(`${ATTACKS}(${JSON.stringify(api.url(""))}, "${GATE_ID}")`);
    expect(outcome).toEqual({
      ...{ read: "TypeError", logOut: "TypeError", post: "opaque", password: "opaque" },
      ...{ move: "refused", script: "refused", socket: "refused" },
    });
    expect(api.ptz.requests).toHaveLength(moves);
    expect([await own.evaluate(WHO), await own.evaluate(LOG_IN)]).toEqual([200, 200]);
  });

  it("cannot show the own page in a frame", async () => {
    const page = await visit("127.0.0.1");
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { src: "${api.url("/")}" }))`,
    );
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });

  it("sends no form", async () => {
    const page = await visit("127.0.0.1");
    const form = `const form = document.createElement("form");
      Object.assign(form, { method: "POST", enctype: "text/plain", action: "${api.url("/command?type=gettime")}" });
      document.body.append(form);
      form.submit();`;
    await page.evaluate(form);
    await page.waitForURL("**/command**");
    expect(await page.content()).toContain("403");
  });

  it("cannot put code into the own page's text", async () => {
    const tries = `[
      () => { document.body.innerHTML = "<img src=x onerror=alert(1)>"; },
      () => { document.createElement("script").text = "alert(1)"; },
      () => { document.body.setAttribute("onclick", "alert(1)"); },
    ].map((work) => { try { work(); return "done"; } catch { return "refused"; } })`;
    expect(await own.evaluate(tries)).toEqual(["refused", "refused", "refused"]);
  });
});
