import { execFileSync } from "node:child_process";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { publicLookup } from "../../src/alarm/webhook-reach.js";
import { isPublicAddress } from "../../src/base/index.js";
import type { AlarmDelivery } from "../../src/site/index.js";
import { alarmEvent, alarmMessage, sendAlarm, sendAlarmPublicly } from "../support/alarm/alarm-samples.js";
import { makeCertificate } from "../support/http/certificate.js";

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const servers: Server[] = [];
const received: Received[] = [];
const NEVER = new AbortController().signal;

afterEach(() => {
  received.length = 0;
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An HTTP server that keeps what it gets. */
async function listen(
  status: number,
  headers: Record<string, string> = {},
  server?: Server,
): Promise<number> {
  const own = server ?? createServer();
  own.on("request", (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      received.push({ method: request.method, url: request.url, headers: request.headers, body });
      if (status !== 0) response.writeHead(status, headers).end("x".repeat(100_000));
    });
  });
  servers.push(own);
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  return (own.address() as AddressInfo).port;
}

const webhook = (port: number, rest: Partial<AlarmDelivery> = {}): AlarmDelivery =>
  ({ kind: "webhook", url: `http://127.0.0.1:${port}/hook/T0K3N?a=b`, secret: "", ...rest }) as AlarmDelivery;

it("POSTs the document of docs/ref/alarms.md", async () => {
  const port = await listen(204);
  const message = alarmMessage({
    omittedEvents: 2,
    events: [
      alarmEvent(7, {
        channelId: "0aa1c1f8-0d11-4d27-9b30-6f6f0c1c3c11",
        channelName: "Gate",
        comment: "no answer",
      }),
    ],
  });
  await sendAlarm(webhook(port), message, NEVER);
  const [request] = received;
  expect([request?.method, request?.url]).toEqual(["POST", "/hook/T0K3N?a=b"]);
  expect(request?.headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-nvrd-delivery": message.id,
    "x-nvrd-timestamp": "1704067200",
  });
  expect(request?.headers).not.toHaveProperty("x-nvrd-signature");
  expect(JSON.parse(request?.body ?? "")).toEqual({
    NvrdAlarm: 1,
    Id: message.id,
    Server: { Id: message.server.id, Name: "Cupboard" },
    Target: "Owner",
    SentAt: "2024-01-01T00:00:00.0000000Z",
    IsTest: false,
    Headline: "Connection to camera lost: Gate: no answer (and 2 more)",
    OmittedEvents: 2,
    Events: [
      {
        Sequence: 7,
        EventId: expect.any(String),
        EventType: "cameraLost",
        EventDescription: "Connection to camera lost",
        Category: "Error",
        Timestamp: "2024-01-01T00:00:07.0000000Z",
        ChannelId: "0aa1c1f8-0d11-4d27-9b30-6f6f0c1c3c11",
        ChannelName: "Gate",
        Comment: "no answer",
      },
    ],
  });
});

it("is signed so that openssl finds the same", async () => {
  const port = await listen(200);
  await sendAlarm(webhook(port, { secret: "key of the hook" }), alarmMessage(), NEVER);
  const [request] = received;
  const signed = `${request?.headers["x-nvrd-timestamp"]}.${request?.body}`;
  const openssl = execFileSync("openssl", ["dgst", "-sha256", "-hmac", "key of the hook"], { input: signed });
  const digest = openssl.toString().trim().split(" ").at(-1);
  expect(request?.headers["x-nvrd-signature"]).toBe(`sha256=${digest}`);
});

it.each([199, 301, 302, 400, 404, 429, 500, 503])(
  "status %i is not taken for success, and no redirect is followed",
  async (status) => {
    const elsewhere = await listen(200);
    const port = await listen(status === 199 ? 304 : status, { Location: `http://127.0.0.1:${elsewhere}/` });
    await expect(sendAlarm(webhook(port), alarmMessage(), NEVER)).rejects.toThrow(
      new RegExp(`^127\\.0\\.0\\.1:${port} answered ${status === 199 ? 304 : status};`),
    );
    expect(received).toHaveLength(1);
  },
);

it("errors name the host, and neither path nor key", async () => {
  const port = await listen(200);
  servers[0]?.close();
  const error = await sendAlarm(webhook(port, { secret: "key" }), alarmMessage(), NEVER).catch(
    (thrown: Error) => thrown.message,
  );
  expect(error).toContain(`127.0.0.1:${port}`);
  expect(error).not.toMatch(/T0K3N|key/);
});

it("ends with its signal when the other side never answers", async () => {
  const port = await listen(0);
  const stop = new AbortController();
  const sending = sendAlarm(webhook(port), alarmMessage(), stop.signal);
  const refused = expect(sending).rejects.toThrow(`127.0.0.1:${port}`);
  await expect.poll(() => received.length).toBe(1);
  stop.abort();
  await refused;
});

it("over HTTPS a certificate that nobody vouches for is refused", async () => {
  const port = await listen(200, {}, createTlsServer(await makeCertificate()) as unknown as Server);
  const delivery = webhook(port, { url: `https://127.0.0.1:${port}/` } as Partial<AlarmDelivery>);
  await expect(sendAlarm(delivery, alarmMessage(), NEVER)).rejects.toThrow(/self-signed certificate/);
  expect(received).toEqual([]);
});

it.each([
  ["127.0.0.1", "http://127.0.0.1:PORT/"],
  ["another spelling of it", "http://0x7f.1:PORT/"],
  ["IPv4 mapped into IPv6", "http://[::ffff:127.0.0.1]:PORT/"],
  ["a name of this machine", "http://localhost:PORT/"],
])("does not reach %s where private targets are forbidden", async (_what, url) => {
  const port = await listen(204);
  const delivery = webhook(port, { url: url.replace("PORT", String(port)) });
  await expect(sendAlarmPublicly(delivery, alarmMessage({}), NEVER)).rejects.toThrow(
    /no host of the internet.*webhookPrivateTargets/,
  );
  expect(received).toHaveLength(0);
});

it.each([
  ["10.0.0.1", false],
  ["172.31.255.255", false],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::1", false],
  ["::", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["::ffff:10.0.0.1", false],
  ["::10.0.0.1", false],
  ["64:ff9b::a00:1", false],
  ["2002:a00:1::", false],
  ["no address", false],
  ["8.8.8.8", true],
  ["2a00:1450:4001:80b::200e", true],
])("%s is a host of the internet: %s", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

it("connects to the addresses that were checked, whatever a name server says later", async () => {
  const answers = [
    [
      { address: "8.8.8.8", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ],
    [{ address: "10.0.0.1", family: 4 }],
  ];
  let asked = 0;
  const lookup = publicLookup((_host, _options, done) => done(null, answers[asked++] ?? []));
  const look = (all: boolean) =>
    new Promise((resolve) =>
      lookup("rebinding.example", { all }, (error, address) => resolve(error?.message ?? address)),
    );
  expect(await look(true)).toEqual([{ address: "8.8.8.8", family: 4 }]);
  expect(await look(false)).toMatch(/no host of the internet/);
});
