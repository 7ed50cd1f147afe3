import { request } from "node:https";
import { connect, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { pageFolder } from "../../support/api/page-folder.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import {
  guideBlock,
  noProxy,
  PROXIES,
  type ProxyName,
  ReverseProxy,
} from "../../support/http/reverse-proxy.js";
import { freePorts } from "../../support/service/background-process.js";

/** A recorder that knows the proxy, one that does not, and one that is below a path. */
let trusting: ApiHarness;
let distrusting: ApiHarness;
let below: ApiHarness;
const directory = new TemporaryDirectory("proxy");

beforeAll(async () => {
  const trustedProxies = ["127.0.0.1"];
  trusting = await startApi({ settings: { trustedProxies } });
  distrusting = await startApi({});
  below = await startApi({ settings: { trustedProxies, pathPrefix: "/nvr" } });
});
afterAll(async () => {
  for (const api of [trusting, distrusting, below]) await api.stop();
  directory.remove();
});

interface Answer {
  readonly status: number | undefined;
  readonly cookie: string;
  readonly text: string;
}

/** A request of the page that a browser got from the proxy. */
function ask(proxy: ReverseProxy, method: string, path: string, cookie = ""): Promise<Answer> {
  const Origin = `https://127.0.0.1:${proxy.port}`;
  const headers = { ...(method === "GET" ? {} : { Origin }), ...(cookie === "" ? {} : { Cookie: cookie }) };
  const to = { host: "127.0.0.1", port: proxy.port, path, method, rejectUnauthorized: false, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => {
        const [given = ""] = answer.headers["set-cookie"] ?? [];
        resolve({ status: answer.statusCode, cookie: given.split(";")[0] ?? "", text });
      });
    });
    const form = JSON.stringify({ Login: "root", Password: "secret" });
    sent.on("error", reject).end(method === "POST" ? form : "");
  });
}

async function through(
  name: ProxyName,
  config: string,
  api: ApiHarness,
  act: (proxy: ReverseProxy) => Promise<void>,
): Promise<void> {
  const proxy = await ReverseProxy.start(name, { directory, upstream: api.port, config });
  try {
    await act(proxy);
  } finally {
    await proxy.stop();
  }
}

/** Logs in, asks, opens the live socket, logs out, as the page does. */
async function usesAll(proxy: ReverseProxy, path = ""): Promise<void> {
  const { status, cookie } = await ask(proxy, "POST", `${path}/api/session`);
  expect([status, cookie]).toEqual([200, expect.stringMatching(/^__Host-nvrd-session-/)]);
  const state = await ask(proxy, "GET", `${path}/api/session`, cookie);
  expect(JSON.parse(state.text)).toMatchObject({ Login: "root" });
  const headers = [`Cookie: ${cookie}`, `Origin: https://nvr:${proxy.port}`, `X-Test: 1`];
  const client = new LiveSocketClient(proxy.port, { path: `${path}/api/live`, headers, tls: {} });
  await client.greet();
  expect(client.status).toBe(101);
  expect(client.of("welcome")).toHaveLength(1);
  client.close();
  expect((await ask(proxy, "DELETE", `${path}/api/session`, cookie)).status).toBe(200);
}

