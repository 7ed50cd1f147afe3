import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ALARM_CURSORS_FILE } from "../../src/alarm/alarm-cursors.js";
import { COLLECT_MS } from "../../src/alarm/alarm-outbox.js";
import { type AlarmMessage, Alarms, TESTS_PER_MINUTE_MAX } from "../../src/alarm/index.js";
import { createLog } from "../../src/base/index.js";
import { EVENT_KINDS, EVENT_TYPES, seenTypeNames } from "../../src/event/index.js";
import type { AlarmTarget, Camera } from "../../src/site/index.js";
import { alarmTarget, settle } from "../support/alarm/alarm-samples.js";
import { ManualClock } from "../support/base/manual-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";
import { MemorySite } from "../support/site/memory-site.js";
import { sampleCamera } from "../support/site/site-samples.js";

const HOUR_MS = 3_600_000;

let directory: TemporaryDirectory;
let clock: ManualClock;
let events: MemoryEventLog;
let site: MemorySite;
let gate: Camera;
let messages: { target: string; message: AlarmMessage }[];
let refusing: Set<string>;
const running: Alarms[] = [];

beforeEach(() => {
  directory = new TemporaryDirectory("alarms");
  clock = new ManualClock();
  events = new MemoryEventLog(clock);
  site = new MemorySite();
  gate = sampleCamera(site.current, { name: "Gate" });
  messages = [];
  refusing = new Set();
});

afterEach(async () => {
  for (const alarms of running.splice(0)) await alarms.stop();
  directory.remove();
});

/** The alarms of a run; what is configured is what the configuration says then. */
function startAlarms(): Alarms {
  const alarms = new Alarms({
    ...{ site, events, clock, dataDir: directory.path, log: createLog({ level: "silent" }) },
    send: async (_, message) => {
      if (refusing.has(message.target)) throw new Error("refused");
      messages.push({ target: message.target, message });
    },
  });
  alarms.start();
  running.push(alarms);
  return alarms;
}

const configure = (...targets: AlarmTarget[]) =>
  site.change((current) => ({ ...current, cameras: [gate], alarmTargets: targets }));

async function pass(ms = COLLECT_MS): Promise<void> {
  clock.advance(ms);
  await settle();
}

const raise = (name: keyof typeof EVENT_TYPES, rest: object = {}) =>
  events.raise({ typeId: EVENT_TYPES[name].id, ...rest });

const sentTypes = (target: string): string[] =>
  messages
    .filter((sent) => sent.target === target)
    .flatMap(({ message }) => message.events.map(({ description }) => description));

it("a target hears of the categories, types and channels that it names", async () => {
  const { id: channelId } = gate;
  await configure(
    alarmTarget({ name: "errors" }),
    alarmTarget({ name: "all", events: "errorsAndAlarms" }),
    alarmTarget({ name: "types", events: [EVENT_TYPES.recordingStarted.id] }),
    alarmTarget({ name: "gate", channelIds: [channelId], isToldOfRecorder: false }),
    alarmTarget({ name: "recorder", channelIds: [] }),
    alarmTarget({ name: "off", isEnabled: false }),
  );
  startAlarms();
  raise("cameraLost", { channelId });
  raise("tamperingStarted", { channelId });
  raise("recordingStarted", { channelId });
  raise("volumeLost");
  raise("cameraLost", { channelId: site.current.server.id });
  await pass();
  const [lost, tampering, started, volume] = [
    EVENT_TYPES.cameraLost.name,
    EVENT_TYPES.tamperingStarted.name,
    EVENT_TYPES.recordingStarted.name,
    EVENT_TYPES.volumeLost.name,
  ];
  expect(sentTypes("errors")).toEqual([lost, volume, lost]);
  expect(sentTypes("all")).toEqual([lost, tampering, volume, lost]);
  expect(sentTypes("types")).toEqual([started]);
  expect(sentTypes("gate")).toEqual([lost]);
  expect(sentTypes("recorder")).toEqual([volume]);
  expect(sentTypes("off")).toEqual([]);
});

it.each(EVENT_KINDS)("a target hears of what cameras tell, by its beginning alone: %s", async (kind) => {
  const [began, ended] = seenTypeNames(kind);
  await configure(alarmTarget({ name: "kind", events: [EVENT_TYPES[began].id] }));
  startAlarms();
  for (const name of [began, ended]) raise(name, { channelId: gate.id });
  await pass();
  expect(sentTypes("kind")).toEqual([EVENT_TYPES[began].name]);
});

