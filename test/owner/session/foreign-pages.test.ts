import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/service/api/routes.js";
import { EMPTY_MD5, GATE_ID, ROOT_MD5 } from "../../support/api/api-fakes.js";
import { startApi, until } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { WebSocketClient } from "../../support/http/web-socket.js";
import { launchChromium, noBrowser } from "../../support/media/chromium.js";

const PANEL = "https://panel.example";
const Authorization = `Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}`;
const REFUSAL = "a page of another site may not do this";

/** What a browser says of a page that is not the recorder's own. */
const FOREIGN: readonly (readonly [string, Record<string, string>])[] = [
  ["another site", { Origin: "https://evil.example" }],
  ["another port of the same host", { Origin: "http://127.0.0.1:1" }],
  ["a sandboxed page", { Origin: "null" }],
  ["another site, of which it says no more", { "Sec-Fetch-Site": "cross-site" }],
  ["another host of the same site", { "Sec-Fetch-Site": "same-site" }],
];

/** Over plain HTTP it says nothing else of what fetches pictures, frames and links. */
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const MOVE = { method: "GET", path: `/ptz?command=startmove&panspeed=50&channelid=${GATE_ID}` };

const api = forAllTests(() => startApi({ settings: { corsOrigins: ["*", PANEL] } }));

/** What changes something, opens a socket or begins work; `confirm` has a token that proves that it may be done. */
const GUARDED = ROUTES.filter(({ path }) => path !== "/api/network/confirm").filter(
  ({ method, startsWork }) => method !== "GET" || startsWork === true,
);

async function ask(
  { method, path }: { readonly method: string; readonly path: string },
  headers: Record<string, string>,
): Promise<readonly [number, string]> {
  const url = api.url(path.replace(/\{[^}]+\}/g, GATE_ID));
  const body = method === "GET" ? {} : { body: "{}" };
  const response = await fetch(url, { method, headers: { Authorization, ...headers }, ...body });
  return [response.status, await response.text()];
}

