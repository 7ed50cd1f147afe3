import { afterEach, beforeEach, expect, it } from "vitest";
import { alarmSender, WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC } from "../../src/alarm/index.js";
import { createLog, NvrdError } from "../../src/base/index.js";
import { MESSAGE_FORMS, storedWord } from "../../src/contract/index.js";
import type { WebhookDelivery } from "../../src/site/index.js";
import { alarmEvent, alarmMessage } from "../support/alarm/alarm-samples.js";
import {
  MessageService,
  RECEIVERS,
  type ServiceName,
  TOKENS,
  WEBHOOK_PATHS,
} from "../support/alarm/message-services.js";
import { until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const NAMES = Object.keys(MESSAGE_FORMS) as ServiceName[];
const WITH_PICTURE = NAMES.filter((name) => MESSAGE_FORMS[name].hasPicture);
const PICTURE = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 1, 2, 3, 0xff, 0xd9]);
const SECOND_US = 1_000_000;
const NEVER = new AbortController().signal;
const GATE = "0aa1c1f8-0d11-4d27-9b30-6f6f0c1c3c11";
const PAGE = "https://nvr.example:8443/box/";
const LINK = `${PAGE}#/playback?channel=${GATE}&time=1704067196000&play=1`;
const services: MessageService[] = [];

afterEach(() => {
  for (const service of services.splice(0)) service.stop();
});

async function start(name: ServiceName): Promise<[MessageService, WebhookDelivery]> {
  const service = await MessageService.start(name);
  services.push(service);
  const path = name === "Discord" || name === "Slack" ? WEBHOOK_PATHS[name] : "";
  const delivery: WebhookDelivery = {
    ...{ kind: "webhook", url: `${service.base}${path}`, secret: TOKENS[name] },
    ...{ form: storedWord(name), to: RECEIVERS[name], pageUrl: PAGE },
  };
  return [service, delivery];
}

const sender = (pictureOf?: () => Promise<Uint8Array>, language: "en" | "ru" = "en") =>
  senderAt(new SimulatedClock(), pictureOf, language);

const senderAt = (
  clock: SimulatedClock,
  pictureOf?: () => Promise<Uint8Array>,
  language: "en" | "ru" = "en",
) => alarmSender({ ...{ reach: WEBHOOK_REACH_ANY, language: () => language, clock, log }, pictureOf });

/** What was logged by a test, as lines. */
const logged: string[] = [];
const log = createLog({ level: "info", destination: { write: (line) => void logged.push(line) } });
beforeEach(() => {
  logged.length = 0;
});

const atGate = (comment = "no <answer> & more") =>
  alarmMessage({ events: [alarmEvent(1, { channelId: GATE, channelName: "Gate", comment })] });

const shown = (text: string): string =>
  text.replaceAll("&amp;", "&").replaceAll("&lt;", "<").replaceAll("&gt;", ">");

it.each(NAMES)("%s gets the sentence and a link to the moment", async (name) => {
  const [service, delivery] = await start(name);
  await sender()(delivery, atGate(), NEVER);
  const [one] = service.arrived;
  expect(service.arrived).toHaveLength(1);
  expect(one?.to).toBe(RECEIVERS[name].replace("notify.", ""));
  const all = shown([one?.title, one?.text, one?.link].join("\n"));
  expect(all).toContain("Connection to camera lost");
  expect(all).toContain("Gate · 1 Jan");
  expect(all).toContain("no <answer> & more");
  expect(all.endsWith(LINK) || all.trimEnd().endsWith(LINK)).toBe(true);
});

it.each(WITH_PICTURE)("%s gets the picture with it", async (name) => {
  const [service, delivery] = await start(name);
  await sender(async () => PICTURE)(delivery, atGate("Кто-то у ворот"), NEVER);
  expect(service.arrived.map(({ picture }) => picture?.equals(PICTURE))).toEqual([true]);
  expect(shown(service.arrived[0]?.text ?? "")).toContain("Кто-то у ворот");
});