it("a target that hangs or refuses delays no other, and the others hear of it", async () => {
  await configure(alarmTarget({ name: "broken" }), alarmTarget({ name: "works" }));
  refusing.add("broken");
  startAlarms();
  raise("volumeLost");
  await pass();
  await pass();
  expect(sentTypes("works")).toEqual([EVENT_TYPES.volumeLost.name, EVENT_TYPES.alarmsFailing.name]);
  refusing.clear();
  await pass(HOUR_MS);
  // Not of its own trouble: that is over when it could hear of it.
  expect(sentTypes("broken")).toEqual([EVENT_TYPES.volumeLost.name]);
  expect(events.raised.map(({ typeId }) => typeId)).toContain(EVENT_TYPES.alarmsWork.id);
});

it("what could not be sent is reported after a restart, once, and what was sent is not reported again", async () => {
  await configure(alarmTarget());
  const first = startAlarms();
  raise("volumeLost");
  await pass();
  refusing.add("Owner");
  raise("cameraLost", { channelId: gate.id });
  await pass();
  await first.stop();
  refusing.clear();
  raise("volumeFull");
  const second = startAlarms();
  await settle();
  await pass();
  await pass();
  expect(sentTypes("Owner")).toEqual([
    EVENT_TYPES.volumeLost.name,
    EVENT_TYPES.cameraLost.name,
    EVENT_TYPES.volumeFull.name,
  ]);
  await second.stop();
});

it("a new target hears nothing of before", async () => {
  await configure(alarmTarget({ name: "old" }));
  const first = startAlarms();
  raise("volumeLost");
  await pass();
  clock.advance(1000);
  await configure(...site.current.alarmTargets, alarmTarget({ name: "new" }));
  await first.stop();
  startAlarms();
  await settle();
  await pass();
  expect(sentTypes("new")).toEqual([]);
});

it("a changed target gets by its new way what still waits", async () => {
  const target = alarmTarget();
  await configure(target);
  refusing.add("Owner");
  startAlarms();
  raise("volumeLost");
  await pass();
  await configure({ ...target, name: "Mended" });
  await pass();
  expect(sentTypes("Mended")).toEqual([EVENT_TYPES.volumeLost.name]);
});

it("a target that was deleted is told nothing more", async () => {
  await configure(alarmTarget());
  const alarms = startAlarms();
  raise("volumeLost");
  await configure();
  await pass(HOUR_MS);
  expect(messages).toEqual([]);
  expect(alarms.states()).toEqual([]);
});

it.each(["", "{", '{"formatVersion":1,"targets":[]}', '{"formatVersion":1,"targets":{"a":{"sequence":-1}}}'])(
  "a damaged memory of what was told (%j) ends nothing",
  async (text) => {
    writeFileSync(directory.join(ALARM_CURSORS_FILE), text);
    await configure(alarmTarget());
    startAlarms();
    raise("volumeLost");
    await pass();
    expect(sentTypes("Owner")).toEqual([EVENT_TYPES.volumeLost.name]);
  },
);

it("a test goes to the target that is named, though it is off, else to all that are on", async () => {
  const off = alarmTarget({ name: "off", isEnabled: false });
  await configure(off, alarmTarget({ name: "on" }), alarmTarget({ name: "broken" }));
  refusing.add("broken");
  const alarms = startAlarms();
  expect(await alarms.test(off.id)).toEqual([{ id: off.id, name: "off", problem: undefined }]);
  expect((await alarms.test(undefined)).map(({ name, problem }) => [name, problem])).toEqual([
    ["on", undefined],
    ["broken", "refused"],
  ]);
  expect(messages.map(({ target, message }) => [target, message.isTest])).toEqual([
    ["off", true],
    ["on", true],
  ]);
  await expect(alarms.test(gate.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("tests are bounded in a minute", async () => {
  await configure(alarmTarget());
  const alarms = startAlarms();
  for (let count = 0; count < TESTS_PER_MINUTE_MAX; count++) await alarms.test(undefined);
  await expect(alarms.test(undefined)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  clock.advance(60_001);
  expect(await alarms.test(undefined)).toHaveLength(1);
});

it("how the last message went is known after a restart, and forgotten with its target", async () => {
  const target = alarmTarget({ name: "Owner" });
  await configure(target);
  refusing.add("Owner");
  const first = startAlarms();
  await first.test(target.id);
  expect(first.lastResult(target.id)).toMatchObject({ isTest: true, problem: "refused" });
  await running.pop()?.stop();
  const second = startAlarms();
  expect(second.lastResult(target.id)).toMatchObject({ isTest: true, problem: "refused" });
  await configure();
  expect(second.lastResult(target.id)).toBeUndefined();
});
