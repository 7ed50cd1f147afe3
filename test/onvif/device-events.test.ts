import { expect, it } from "vitest";
import { EVENT_KINDS, EVENT_TYPES } from "../../src/event/index.js";
import { PULL_POINTS_PER_USER_MAX } from "../../src/onvif/event/event-service.js";
import { QUEUE_MAX } from "../../src/onvif/event/pull-point.js";
import { SEEN_TOPICS } from "../../src/onvif/event/seen-properties.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ALICE, MemoryDevice } from "../support/onvif/memory-device.js";

const NOW = "<m:Timeout>PT0S</m:Timeout><m:MessageLimit>100</m:MessageLimit>";

const bench = forEachTest(() => MemoryDevice.create());

/** A subscription's service name; the messages of its beginning are taken. */
async function subscribe(content = ""): Promise<string> {
  const created = await bench.ask("event_service", "CreatePullPointSubscription", { login: ALICE, content });
  const service = /<wsa:Address>[^<]*\/onvif\/([^<]+)</.exec(created.text)?.[1] ?? "";
  await pull(service);
  return service;
}

const pull = (service: string, content = NOW) =>
  bench.ask(service, "PullMessages", { login: ALICE, content });
const states = (text: string) =>
  [
    ...text.matchAll(/tns1:([\w/]+)<.*?PropertyOperation="(\w+)".*?Value="(true|false|active|inactive)"/g),
  ].map(([, ...parts]) => parts.join(" "));

it("a subscription begins with what is so, and tells changes of cameras that the user sees", async () => {
  const service = await subscribe();
  const move = (channelId: string, active: boolean) =>
    bench.motion.report({ channelId, active, source: "camera", timeUs: bench.clock.nowUs(), zone: "" });
  move(bench.hidden.id, true);
  move(bench.gate.id, true);
  bench.input(true);
  bench.input(true, bench.hidden.id);
  const { text } = await pull(service);
  expect(states(text)).toEqual([
    "VideoSource/MotionAlarm Changed true",
    "Device/Trigger/DigitalInput Changed true",
  ]);
  expect(text).toContain(`input_${bench.gate.id}_Door`);
  await bench.ask(service, "SetSynchronizationPoint", { login: ALICE });
  expect(states((await pull(service)).text)).toEqual([
    "VideoSource/MotionAlarm Initialized true",
    "VideoSource/SignalLoss Initialized false",
    "Device/Trigger/DigitalInput Initialized true",
  ]);
});

it("what a camera reports is told on, from its beginning to its end, by topics that clients know", async () => {
  const service = await subscribe();
  const see = (channelId: string, active: boolean) =>
    bench.seen.report({ channelId, kind: "person", source: "camera", name: "Door", active });
  see(bench.hidden.id, true);
  see(bench.gate.id, true);
  bench.seen.know(bench.gate.id, "doorbell");
  see(bench.gate.id, false);
  const topic = "RuleEngine/MyRuleDetector/PeopleDetect";
  expect(states((await pull(service)).text)).toEqual([`${topic} Changed true`, `${topic} Changed false`]);
  await bench.ask(service, "SetSynchronizationPoint", { login: ALICE });
  expect(states((await pull(service)).text).slice(2)).toEqual([
    `${topic} Initialized false`,
    "RuleEngine/MyRuleDetector/Visitor Initialized false",
  ]);
});

/** Inputs have a way of their own; rules and the camera's own words have no topic that clients know. */
const WITHOUT_TOPIC = ["input", "rule", "other"];

it.each(EVENT_KINDS.filter((kind) => !WITHOUT_TOPIC.includes(kind)))(
  "%s is told on as a state of the camera",
  async (kind) => {
    const service = await subscribe();
    for (const active of [true, false])
      bench.seen.report({ channelId: bench.gate.id, kind, source: "camera", name: "Door", active });
    const notified = states((await pull(service)).text);
    expect(notified.map((text) => text.split(" ").slice(1))).toEqual([
      ["Changed", kind === "relay" ? "active" : "true"],
      ["Changed", kind === "relay" ? "inactive" : "false"],
    ]);
  },
);

