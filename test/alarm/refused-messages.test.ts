import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AlarmOutbox } from "../../src/alarm/alarm-outbox.js";
import { type AlarmMessage, pushSender, WEBHOOK_REACH_ANY } from "../../src/alarm/index.js";
import { newGuid } from "../../src/base/index.js";
import type { AlarmDelivery } from "../../src/site/index.js";
import { alarmEvent, alarmTarget, sendAlarm } from "../support/alarm/alarm-samples.js";
import { PushBrowser, PushReceiver } from "../support/alarm/push-receiver.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { makeCertificate } from "../support/http/certificate.js";

/** A receiver of a kind that takes what `isTaken` allows of a message's text. */
interface Receiver {
  readonly send: (message: AlarmMessage, signal: AbortSignal) => Promise<void>;
  readonly taken: string[];
}
type Taken = (text: string) => boolean;

const NAMES = ["Gate", "Yard", "Door", "Roof", "Hall", "Shed"];
const closing: (() => unknown)[] = [];
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function webhookServer(isTaken: Taken, status = 400): Promise<Receiver> {
  const taken: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    request.on("end", () => {
      const isAccepted = isTaken(text);
      if (isAccepted) taken.push(text);
      response.writeHead(isAccepted ? 204 : status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const delivery: AlarmDelivery = { kind: "webhook", url, secret: "" };
  return { send: (message, signal) => sendAlarm(delivery, message, signal), taken };
}

async function mailServer(isTaken: Taken): Promise<Receiver> {
  const taken: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData: (stream, _session, callback) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      stream.on("end", () => {
        if (!isTaken(text)) return callback(Object.assign(new Error("refused"), { responseCode: 554 }));
        taken.push(text);
        callback(null);
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const delivery: AlarmDelivery = {
    ...{ kind: "mail", host: "127.0.0.1", port: (server.server.address() as AddressInfo).port },
    ...{ security: "none", login: "", password: "", sender: "nvr@example.org" },
    recipients: ["owner@example.org"],
  };
  return { send: (message, signal) => sendAlarm(delivery, message, signal), taken };
}

async function pushService(isTaken: Taken): Promise<Receiver> {
  const browser = new PushBrowser();
  const taken: string[] = [];
  const receiver = await PushReceiver.start(await makeCertificate(), (body) => {
    const text = JSON.stringify(browser.read(body));
    if (!isTaken(text)) return { status: 400, body: "bad message" };
    taken.push(text);
    return { status: 201 };
  });
  // The certificate is the test's own: what vouches for it is not what is tried here.
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  closing.push(() => {
    receiver.stop();
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  const own = new PushBrowser().keys;
  const key = { publicKey: own.P256dh, privateKey: Buffer.alloc(32, 7).toString("base64url") };
  const { P256dh: p256dh, Auth: auth } = browser.keys;
  const address = { endpoint: `${receiver.origin}/one`, p256dh, auth };
  const push = pushSender({ ...WEBHOOK_REACH_ANY }, "mailto:owner@example.com");
  const send = (message: AlarmMessage, signal: AbortSignal) => {
    const Body = message.events.map(({ channelName }) => channelName).join(" ");
    const text = { Title: "T", Body: Body === "" ? "were left out" : Body, Tag: message.id };
    const rest = { Time: "2024-01-01T00:00:00.000Z", Language: "en", Url: "/", Picture: null } as const;
    return push(address, { ...text, ...rest }, { key, signal });
  };
  return { send, taken };
}

const KINDS: readonly (readonly [kind: string, start: (isTaken: Taken) => Promise<Receiver>])[] = [
  ["a webhook", webhookServer],
  ["a mail server", mailServer],
  ["a push service", pushService],
];

/** An outbox at a receiver, and what passes its time, with each message to its end. */
function outboxAt({ send }: Receiver): {
  readonly outbox: AlarmOutbox;
  readonly refused: string[];
  readonly settled: number[];
  readonly pass: (seconds: number) => Promise<void>;
} {
  const refused: string[] = [];
  const settled: number[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  const outbox = new AlarmOutbox({
    target: alarmTarget(),
    server: () => ({ id: newGuid(), name: "Cupboard" }),
    send: (_, message, signal) => {
      const sent = send(message, signal);
      sending = sent.catch(() => undefined);
      return sent;
    },
    clock,
    onSettled: ({ sequence }) => settled.push(sequence),
    onTrouble: () => undefined,
    onRefused: ({ channelName }) => refused.push(channelName),
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await sending;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  closing.push(() => outbox.stop());
  return { outbox, refused, settled, pass };
}

/** Six events, one of each camera. */
function addAll(outbox: AlarmOutbox): void {
  for (const [at, channelName] of NAMES.entries())
    outbox.add(alarmEvent(at + 1, { channelName, timeUs: clock.nowUs() }));
}

const namesIn = (texts: readonly string[]): string[] =>
  NAMES.filter((name) => texts.some((text) => text.includes(name)));

it.each(KINDS)("what %s never takes holds back nothing behind it", async (_kind, start) => {
  const receiver = await start((text) => !/Gate|Roof/.test(text));
  const { outbox, refused, settled, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(5 * 60);
  expect(namesIn(receiver.taken)).toEqual(["Yard", "Door", "Hall", "Shed"]);
  expect(refused).toEqual(["Gate", "Roof"]);
  expect(receiver.taken.filter((text) => text.includes("left out"))).toHaveLength(2);
  expect(settled.at(-1)).toBe(6);
  expect(outbox.state).toMatchObject({ isFailing: false, waitingEvents: 0, omittedEvents: 2 });
});

it.each(KINDS)("nothing is left out where %s refuses everything for a time", async (_kind, start) => {
  let isOpen = false;
  const receiver = await start(() => isOpen);
  const { outbox, refused, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(3600);
  expect(outbox.state).toMatchObject({ isFailing: true, waitingEvents: 6 });
  isOpen = true;
  await pass(3600);
  expect(namesIn(receiver.taken)).toEqual(NAMES);
  expect([refused, outbox.state.waitingEvents]).toEqual([[], 0]);
});

it("a receiver that refuses messages without events too is asked with the other events", async () => {
  const receiver = await webhookServer(
    (text) => /Yard|Door|Roof|Hall|Shed/.test(text) && !text.includes("Gate"),
  );
  const { outbox, refused, settled, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(5 * 60);
  expect(namesIn(receiver.taken)).toEqual(NAMES.slice(1));
  expect([refused, settled.at(-1)]).toEqual([["Gate"], 6]);
  const omitted = receiver.taken.map((text) => (JSON.parse(text) as { OmittedEvents: number }).OmittedEvents);
  expect(omitted.reduce((sum, count) => sum + count)).toBe(1);
});

it("an event is settled only when none before it waits", async () => {
  const receiver = await webhookServer((text) => text.includes("Door") && !text.includes("Gate"));
  const { outbox, settled, pass } = outboxAt(receiver);
  for (const [sequence, channelName] of [
    [1, "Gate"],
    [2, "Door"],
  ] as const)
    outbox.add(alarmEvent(sequence, { channelName, timeUs: clock.nowUs() }));
  await pass(60);
  expect(namesIn(receiver.taken)).toEqual(["Door"]);
  expect(settled).toEqual([2]);
});

it("a receiver that takes small messages alone gets small ones", async () => {
  const receiver = await webhookServer((text) => text.length < 4096, 413);
  const { outbox, refused, pass } = outboxAt(receiver);
  for (let sequence = 1; sequence <= 60; sequence += 1)
    outbox.add(alarmEvent(sequence, { timeUs: clock.nowUs() }));
  await pass(10 * 60);
  const delivered = receiver.taken.flatMap((text) =>
    (JSON.parse(text) as { Events: { Sequence: number }[] }).Events.map(({ Sequence }) => Sequence),
  );
  expect(delivered).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  expect(refused).toEqual([]);
});

it.each([500, 503])("a receiver that answers %s now and then loses no event", async (status) => {
  let tries = 0;
  const receiver = await webhookServer(() => {
    tries += 1;
    return tries % 2 === 0;
  }, status);
  const { outbox, refused, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(10 * 60);
  expect([namesIn(receiver.taken), refused]).toEqual([NAMES, []]);
});

it("an answer that asks for another time makes no message smaller", async () => {
  const tried: number[] = [];
  const receiver = await webhookServer((text) => {
    tried.push((JSON.parse(text) as { Events: unknown[] }).Events.length);
    return false;
  }, 429);
  const { outbox, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(120);
  expect(new Set(tried)).toEqual(new Set([NAMES.length]));
  expect(outbox.state).toMatchObject({ isFailing: true, waitingEvents: NAMES.length });
});

it("an event that a server refuses alone while it fails for a minute is told when it works again", async () => {
  let failsUntilUs = Number.POSITIVE_INFINITY;
  const receiver = await webhookServer((text) => {
    if (!text.includes("Gate")) {
      failsUntilUs = Math.min(failsUntilUs, clock.monotonicUs() + 60_000_000);
      return true;
    }
    return clock.monotonicUs() >= failsUntilUs;
  }, 500);
  const { outbox, refused, pass } = outboxAt(receiver);
  outbox.add(alarmEvent(1, { channelName: "Gate", timeUs: clock.nowUs() }));
  await pass(5 * 60);
  expect([namesIn(receiver.taken), refused]).toEqual([["Gate"], []]);
});

it("an event at which a server fails for good holds back nothing behind it", async () => {
  const receiver = await webhookServer((text) => !text.includes("Gate"), 500);
  const { outbox, refused, pass } = outboxAt(receiver);
  addAll(outbox);
  await pass(10 * 60);
  expect([namesIn(receiver.taken), refused]).toEqual([NAMES.slice(1), ["Gate"]]);
});