describe.each(PROXIES)("%s as the guide has it", (name) => {
  const missing = noProxy(name);

  it.skipIf(missing !== undefined)(`logs in, and has the live socket${notHere(missing)}`, async () => {
    const block = guideBlock(name === "caddy" ? "caddyfile" : name);
    await through(name, block, trusting, (proxy) => usesAll(proxy));
  });

  it.skipIf(missing !== undefined)(`has the recorder below a path${notHere(missing)}`, async () => {
    const block = guideBlock(name === "caddy" ? "caddyfile-path" : `${name}-path`);
    const [map = "", server = ""] = guideBlock("nginx").split(/(?=^server \{)/m);
    const inServer = server.replace(/^ {2}location \/ \{.*?^ {2}\}\n/ms, block);
    const whole = name === "nginx" ? map + inServer : block;
    await through(name, whole, name === "haproxy" ? below : trusting, async (proxy) => {
      await usesAll(proxy, "/nvr");
      const { status } = await ask(proxy, "GET", "/nvr");
      expect([301, 302]).toContain(status);
    });
  });
});

const noHaproxy = noProxy("haproxy");

describe.skipIf(noHaproxy !== undefined)(`the check of HAProxy${notHere(noHaproxy)}`, () => {
  const checking = (lines: string) =>
    guideBlock("haproxy").replace(
      /^ {2}server nvr .*$/m,
      `${lines}\n  server nvr 127.0.0.1:8080 check inter 100ms fall 1 rise 1`,
    );
  const answered = async (proxy: ReverseProxy) => (await ask(proxy, "GET", "/api/session")).status;
  let paged: ApiHarness;

  beforeEach(async () => {
    paged = await startApi({ settings: { page: { folder: await pageFolder() } } });
  });
  afterEach(() => paged.stop());

  it("takes the recorder for down where it speaks HTTP/1.0", async () => {
    await through("haproxy", checking("  option httpchk"), paged, async (proxy) => {
      await expect.poll(() => answered(proxy)).toBe(503);
    });
  });

  it("finds it by the lines of the guide, once it is there", async () => {
    const [upstream = 0] = await freePorts(1);
    const config = checking(guideBlock("haproxy-check"));
    const proxy = await ReverseProxy.start("haproxy", { directory, upstream, config });
    const relay = createServer((socket) => {
      const to = connect(paged.port, "127.0.0.1");
      for (const end of [socket, to]) end.on("error", () => end.destroy());
      socket.pipe(to).pipe(socket);
    });
    try {
      await expect.poll(() => answered(proxy)).toBe(503);
      relay.listen(upstream, "127.0.0.1");
      await expect.poll(() => answered(proxy)).toBe(401);
    } finally {
      await proxy.stop();
      relay.close();
    }
  });
});

const noNginx = noProxy("nginx");
const noCaddy = noProxy("caddy");
const nginxWith = (line: string) => guideBlock("nginx").replace("proxy_set_header Host $http_host;", line);

describe("a proxy that passes on less", () => {
  it.skipIf(noNginx !== undefined)(
    `may leave out the port of Host, once it is named${notHere(noNginx)}`,
    async () => {
      const config = nginxWith("proxy_set_header Host $host;");
      await through("nginx", config, trusting, async (proxy) => {
        expect((await ask(proxy, "POST", "/api/session")).status).toBe(200);
      });
      await through("nginx", config, distrusting, async (proxy) => {
        const { status, text } = await ask(proxy, "POST", "/api/session");
        expect(status).toBe(403);
        expect(text).toContain("if the proxy at 127.0.0.1 is yours, name it in the setting trustedProxies");
      });
    },
  );

  it.skipIf(noNginx !== undefined)(
    `and writes a Host of its own is told which line it needs${notHere(noNginx)}`,
    async () => {
      await through("nginx", nginxWith(""), trusting, async (proxy) => {
        const { status, text } = await ask(proxy, "POST", "/api/session");
        expect(status).toBe(403);
        expect(text).toContain(
          `the proxy has asked for 127.0.0.1:${trusting.port}: it must pass on the browser's Host`,
        );
      });
    },
  );

  it.skipIf(noNginx !== undefined)(
    `and speaks HTTP/1.0 is told which line it needs${notHere(noNginx)}`,
    async () => {
      const plain = guideBlock("nginx").replace("proxy_http_version 1.1;", "proxy_http_version 1.0;");
      await through("nginx", plain, trusting, async (proxy) => {
        const { status, text } = await ask(proxy, "GET", "/");
        expect([status, text]).toEqual([505, expect.stringContaining("proxy_http_version 1.1;")]);
      });
    },
  );

  it.skipIf(noCaddy !== undefined)(
    `may name the host in X-Forwarded-Host alone${notHere(noCaddy)}`,
    async () => {
      const config = guideBlock("caddyfile").replace(
        "reverse_proxy 127.0.0.1:8080",
        "reverse_proxy 127.0.0.1:8080 {\nheader_up Host {upstream_hostport}\n}",
      );
      await through("caddy", config, trusting, async (proxy) => {
        expect((await ask(proxy, "POST", "/api/session")).status).toBe(200);
      });
      await through("caddy", config, distrusting, async (proxy) => {
        const { status, text } = await ask(proxy, "POST", "/api/session");
        expect([status, text]).toEqual([403, expect.stringContaining("trustedProxies")]);
      });
    },
  );
});