it("a line that the recorder watches is reported with its name, as something that happens", async () => {
  const service = await subscribe();
  const fields = { Line: "Drive & gate", Direction: "leftToRight" };
  const typeId = EVENT_TYPES.lineCrossed.id;
  bench.events.raise({ typeId, channelId: bench.hidden.id, fields });
  bench.events.raise({ typeId, channelId: bench.gate.id, comment: "as a camera tells it" });
  bench.events.raise({ typeId, channelId: bench.gate.id, fields });
  const messages = (await pull(service)).text.split("<wsnt:NotificationMessage>").slice(1);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain("tns1:RuleEngine/LineDetector/Crossed<");
  expect(messages[0]).toContain('<tt:SimpleItem Name="Rule" Value="Drive &amp; gate"/>');
  expect(messages[0]).toMatch(/<tt:SimpleItem Name="ObjectId" Value="\d+"\/>/);
  expect(messages[0]).not.toContain("PropertyOperation");
});

it("all topics are offered, in one tree", async () => {
  const { text } = await bench.ask("event_service", "GetEventProperties", { login: ALICE });
  for (const { topic } of SEEN_TOPICS)
    expect(text).toContain(`<${topic.split("/").at(-1)} wstop:topic="true">`);
  for (const root of ["RuleEngine", "VideoSource", "Device"])
    expect(text.split(`<tns1:${root}>`)).toHaveLength(2);
});

it("a topic filter lets through what it names, and an unknown one is refused", async () => {
  const filter = (text: string) =>
    `<m:Filter><n:TopicExpression xmlns:n="x">${text}</n:TopicExpression></m:Filter>`;
  const service = await subscribe(filter("tns1:Device//.|tns1:VideoSource/SignalLoss"));
  bench.motion.report({ channelId: bench.gate.id, active: true, source: "camera", timeUs: 0, zone: "" });
  bench.input(true);
  expect(states((await pull(service)).text)).toEqual(["Device/Trigger/DigitalInput Changed true"]);
  for (const content of [filter("boolean(//a)"), "<m:Filter><MessageContent>x</MessageContent></m:Filter>"]) {
    const refused = await bench.ask("event_service", "CreatePullPointSubscription", {
      login: ALICE,
      content,
    });
    expect(refused.fault).toBe("InvalidArgVal/InvalidFilterFault");
  }
});

it("a client waits for a message, at most as long as it asks", async () => {
  const service = await subscribe();
  const waiting = pull(service, NOW.replace("PT0S", "PT30S"));
  await bench.clock.advanceSlowly(1_000_000, 100_000);
  bench.input(true);
  expect(states((await waiting).text)).toHaveLength(1);
  let isAnswered = false;
  void pull(service, NOW.replace("PT0S", "PT30S")).then(({ text }) => {
    expect(states(text)).toEqual([]);
    isAnswered = true;
  });
  await bench.clock.advanceSlowly(40_000_000, 1_000_000, () => isAnswered);
  expect(isAnswered).toBe(true);
  expect(bench.clock.timers).toBeLessThanOrEqual(1);
});

it("what a slow client does not take is bounded: the oldest is dropped", async () => {
  const service = await subscribe();
  for (let count = 0; count < QUEUE_MAX + 50; count += 1) bench.input(count % 2 === 0);
  let notified = 0;
  for (let part = (await pull(service)).text; states(part).length > 0; part = (await pull(service)).text)
    notified += states(part).length;
  expect(notified).toBe(QUEUE_MAX);
});

it("a user has so many subscriptions, and those that nobody uses end", async () => {
  const services: string[] = [];
  for (let count = 0; count < PULL_POINTS_PER_USER_MAX; count += 1) services.push(await subscribe());
  const more = await bench.ask("event_service", "CreatePullPointSubscription", { login: ALICE });
  expect(more.fault).toBe("Action/MaxPullPoints");
  bench.clock.advance(61_000_000);
  expect((await pull(services[0] ?? "")).fault).toBe("InvalidArgVal/ResourceUnknown");
  const service = await subscribe("<m:InitialTerminationTime>PT10M</m:InitialTerminationTime>");
  bench.clock.advance(300_000_000);
  expect((await pull(service)).status).toBe(200);
});
