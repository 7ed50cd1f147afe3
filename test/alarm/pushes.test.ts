import { readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COLLECT_MS } from "../../src/alarm/alarm-outbox.js";
import { Pushes, type PushMessage, type PushSubscription } from "../../src/alarm/index.js";
import { PUSH_FILE } from "../../src/alarm/push-file.js";
import { PushGone } from "../../src/alarm/push-sender.js";
import { PUSHES_PER_USER_MAX } from "../../src/alarm/push-subscription.js";
import { PUSH_TESTS_PER_MINUTE_MAX } from "../../src/alarm/pushes.js";
import { createLog, NvrdError, newGuid } from "../../src/base/index.js";
import { mayReceive, shownEvent } from "../../src/compat/event/event-visibility.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import type { Camera } from "../../src/site/index.js";
import { settle } from "../support/alarm/alarm-samples.js";
import { PushBrowser } from "../support/alarm/push-receiver.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";
import { MemorySite } from "../support/site/memory-site.js";
import { sampleCamera } from "../support/site/site-samples.js";

const HOUR_MS = 3_600_000;
/** A message has been waited for, whatever its rate. */
const SOON_MS = COLLECT_MS;

let directory: TemporaryDirectory;
let clock: ManualClock;
let events: MemoryEventLog;
let site: MemorySite;
let gate: Camera;
let yard: Camera;
let guestId: string;
let sent: { endpoint: string; message: PushMessage }[];
/** By endpoint: what sending rejects with. */
let faults: Map<string, Error>;
const running: Pushes[] = [];

beforeEach(async () => {
  directory = new TemporaryDirectory("pushes");
  clock = new ManualClock();
  events = new MemoryEventLog(clock);
  site = new MemorySite();
  gate = sampleCamera(site.current, { name: "Gate" });
  yard = sampleCamera(site.current, { name: "Yard" });
  guestId = newGuid();
  sent = [];
  faults = new Map();
  const groupId = newGuid();
  await site.change((current) => {
    const [first] = current.groups;
    if (first === undefined) throw new Error("the sample has a group");
    const rights = { ...first.rights, CanAccessUnifiedLog: false };
    const guests = {
      ...{ ...first, id: groupId, name: "Guests", seniorAdministrators: false, rights },
      ...{ realtimeChannels: [gate.id], archiveChannels: [gate.id] },
    };
    const guest = { id: guestId, name: "guest", groupId, secret: null };
    return {
      ...current,
      cameras: [gate, yard],
      groups: [...current.groups, guests],
      users: [...current.users, guest],
    };
  });
});

afterEach(async () => {
  for (const pushes of running.splice(0)) await pushes.stop();
  directory.remove();
});

function start(): Pushes {
  const pushes = new Pushes({
    ...{ site, events, clock, dataDir: directory.path, log: createLog({ level: "silent" }) },
    send: async ({ endpoint }, message) => {
      const fault = faults.get(endpoint);
      if (fault !== undefined) throw fault;
      sent.push({ endpoint, message });
    },
    shown: (principal, event) =>
      mayReceive(principal, event) ? shownEvent(principal, site.current.cameras, event) : undefined,
  });
  pushes.start();
  running.push(pushes);
  return pushes;
}

function wanted(part: Partial<PushSubscription> = {}): Omit<PushSubscription, "id" | "sinceUs"> {
  const { P256dh: p256dh, Auth: auth } = new PushBrowser().keys;
  return {
    ...{ userId: guestId, name: "Phone", language: "en", events: "errorsAndAlarms", channelIds: "all" },
    ...{ isToldOfRecorder: true, address: { endpoint: "https://push.example/one", p256dh, auth } },
    ...part,
  };
}

/** As a browser does it: with the recorder's key, which is made when it is asked for first. */
async function subscribe(pushes: Pushes, part: Partial<PushSubscription> = {}): Promise<PushSubscription> {
  await pushes.publicKey();
  return await pushes.subscribe(wanted(part));
}

