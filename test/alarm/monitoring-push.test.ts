import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type Post, post } from "../../src/alarm/http-post.js";
import {
  BODY_BYTES_MAX,
  MonitoringPush,
  type MonitoringPushOptions,
} from "../../src/alarm/monitoring-push.js";
import { WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC } from "../../src/alarm/webhook-reach.js";
import { EVENT_TYPES } from "../../src/event/catalogue.js";
import { DEFAULT_SITE_PARTS } from "../../src/site/model/site-defaults.js";
import type { MonitoringSettings } from "../../src/site/model/site-settings.js";
import { SERVER_ID } from "../support/api/api-fakes.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";
import { makeCertificate } from "../support/http/certificate.js";
import { silentLog } from "../support/site/site-samples.js";

const SECOND_US = 1_000_000;

/** A recorder whose messages go to `send`. */
function setUp(
  send: (url: URL, message: Post) => Promise<number>,
  change: Partial<MonitoringSettings> = {},
  options: Partial<MonitoringPushOptions> = {},
) {
  const clock = new SimulatedClock();
  const events = new MemoryEventLog(clock);
  const push = new MonitoringPush({
    settings: {
      ...DEFAULT_SITE_PARTS.monitoring,
      ...{ isEnabled: true, url: "https://monitoring.example/nvr?key=secret", password: "hunter2" },
      ...{ pushIntervalSeconds: 10, ...change },
    },
    server: { id: SERVER_ID, name: "Box" },
    health: async () => ({ State: "ok", Problems: [] }),
    ...{ reach: WEBHOOK_REACH_ANY, events, clock, log: silentLog, send },
    ...options,
  });
  onTestFinished(() => push.stop());
  return { clock, events, push };
}

it("health is sent at the interval, with the password, as JSON that says who sends it", async () => {
  const sent: { url: URL; message: Post }[] = [];
  const { clock, push } = setUp(async (url, message) => {
    sent.push({ url, message });
    return 204;
  });
  push.start();
  await clock.advanceSlowly(32 * SECOND_US, SECOND_US);
  expect(sent).toHaveLength(4);
  const [first] = sent;
  expect(first?.url.href).toBe("https://monitoring.example/nvr?key=secret");
  expect(first?.message.proxy).toBeUndefined();
  const login = Buffer.from(`${SERVER_ID}:hunter2`).toString("base64");
  expect(first?.message.headers).toMatchObject({ Authorization: `Basic ${login}` });
  expect(JSON.parse(String(first?.message.body))).toMatchObject({
    ...{ Time: "2024-01-01T00:00:01.0000000Z", Server: { Id: SERVER_ID, Name: "Box" } },
    ...{ IsShortened: false, Health: { State: "ok", Problems: [] } },
  });
  expect(push.state).toMatchObject({ sent: 4, failed: 0, problem: undefined });
});

it("a failure is reported once with its reason, and that it works again; the address's secret is not reported", async () => {
  let status = 500;
  const { clock, push, events } = setUp(async () => status);
  push.start();
  await clock.advanceSlowly(45 * SECOND_US, SECOND_US);
  const raised = () => events.raised.map(({ typeId, comment }) => [typeId, comment]);
  const failing = [EVENT_TYPES.monitoringFailing.id, "monitoring.example answered 500; expected 200 to 299"];
  expect(raised()).toEqual([failing]);
  expect(push.state).toMatchObject({ failed: 5, problem: failing[1] });
  status = 200;
  await clock.advanceSlowly(20 * SECOND_US, SECOND_US);
  expect(raised()).toEqual([failing, [EVENT_TYPES.monitoringWorks.id, "monitoring.example"]]);
  expect(push.state.problem).toBeUndefined();
});

it("a service that never answers gets one message at a time, and each is given up", async () => {
  let [under, most] = [0, 0];
  const { clock, push } = setUp(
    (_, { signal }) => {
      under += 1;
      most = Math.max(most, under);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          under -= 1;
          reject(new Error("aborted"));
        });
      });
    },
    { pushIntervalSeconds: 1 },
  );
  push.start();
  await clock.advanceSlowly(100 * SECOND_US, SECOND_US);
  expect(most).toBe(1);
  expect(push.state).toMatchObject({ sent: 0, problem: "no answer within 15 s" });
  await push.stop();
  expect(clock.timers).toBe(0);
});

