import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { PUSH_REACH_PUBLIC, pushSender, type SendPush, WEBHOOK_REACH_ANY } from "../../src/alarm/index.js";
import type { PushMessage } from "../../src/alarm/push-message.js";
import { isPushEndpoint } from "../../src/alarm/push-subscription.js";
import { PushBrowser } from "../support/alarm/push-receiver.js";

const CONTACT = "mailto:owner@example.com";
const MESSAGE: PushMessage = {
  ...{ Title: "Connection to camera lost", Body: "Gate", Tag: "1", Time: "2024-01-01T00:00:00.000Z" },
  ...{ Language: "en", Url: "/#/events", Picture: null },
};

function sending(send: SendPush, endpoint: string, signal: AbortSignal): Promise<void> {
  const { P256dh: p256dh, Auth: auth } = new PushBrowser().keys;
  const own = new PushBrowser().keys;
  const key = {
    publicKey: own.P256dh,
    privateKey: Buffer.alloc(32, 7).toString("base64url"),
  };
  return send({ endpoint, p256dh, auth }, MESSAGE, { key, signal });
}

it.each([
  "https://127.0.0.1:9/secret",
  "https://[::1]/secret",
  "https://192.168.1.1/secret",
  "https://localhost/secret",
])(
  "goes to hosts of the internet alone, not to %s, and says no more of it than the host",
  async (endpoint) => {
    const outcome = await sending(
      pushSender(PUSH_REACH_PUBLIC, CONTACT),
      endpoint,
      AbortSignal.timeout(10_000),
    ).catch((error: unknown) => String(error));
    expect(outcome).toMatch(/no host of the internet.*pushPrivateTargets/);
    expect(outcome).not.toContain("secret");
  },
);

it("is given up when it takes too long", async () => {
  const open = new Set<Socket>();
  const server = createServer((socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const stop = new AbortController();
  const sent = sending(
    pushSender(WEBHOOK_REACH_ANY, CONTACT),
    `https://127.0.0.1:${port}/secret`,
    stop.signal,
  );
  const outcome = sent.catch((error: unknown) => String(error));
  await expect.poll(() => open.size).toBe(1);
  stop.abort();
  expect(await outcome).toMatch(new RegExp(`127.0.0.1:${port}: `));
  expect(await outcome).not.toContain("secret");
});

it.each([
  ["https://push.example.org/one", true],
  ["http://push.example.org/one", false],
  ["https://user:word@push.example.org/", false],
  ["file:///etc/passwd", false],
  ["https://", false],
  [`https://push.example.org/${"a".repeat(1024)}`, false],
])("an address such as %s can be subscribed: %s", (text, isAccepted) => {
  expect(isPushEndpoint(text)).toBe(isAccepted);
});