it.each(NAMES)("%s gets a text where there is no picture", async (name) => {
  const [service, delivery] = await start(name);
  const none = () => Promise.reject(new NvrdError("NOT_FOUND", "nothing is recorded"));
  await sender(none)(delivery, atGate(), NEVER);
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

it.each(NAMES)(
  "%s gets a test in the recorder's language, without a link where no page is set",
  async (name) => {
    const [service, delivery] = await start(name);
    await sender(undefined, "ru")(
      { ...delivery, pageUrl: "" },
      alarmMessage({ isTest: true, events: [] }),
      NEVER,
    );
    const [one] = service.arrived;
    expect(`${one?.title ?? ""}${one?.text}`).toContain("Сообщения этого регистратора приходят сюда");
    expect([one?.link ?? "", one?.text.includes("http")]).toEqual(["", false]);
  },
);

it.each(NAMES)("a comment of any length fits %s", async (name) => {
  const [service, delivery] = await start(name);
  await sender(async () => PICTURE)(delivery, atGate("&".repeat(20_000)), NEVER);
  expect(service.arrived).toHaveLength(1);
});

it.each(WITH_PICTURE)("%s that wants no picture gets none", async (name) => {
  const [service, delivery] = await start(name);
  await sender(async () => PICTURE)({ ...delivery, hasPicture: false }, atGate(), NEVER);
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

it.each(WITH_PICTURE)("a picture that %s refuses does not cost the message", async (name) => {
  const [service, delivery] = await start(name);
  service.instead.push({ status: 413, text: "<html>too large</html>" });
  await sender(async () => PICTURE)(delivery, atGate(), NEVER);
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

it.each(WITH_PICTURE)("a picture that %s does not take in time does not cost the message", async (name) => {
  const [service, delivery] = await start(name);
  const clock = new SimulatedClock();
  service.instead.push("silence");
  const sent = senderAt(clock, async () => PICTURE)(delivery, atGate(), NEVER);
  await until("the picture to be on its way", () => service.calls.length === 1);
  clock.advance(9 * SECOND_US);
  await sent;
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

it.each([
  [
    "there is none",
    async () => Promise.reject(new NvrdError("NOT_FOUND", "nothing is recorded there")),
    "nothing is recorded there",
  ],
  ["it is too large", async () => Buffer.alloc(1024 * 1024 + 1), "it has 1048577 bytes"],
])("an alarm without its picture says why in the log: %s", async (_, pictureOf, reason) => {
  const [service, delivery] = await start("Ntfy");
  await sender(pictureOf)(delivery, atGate(), NEVER);
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0] ?? "")).toMatchObject({
    ...{ msg: "an alarm is sent without its picture", channel: GATE },
    reason: expect.stringContaining(reason),
  });
});

it("an alarm whose picture the service refuses or does not take in time says so in the log", async () => {
  const [service, delivery] = await start("Ntfy");
  service.instead.push({ status: 413, text: "too large" });
  await sender(async () => PICTURE)(delivery, atGate(), NEVER);
  const clock = new SimulatedClock();
  service.instead.push("silence");
  const sent = senderAt(clock, async () => PICTURE)(delivery, atGate(), NEVER);
  await until("the picture to be on its way", () => service.calls.length === 3);
  clock.advance(9 * SECOND_US);
  await sent;
  expect(logged.map((line) => JSON.parse(line).reason)).toEqual([
    expect.stringContaining("413"),
    "it took longer than 9000 ms",
  ]);
});

it("fetching a picture and sending it have one time together", async () => {
  const [service, delivery] = await start("Ntfy");
  const clock = new SimulatedClock();
  service.instead.push("silence");
  const late = async () => {
    clock.advance(8 * SECOND_US);
    return PICTURE;
  };
  const sent = senderAt(clock, late)(delivery, atGate(), NEVER);
  await until("the picture to be on its way", () => service.calls.length === 1);
  clock.advance(SECOND_US);
  await sent;
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

it("a message that is given up while its picture is on its way is not sent as text", async () => {
  const [service, delivery] = await start("Ntfy");
  const whole = new AbortController();
  service.instead.push("silence");
  const sent = sender(async () => PICTURE)(delivery, atGate(), whole.signal);
  await until("the picture to be on its way", () => service.calls.length === 1);
  whole.abort();
  await expect(sent).rejects.toThrow();
  expect(service.calls).toHaveLength(1);
});

it("a service that has had enough at the picture is not sent a text", async () => {
  const [service, delivery] = await start("Ntfy");
  service.instead.push({ status: 429, headers: { "Retry-After": "30" } });
  await expect(sender(async () => PICTURE)(delivery, atGate(), NEVER)).rejects.toMatchObject({
    retryAfterMs: 30_000,
  });
  expect(service.calls).toHaveLength(1);
});

it("a picture that the token of Slack may not send does not cost the message", async () => {
  const [service, delivery] = await start("SlackBot");
  service.instead.push({ status: 200, json: { ok: false, error: "missing_scope" } });
  await sender(async () => PICTURE)(delivery, atGate(), NEVER);
  expect(service.arrived.map(({ picture }) => picture)).toEqual([undefined]);
});

const REFUSED: Readonly<Record<ServiceName, RegExp>> = {
  Ntfy: /answered 401: unauthorized$/,
  Telegram: /answered 401: Unauthorized$/,
  Discord: /answered 404: Unknown Webhook$/,
  Slack: /answered 403: invalid_token$/,
  SlackBot: /answered 200: invalid_auth$/,
  Matrix: /answered 401: Unrecognised access token$/,
  Pushover: /answered 400: application token is invalid$/,
  Gotify: /answered 401: you need to provide a valid access token/,
  HomeAssistant: /answered 401$/,
};

it.each(NAMES)("says why %s refuses, in its words", async (name) => {
  const [, delivery] = await start(name);
  const wrong = {
    ...delivery,
    secret: "wrong-token",
    url: `${delivery.url}${TOKENS[name] === "" ? "x" : ""}`,
  };
  await expect(sender()(wrong, atGate(), NEVER)).rejects.toThrow(REFUSED[name]);
});

it.each([
  ["Telegram", { ok: false, error_code: 429, parameters: { retry_after: 35 } }, {}, 35_000],
  ["Discord", { message: "You are being rate limited.", retry_after: 64.57, global: false }, {}, 64_570],
  ["Matrix", { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2000 }, {}, 2000],
  ["SlackBot", { ok: false, error: "ratelimited" }, { "Retry-After": "30" }, 30_000],
  ["Slack", undefined, { "Retry-After": "30" }, 30_000],
] as const)(
  "%s that has had enough is left alone for as long as it asks",
  async (name, json, headers, retryAfterMs) => {
    const [service, delivery] = await start(name);
    service.instead.push({ status: 429, json, headers });
    await expect(sender()(delivery, atGate(), NEVER)).rejects.toMatchObject({ retryAfterMs });
  },
);

it.each(NAMES)("a refusal of %s that quotes what it got shows no secret", async (name) => {
  const [service, delivery] = await start(name);
  const said = `${delivery.url} ${delivery.secret}`;
  const json = { error: said, description: said, message: said, errors: [said], errorDescription: said };
  service.instead.push({ status: 403, json });
  const error = await sender()(delivery, atGate(), NEVER).catch((one: unknown) => String(one));
  expect(error).toMatch(/answered 403: /);
  for (const secret of [delivery.secret, ...new URL(delivery.url).pathname.split("/").slice(-1)])
    if (secret !== "") expect(error).not.toContain(secret);
});

it("a picture goes to no place of another scheme that a service names, and the token to none", async () => {
  const [service, delivery] = await start("SlackBot");
  await sender(async () => PICTURE)(delivery, atGate(), NEVER);
  const upload = service.calls.find(({ path }) => path.startsWith("/upload"));
  expect(upload?.headers.authorization).toBeUndefined();
  const elsewhere = { ok: true, upload_url: "file:///etc/passwd", file_id: "F1" };
  service.instead.push({ status: 200, json: elsewhere });
  await expect(sender(async () => PICTURE)(delivery, atGate(), NEVER)).rejects.toThrow(/named no http:/);
});

it("an answer without what the next request needs is said, not sent on", async () => {
  const [service, delivery] = await start("Matrix");
  service.instead.push({ status: 200, json: { content_uri: 5 } });
  await expect(sender(async () => PICTURE)(delivery, atGate(), NEVER)).rejects.toThrow(
    /answered without content_uri/,
  );
});

it("services at home are out of reach where webhooks may go to the internet alone", async () => {
  const [service, delivery] = await start("Gotify");
  const send = alarmSender({
    ...{
      reach: WEBHOOK_REACH_PUBLIC,
      language: () => "en",
      ...{ clock: new SimulatedClock(), log },
      pictureOf: undefined,
    },
  });
  await expect(send(delivery, atGate(), NEVER)).rejects.toThrow(/webhookPrivateTargets/);
  expect(service.calls).toEqual([]);
});

it("a message is tried again under the id that it had", async () => {
  const [service, delivery] = await start("Matrix");
  service.instead.push({ status: 502, text: "" });
  const message = atGate();
  await expect(sender()(delivery, message, NEVER)).rejects.toThrow(/answered 502/);
  await sender()(delivery, message, NEVER);
  expect(service.calls.map(({ path }) => path.endsWith(message.id))).toEqual([true, true]);
});
