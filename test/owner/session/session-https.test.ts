import { request } from "node:https";
import { expect, it } from "vitest";
import { startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { SessionBrowser } from "../../support/api/session-browser.js";
import { forAllTests } from "../../support/base/for-tests.js";

const api = forAllTests(() => startApi({ settings: { httpsPort: "any", trustedProxies: ["127.0.0.1"] } }));

interface Sent {
  readonly status: number | undefined;
  readonly cookie: string;
}

function overHttps(method: string, headers: Record<string, string>, body = ""): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port: api.httpsPort, path: "/api/session", method };
    const sent = request({ ...to, headers, rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () =>
        resolve({ status: answer.statusCode, cookie: answer.headers["set-cookie"]?.[0] ?? "" }),
      );
    });
    sent.on("error", reject).end(body);
  });
}

const FORM = JSON.stringify({ Login: "root", Password: "secret" });

it("over HTTPS the cookie is bound to it and to this host, and none of HTTP is taken", async () => {
  const Origin = `https://127.0.0.1:${api.httpsPort}`;
  const { status, cookie } = await overHttps("POST", { Origin }, FORM);
  expect(status).toBe(200);
  expect(cookie).toMatch(
    /^__Host-nvrd-session-[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
  );
  const [pair = ""] = cookie.split(";");
  expect((await overHttps("GET", { Cookie: pair })).status).toBe(200);
  expect((await overHttps("GET", { Cookie: pair.replace("__Host-", "") })).status).toBe(401);
  // A page that came over HTTP is another one, as anybody on the way may have written it.
  expect((await overHttps("DELETE", { Cookie: pair, Origin: Origin.replace("https", "http") })).status).toBe(
    403,
  );
  expect((await overHttps("DELETE", { Cookie: pair, Origin })).status).toBe(200);
});

it("the live socket opens over HTTPS by the cookie, for the page that came over HTTPS", async () => {
  const { cookie } = await overHttps("POST", { Origin: `https://127.0.0.1:${api.httpsPort}` }, FORM);
  const [pair = ""] = cookie.split(";");
  const outcome: number[] = [];
  for (const origin of ["https://nvr", "http://nvr"]) {
    const headers = [`Cookie: ${pair}`, `Origin: ${origin}`];
    const client = new LiveSocketClient(api.httpsPort, { path: "/api/live", headers, tls: {} });
    await until("the answer", () => client.head.includes("\r\n\r\n"));
    outcome.push(client.status);
    client.close();
  }
  expect(outcome).toEqual([101, 403]);
});

it("a trusted proxy says whether its client speaks HTTPS", async () => {
  const browser = new SessionBrowser(api);
  const forwarded = { "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "http, https" };
  const Origin = browser.origin.replace("http:", "https:");
  const body = { Login: "root", Password: "secret" };
  await browser.send("POST", "/api/session", body, { ...forwarded, Origin });
  expect(browser.setCookie).toMatch(/^__Host-.*; Secure$/);
  expect(await browser.status("GET", "/api/session", forwarded)).toBe(200);
  expect(await browser.status("GET", "/api/session")).toBe(401);
  expect(api.sessions.list()[0]?.address).toBe("203.0.113.7");
});