describe("with a login that a browser remembers", () => {
  it.each(FOREIGN)(
    "%s does nothing at any route that changes something or begins work",
    async (_what, headers) => {
      const before = api.site.current;
      for (const route of GUARDED) {
        const [status, text] = await ask(route, headers);
        expect([`${route.method} ${route.path}`, status, text]).toEqual([
          `${route.method} ${route.path}`,
          403,
          expect.stringContaining(REFUSAL),
        ]);
      }
      expect(api.site.current).toBe(before);
    },
  );

  it.each([
    "/ptz?command=startmove&panspeed=50",
    "/command?type=generateexternalevent&systemname=a&information=b",
  ])("no page of another site moves a camera or raises an event by GET: %s", async (path) => {
    const moves = api.ptz.requests.length;
    const route = { method: "GET", path: `${path}&channelid=${GATE_ID}` };
    for (const [, headers] of FOREIGN) expect((await ask(route, headers))[0]).toBe(403);
    expect(api.ptz.requests).toHaveLength(moves);
  });

  it("no page of another site has the recorder ask another host", () => {
    const asking = ["/api/channels/{id}/devicearchive", "/api/channels/{id}/devicearchive/video"];
    const paths = GUARDED.filter(({ method }) => method === "GET").map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([...asking, "/api/away/buckets/{id}", "/configure/discovery"]),
    );
  });

  it.each<[string, Record<string, string>]>([
    ["does not name", {}],
    ["names as another site", { Referer: "http://evil.lan/" }],
  ])("nothing begins over plain HTTP by GET for a page that a browser %s", async (_what, headers) => {
    const moves = api.ptz.requests.length;
    for (const { method, path } of [...GUARDED.filter((route) => route.method === "GET"), MOVE]) {
      const [status, text] = await ask({ method, path }, { "User-Agent": BROWSER, ...headers });
      expect([path, status, text]).toEqual([path, 403, expect.stringContaining(REFUSAL)]);
    }
    expect(api.ptz.requests).toHaveLength(moves);
  });

  it.each<[string, string, Record<string, string>]>([
    ["the own page", "", { "User-Agent": BROWSER, "X-Requested-With": "nvrd-page" }],
    ["a page that is named in corsOrigins", "", { "User-Agent": BROWSER, Referer: `${PANEL}/wall` }],
    ["an address with a password", `&login=root&password=${ROOT_MD5}`, { "User-Agent": BROWSER }],
    [
      "a program",
      "",
      { "User-Agent": "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1" },
    ],
  ])("%s moves a camera by GET over plain HTTP", async (_what, query, headers) => {
    const [status] = await ask({ method: "GET", path: MOVE.path + query }, headers);
    expect(status).toBe(200);
  });

  it("a program that calls itself a browser changes what it likes: browsers say which page does", async () => {
    const [status, text] = await ask({ method: "POST", path: "/configure/users" }, { "User-Agent": BROWSER });
    expect([status, text]).toEqual([400, expect.not.stringContaining(REFUSAL)]);
  });

  it.each([
    ["text", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["a file", "multipart/form-data; boundary=a"],
    ["JSON that is called a picture", "image/png"],
  ])("no page of another site changes something by a body of %s", async (_what, type) => {
    const before = api.site.current;
    for (const [, headers] of FOREIGN) {
      const response = await fetch(api.url("/configure/groups"), {
        method: "POST",
        headers: { Authorization, "Content-Type": type, ...headers },
        body: '[{"Name":"Thieves"}]',
      });
      expect(response.status).toBe(403);
    }
    expect(api.site.current).toBe(before);
  });

  it.each(["/api/live", `/api/channels/${GATE_ID}/talk`])(
    "no page of another site opens a socket: %s",
    async (path) => {
      for (const [, headers] of FOREIGN) {
        const lines = Object.entries({ Authorization, ...headers }).map(
          ([name, value]) => `${name}: ${value}`,
        );
        for (const protocol of ["nvrd.live.1", "nvrd.talk.1"]) {
          const client = new WebSocketClient({ port: api.port, path, protocol, headers: lines });
          await until("an answer", () => client.isAnswered, { seen: () => client.head });
          expect([path, client.status]).toEqual([path, 403]);
          client.close();
        }
      }
    },
  );

  it("a preflight of a page that is not named promises nothing that is refused", async () => {
    for (const origin of ["https://evil.example", "null"]) {
      const response = await fetch(api.url("/configure/groups"), {
        method: "OPTIONS",
        headers: {
          Origin: origin,
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,content-type",
        },
      });
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(["*", null]).toContain(response.headers.get("access-control-allow-origin"));
    }
  });

  it.each(["/site", "/video", "/mobile", "/exportarchive"])(
    "pages of other sites may embed %s, as clients of the reference do",
    async (path) => {
      const url = api.url(`${path}?channelid=${GATE_ID}`);
      for (const [, headers] of FOREIGN) {
        const gone = new AbortController();
        const response = await fetch(url, {
          headers: { Authorization, ...headers },
          signal: gone.signal,
        });
        expect([path, response.status]).not.toEqual([path, 403]);
        gone.abort();
      }
    },
  );

  it("a page that is named in corsOrigins does what its user may", async () => {
    const body = JSON.stringify([{ Name: "Porters" }]);
    const response = await fetch(api.url("/configure/groups"), {
      method: "POST",
      headers: { Authorization, Origin: PANEL, "Sec-Fetch-Site": "cross-site" },
      body,
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });

  it.each<[string, Record<string, string>]>([
    ["a program, which says nothing of a page", {}],
    ["an address that was typed", { "Sec-Fetch-Site": "none" }],
  ])("%s does what its user may", async (_what, headers) => {
    const [status] = await ask(
      { method: "GET", path: `/ptz?command=stopmove&channelid=${GATE_ID}` },
      headers,
    );
    expect(status).not.toBe(403);
  });

  it("any page may still ask for what only reads", async () => {
    for (const [, headers] of FOREIGN)
      expect((await ask({ method: "GET", path: "/configex" }, headers))[0]).toBe(200);
  });
});

describe("a page whose own name leads to the recorder", () => {
  /** `fetch` writes its own Host. */
  const asPageOf = (host: string, { path, body = "{}" }: { path: string; body?: string }): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { Host: host, Origin: `http://${host}`, "Content-Type": "application/json" };
      const sent = request(api.url(path), { method: "POST", headers, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on("error", reject).end(body);
    });
  const loggingIn = { path: "/api/session", body: '{"Login":"guard","Password":""}' };

  it.each([
    ["logs in", loggingIn],
    ["logs in by the hash of nothing", { ...loggingIn, body: `{"Login":"guard","Password":"${EMPTY_MD5}"}` }],
    ["sends the name alone", { path: "/archive_events?login=guard" }],
    [
      "sends the hash of nothing",
      { path: `/archive_events?login=guard&password=${EMPTY_MD5.toUpperCase()}` },
    ],
  ])("is not let in as a user without a password: %s", async (_what, sent) => {
    expect(await asPageOf("evil.example:8080", sent)).toBe(403);
  });

  it.each(["192.0.2.7:8080", "[fd00::5]", "nvr", "nvr.local:8080", "nvr.fritz.box"])(
    "which nobody else has, is: %s",
    async (host) => {
      expect(await asPageOf(host, loggingIn)).toBe(200);
    },
  );

  it("is no obstacle to who has a password", async () => {
    const body = '{"Login":"root","Password":"secret"}';
    expect(await asPageOf("nvr.example", { ...loggingIn, body })).toBe(200);
  });
});

it("every answer forbids to guess its type", async () => {
  const sniffs: string[] = [];
  for (const [path, init] of [
    ["/configex", {}],
    ["/configex", {}],
    ["/nothing", {}],
    ["/video", { method: "DELETE" }],
    ["/api/session", { method: "OPTIONS" }],
    ["/site", {}],
    ["/configure/channels", { method: "POST", body: "{" }],
  ] as const) {
    const response = await fetch(api.url(path), { headers: { Authorization }, ...init });
    if (response.headers.get("x-content-type-options") !== "nosniff") sniffs.push(path);
  }
  expect(sniffs).toEqual([]);
});

/** What a hostile page tries with a login by Basic that the browser remembers; each says how it went. */
const ATTACKS = `(async (recorder, channel) => {
  const tried = (work) => work.catch((error) => error.name);
  const sent = { credentials: "include", mode: "no-cors" };
  const body = '[{"Name":"Thieves"}]';
  let speed = 50;
  const move = () => recorder + "/ptz?command=startmove&panspeed=" + ++speed + "&channelid=" + channel;
  const loaded = (name, members) => new Promise((resolve) => {
    const element = document.createElement(name);
    element.onload = element.onerror = ({ type }) => resolve(type);
    Object.assign(element, members);
    document.body.append(element);
  });
  const opened = (socket) => new Promise((resolve) => {
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("refused");
  });
  await tried(fetch(recorder + "/configure/groups",
    { ...sent, method: "POST", headers: { "Content-Type": "text/plain" }, body }));
  for (const keepalive of [false, true]) await tried(fetch(move(), { ...sent, keepalive }));
  navigator.sendBeacon(recorder + "/configure/groups", body);
  for (const [name, at] of [["iframe", "src"], ["object", "data"], ["video", "src"], ["script", "src"]])
    await loaded(name, { [at]: move() });
  for (const rel of ["stylesheet", "preload", "prefetch"]) await loaded("link", { rel, as: "image", href: move() });
  return {
    picture: await loaded("img", { src: move() }),
    events: await opened(new EventSource(move(), { withCredentials: true })),
    socket: await opened(new WebSocket(recorder.replace("http", "ws") + "/api/live", "nvrd.live.1")),
  };
})`;

/** Names that lead to this machine: browsers say less of a page to a name than to the loopback address. */
const NAMES = "--host-resolver-rules=MAP *.lan 127.0.0.1";

describe.skipIf(noBrowser !== undefined)(
  `a browser that remembers a login by Basic${notHere(noBrowser)}`,
  () => {
    let hostile: Server;
    let browser: Browser;
    let context: BrowserContext;

    beforeAll(async () => {
      hostile = createServer((_request, response) => {
        response.setHeader("Content-Type", "text/html");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.end("<title>hostile</title><body>");
      }).listen(0);
      browser = await launchChromium([NAMES]);
    });
    afterAll(async () => {
      await browser.close();
      hostile.close();
    });
    afterEach(() => context.close());

    /** A page of the host, in a browser that has logged in at the recorder's address. */
    const visit = async (host: string, recorder: string): Promise<Page> => {
      context = await browser.newContext({ httpCredentials: { username: "root", password: ROOT_MD5 } });
      const page = await context.newPage();
      expect((await page.goto(`${recorder}/configex`))?.status()).toBe(200);
      await page.goto(`http://${host}:${(hostile.address() as AddressInfo).port}/`);
      return page;
    };
    const recorderAt = (host: string): string => `http://${host}:${api.port}`;

    it.each([
      ["on another port of the box", "127.0.0.1", "127.0.0.1"],
      ["of another site", "localhost", "127.0.0.1"],
      ["on another port of the box, by its name", "recorder.lan", "recorder.lan"],
      ["of another site, at a recorder that has a name", "evil.lan", "recorder.lan"],
    ])("changes nothing and opens no socket for a page %s", async (_what, host, recorder) => {
      const before = api.site.current;
      const moves = api.ptz.requests.length;
      const page = await visit(host, recorderAt(recorder));
      const outcome = await page.evaluate(
        `${ATTACKS}(${JSON.stringify(recorderAt(recorder))}, "${GATE_ID}")`,
      );
      expect(outcome).toEqual({ picture: "error", events: "refused", socket: "refused" });
      expect([api.site.current === before, api.ptz.requests.slice(moves)]).toEqual([true, []]);
    });

    it("changes nothing for a form of text on another site", async () => {
      const before = api.site.current;
      const page = await visit("localhost", recorderAt("127.0.0.1"));
      await page.evaluate(`(() => {
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", enctype: "text/plain", action: ${JSON.stringify(api.url("/configure/groups"))} });
      const input = document.createElement("input");
      input.name = '[{"Name":"Thieves","Comment":"';
      input.value = '"}]';
      form.append(input);
      document.body.append(form);
      form.submit();
    })()`);
      await page.waitForURL("**/configure/groups");
      expect(await page.content()).toContain(REFUSAL);
      expect(api.site.current).toBe(before);
    });
  },
);
