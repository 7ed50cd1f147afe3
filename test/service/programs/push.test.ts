import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimsOf, isSigned, PushBrowser, PushReceiver } from "../../support/alarm/push-receiver.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeCertificate } from "../../support/http/certificate.js";
import { Service } from "../../support/service/service.js";

const SUBSCRIPTIONS = "/api/push/subscriptions";

interface Subscription {
  readonly Id: string;
  readonly LastResult: { readonly Problem: string | null; readonly IsReached: boolean } | null;
}

let directory: TemporaryDirectory;
let receiver: PushReceiver;
let service: Service;

beforeAll(async () => {
  directory = new TemporaryDirectory("service-push");
  const certificate = await makeCertificate();
  writeFileSync(directory.join("ca.pem"), certificate.cert);
  receiver = await PushReceiver.start(certificate);
  service = await Service.start({
    dataDir: directory.join("data"),
    settings: { pushPrivateTargets: "allow", pushContact: "mailto:owner@example.org" },
    env: { NODE_EXTRA_CA_CERTS: directory.join("ca.pem") },
  });
});

afterAll(async () => {
  await service?.stop();
  receiver?.stop();
  directory?.remove();
});

async function subscribe(path: string, browser: PushBrowser, part: object = {}): Promise<Subscription> {
  const body = { Endpoint: `${receiver.origin}${path}`, Keys: browser.keys, Name: "Phone", ...part };
  return await service.json<Subscription>(SUBSCRIPTIONS, { method: "POST", body });
}

const test = (id: string): Promise<{ Problem: string | null }> =>
  service.json(`${SUBSCRIPTIONS}/${id}/test`, { method: "POST" });

it("a browser reads what only it can, signed with the key that it subscribed with", async () => {
  const browser = new PushBrowser();
  const { PublicKey } = await service.json<{ PublicKey: string }>("/api/push");
  const { Id } = await subscribe("/signed", browser);
  expect(await test(Id)).toMatchObject({ IsSent: true, IsReached: true, Problem: null });
  const [received] = receiver.at("/signed");
  if (received === undefined) throw new Error("nothing came");
  expect(isSigned(received, PublicKey, receiver.origin)).toBe(true);
  expect(claimsOf(received).sub).toBe("mailto:owner@example.org");
  expect(received.body.length).toBeLessThan(4096);
  expect(received.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  expect(browser.read(received.body)).toMatchObject({
    Title: "Messages of this recorder arrive here",
    Picture: null,
  });
});

it("an event is told in the language of the browser", async () => {
  const browser = new PushBrowser();
  await subscribe("/russian", browser, { Language: "ru", Events: "ErrorsAndAlarms" });
  const wrong = await fetch(`http://127.0.0.1:${service.httpPort}/configex?login=nobody&password=x`);
  expect(wrong.status).toBe(401);
  await expect.poll(() => receiver.at("/russian").length).toBeGreaterThan(0);
  const message = browser.read(receiver.at("/russian")[0]?.body ?? Buffer.alloc(0));
  expect(message).toMatchObject({ Language: "ru", Url: "/#/events" });
  expect(message.Title).toMatch(/^[А-Я][а-я]/);
});

it.each([404, 410])("a subscription that the push service answers with %i is removed", async (status) => {
  receiver.answers.set(`/gone-${status}`, { status });
  const { Id } = await subscribe(`/gone-${status}`, new PushBrowser());
  expect((await test(Id)).Problem).toContain("has ended its subscription");
  const left = await service.json<Subscription[]>(SUBSCRIPTIONS);
  expect(left.map((one) => one.Id)).not.toContain(Id);
});

it("what the push service refuses is reported by its host alone", async () => {
  receiver.answers.set("/busy-s3cret", { status: 429, retryAfter: "3600" });
  const { Id } = await subscribe("/busy-s3cret", new PushBrowser());
  await test(Id);
  const all = await service.json<Subscription[]>(SUBSCRIPTIONS);
  const result = all.find((one) => one.Id === Id)?.LastResult;
  expect(result).toMatchObject({ IsReached: true });
  expect(result?.Problem).toMatch(/^127\.0\.0\.1:\d+ answered 429/);
  expect(JSON.stringify(all)).not.toContain("s3cret");
});

it("what the push service says to a refusal is shown, without what lets send, and no more than a line", async () => {
  const secret = "t0ken-of-the-browser";
  const body = `{"reason":"BadJwtToken",\n"path":"/${secret}"}${"x".repeat(5000)}`;
  receiver.answers.set(`/${secret}`, { status: 403, body });
  const { Id } = await subscribe(`/${secret}`, new PushBrowser());
  const { Problem } = await test(Id);
  expect(Problem).toContain('answered 403 ({"reason":"BadJwtToken", "path":"/***"}xxx');
  expect(Problem?.length).toBeLessThan(300);
  expect(JSON.stringify(await service.json(SUBSCRIPTIONS))).toContain("BadJwtToken");
  expect(Problem).not.toContain(secret);
});