it("a message that would be too long says what is wrong and leaves out the lists", async () => {
  const bodies: Buffer[] = [];
  const Problems = Array.from({ length: 5_000 }, (_, at) => ({ Code: `p${at}`, Text: "x".repeat(300) }));
  const health = async () => ({ State: "error", Summary: "much", Problems, Cameras: [{ Id: "c" }] });
  const send = async (_: URL, { body }: Post) => {
    bodies.push(body);
    return 200;
  };
  const { clock, push } = setUp(send, {}, { health });
  push.start();
  await clock.advanceSlowly(2 * SECOND_US, SECOND_US);
  expect(bodies[0]?.length).toBeLessThan(BODY_BYTES_MAX);
  const { IsShortened, Health } = JSON.parse(String(bodies[0]));
  expect([IsShortened, Health.State, Health.Problems.length, Health.Cameras]).toEqual([
    ...[true, "error", 100, undefined],
  ]);
});

it("the proxy is used where it is enabled", async () => {
  const proxies: (string | undefined)[] = [];
  const send = async (_: URL, { proxy }: Post) => {
    proxies.push(proxy?.href);
    return 200;
  };
  for (const isProxyServerEnabled of [true, false]) {
    const { clock, push } = setUp(send, { isProxyServerEnabled, proxyUrl: "http://proxy.example:3128" });
    push.start();
    await clock.advanceSlowly(2 * SECOND_US, SECOND_US);
  }
  expect(proxies).toEqual(["http://proxy.example:3128/", undefined]);
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The options of a message, with a body of three bytes. */
const message = (change: Partial<Post> = {}): Post => ({
  ...{ headers: { "Content-Length": "3" }, body: Buffer.from("abc") },
  ...{ signal: AbortSignal.timeout(20_000), reach: WEBHOOK_REACH_ANY },
  ...change,
});

it("plain HTTP goes over a proxy with its whole address", async () => {
  const asked: IncomingMessage[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request);
    response.writeHead(202).end();
  });
  const port = await listening(proxy);
  const url = new URL("http://monitoring.example/nvr?a=b");
  expect(await post(url, message({ proxy: new URL(`http://127.0.0.1:${port}`) }))).toBe(202);
  expect([asked[0]?.url, asked[0]?.headers.host]).toEqual([url.href, "monitoring.example"]);
});

it("HTTPS goes through a tunnel of the proxy, and the certificate is that of the service", async () => {
  const made = await makeCertificate();
  const service = createTlsServer(made, (_, response) => response.writeHead(201).end());
  const servicePort = await listening(service);
  const names: (string | undefined)[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    names.push(request.url);
    const far = connect(servicePort, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    far.on("error", () => socket.destroy()).pipe(socket);
    socket.on("error", () => far.destroy()).pipe(far);
  });
  const port = await listening(proxy);
  const url = new URL(`https://127.0.0.1:${servicePort}/nvr`);
  const sent = post(url, message({ proxy: new URL(`http://127.0.0.1:${port}`) }));
  // Nobody vouches for a certificate that was just made: that it is looked at shows that the tunnel is one.
  await expect(sent).rejects.toThrow(/self.signed|certificate/i);
  expect(names).toEqual([`127.0.0.1:${servicePort}`]);
});

it("a proxy that refuses is named, and hosts that are not of the internet are refused where that is set", async () => {
  const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 No\r\n\r\n"));
  const port = await listening(proxy);
  const through = new URL(`http://127.0.0.1:${port}`);
  await expect(post(new URL("https://monitoring.example/x"), message({ proxy: through }))).rejects.toThrow(
    /the proxy 127\.0\.0\.1:\d+ does not connect to it: it answered 403/,
  );
  const forbidden = message({ reach: WEBHOOK_REACH_PUBLIC });
  await expect(post(new URL("http://127.0.0.1/x"), forbidden)).rejects.toThrow(/no host of the internet/);
  await expect(
    post(new URL("http://monitoring.example/x"), { ...forbidden, proxy: through }),
  ).rejects.toThrow(/no host of the internet/);
});