const lost = (camera: Camera): void =>
  void events.raise({ typeId: EVENT_TYPES.cameraLost.id, channelId: camera.id, channelName: camera.name });

async function pass(ms = SOON_MS): Promise<void> {
  clock.advance(ms);
  for (let turn = 0; turn < 10; turn++) {
    await settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("sends events that the user may see, and no others", async () => {
  const pushes = start();
  await subscribe(pushes);
  lost(gate);
  lost(yard);
  events.raise({ typeId: EVENT_TYPES.diskFailing?.id ?? EVENT_TYPES.serviceInterrupted.id });
  await pass();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.message).toMatchObject({ Title: EVENT_TYPES.cameraLost.name, Language: "en" });
  expect(sent[0]?.message.Body).toContain("Gate");
  expect(JSON.stringify(sent)).not.toContain("Yard");
});

it("a click on what was seen opens the list of what happened, at its card", async () => {
  const pushes = start();
  await subscribe(pushes);
  events.raise({ typeId: EVENT_TYPES.tamperingStarted.id, channelId: gate.id, channelName: gate.name });
  const time = Math.floor(clock.nowUs() / 1000);
  await pass();
  expect(sent[0]?.message.Url).toBe(`/#/review?camera=${gate.id}&time=${time}`);
});

it("a click opens the recording five seconds before, and the picture is one of the recorder's own", async () => {
  const pushes = start();
  await subscribe(pushes, { language: "ru" });
  lost(gate);
  const time = Math.floor(clock.nowUs() / 1000) - 5000;
  await pass();
  const { message } = sent[0] ?? {};
  expect(message?.Url).toBe(`/#/playback?channel=${gate.id}&time=${time}&play=1`);
  expect(message?.Picture).toMatch(new RegExp(`^/site\\?channelid=${gate.id}&mode=archive&starttime=`));
  expect(message?.Title).toMatch(/[а-я]/);
});

it("rights that were taken between the event and the message count", async () => {
  const pushes = start();
  await subscribe(pushes);
  lost(gate);
  await site.change((current) => ({
    ...current,
    groups: current.groups.map((group) =>
      group.name === "Guests" ? { ...group, realtimeChannels: [], archiveChannels: [] } : group,
    ),
  }));
  await pass();
  expect(sent).toEqual([]);
});

it("the subscriptions of a deleted user go", async () => {
  const pushes = start();
  await subscribe(pushes);
  lost(gate);
  await site.change((current) => ({ ...current, users: current.users.filter(({ id }) => id !== guestId) }));
  await pass();
  expect(sent).toEqual([]);
  expect(pushes.subscriptions).toEqual([]);
});

it("a locked user gets nothing until it is unlocked", async () => {
  const pushes = start();
  await subscribe(pushes);
  const secret = (value: string | null) =>
    site.change((current) => ({
      ...current,
      users: current.users.map((user) => (user.id === guestId ? { ...user, secret: value } : user)),
    }));
  await secret("locked");
  lost(gate);
  await pass();
  expect(sent).toEqual([]);
  await secret(null);
  lost(gate);
  await pass();
  expect(sent).toHaveLength(1);
});

it("a browser that has unsubscribed is forgotten", async () => {
  const pushes = start();
  const { id } = await subscribe(pushes);
  faults.set("https://push.example/one", new PushGone("gone"));
  lost(gate);
  await pass();
  expect(pushes.subscriptions.map((one) => one.id)).not.toContain(id);
});

it("a push service that asks for time is left alone for so long", async () => {
  const pushes = start();
  await subscribe(pushes);
  faults.set("https://push.example/one", new NvrdError("NOT_AVAILABLE", "429", { retryAfterMs: HOUR_MS }));
  lost(gate);
  await pass();
  faults.clear();
  await pass(HOUR_MS / 2);
  expect(sent).toEqual([]);
  await pass(HOUR_MS / 2);
  expect(sent).toHaveLength(1);
});

it("the subscriptions and the key outlive a restart, in a file that only the service reads", async () => {
  const first = start();
  const key = await first.publicKey();
  await subscribe(first);
  await first.stop();
  const second = start();
  expect(await second.publicKey()).toBe(key);
  lost(gate);
  await pass();
  expect(sent).toHaveLength(1);
  expect(statSync(directory.join(PUSH_FILE)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(directory.join(PUSH_FILE), "utf8"))).toMatchObject({ formatVersion: 1 });
});

it("the same browser subscribes once, whoever uses it", async () => {
  const pushes = start();
  const first = await subscribe(pushes);
  const again = await subscribe(pushes, { events: "errors" });
  expect(again.id).toBe(first.id);
  const root = site.current.users[0]?.id ?? "";
  await subscribe(pushes, { userId: root });
  expect(pushes.subscriptions.map(({ userId }) => userId)).toEqual([root]);
});

it("a user has a bounded number of browsers", async () => {
  const pushes = start();
  const at = (number: number) => ({ ...wanted().address, endpoint: `https://push.example/${number}` });
  for (let number = 0; number < PUSHES_PER_USER_MAX; number++)
    await subscribe(pushes, { address: at(number) });
  await expect(subscribe(pushes, { address: at(99) })).rejects.toMatchObject({ code: "CONFLICT" });
});

it("a test says how it went, and can be sent a dozen times a minute", async () => {
  const pushes = start();
  const subscription = await subscribe(pushes);
  expect(await pushes.test(subscription)).toMatchObject({ isTest: true, problem: undefined });
  faults.set("https://push.example/one", new Error("push.example: no way"));
  expect(await pushes.test(subscription)).toMatchObject({
    problem: "push.example: no way",
    isReached: false,
  });
  for (let count = 2; count < PUSH_TESTS_PER_MINUTE_MAX; count++) await pushes.test(subscription);
  await expect(pushes.test(subscription)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
});

it("in quiet hours nothing is sent, and at their end one message of all", async () => {
  const pushes = new Pushes({
    ...{ site, events, clock, dataDir: directory.path, log: createLog({ level: "silent" }) },
    send: async ({ endpoint }, message) => void sent.push({ endpoint, message }),
    shown: (_, event) => event,
    local: () => ({ day: "Monday", minute: 60 + Math.floor(clock.monotonicUs() / 60_000_000) }),
  });
  running.push(pushes);
  pushes.start();
  const quietHours = { fromMinute: 0, toMinute: 120, areErrorsTold: false };
  await subscribe(pushes, { quietHours });
  lost(gate);
  lost(gate);
  await pass();
  expect(sent).toEqual([]);
  await pass(HOUR_MS);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.message.Body).toContain("and 1 more");
});

it("in a painted week only what happens in its hours is sent, also after a restart", async () => {
  let day: "Monday" | "Tuesday" = "Tuesday";
  const open = () => {
    const pushes = new Pushes({
      ...{ site, events, clock, dataDir: directory.path, log: createLog({ level: "silent" }) },
      send: async ({ endpoint }, message) => void sent.push({ endpoint, message }),
      shown: (_, event) => event,
      local: () => ({ day, minute: 60 }),
    });
    running.push(pushes);
    pushes.start();
    return pushes;
  };
  const first = open();
  const week = { Monday: [{ fromMinute: 0, toMinute: 120 }] };
  const sendingHours = { week, areOthersKept: false, areErrorsTold: false };
  await subscribe(first, { sendingHours });
  await first.stop();
  open();
  lost(gate);
  await pass(HOUR_MS);
  expect(sent).toEqual([]);
  day = "Monday";
  lost(gate);
  await pass();
  expect(sent.map(({ message }) => message.Body)).toEqual([expect.not.stringContaining("more")]);
});
