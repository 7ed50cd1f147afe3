import { expect, it } from "vitest";
import { SEEN_KINDS, SystemClock } from "../../../src/base/index.js";
import { type CameraEventMessage, messagesOf } from "../../../src/camera/event/camera-event-message.js";
import { signalsOf } from "../../../src/camera/event/camera-event-signal.js";
import { CAMERA_STATES_MAX, CameraEventStates } from "../../../src/camera/event/camera-event-states.js";
import { readXml } from "../../../src/camera/xml/xml-reader.js";

type Operation = CameraEventMessage["operation"];

const MOTION = "VideoAnalytics/MotionDetection";
const SHAPE = "UserAlarm/IVA/HumanShapeDetect";

/** The states of a device, and what was reported of them; the time is in seconds. */
function device() {
  const reported: string[] = [];
  const known: string[] = [];
  let tooMany = 0;
  const states = new CameraEventStates({
    report: ({ kind, name, active, lastsMs }) => {
      const lasts = lastsMs === undefined ? "" : ` for ${lastsMs / 1000} s`;
      reported.push(`${kind} ${name} ${active === undefined ? "now" : active ? "on" : "off"}${lasts}`);
    },
    know: ({ kind }) => known.push(kind),
    onTooMany: () => {
      tooMany += 1;
    },
  });
  const time = (atS: number) => ({ timeUs: atS * 1e6, monotonicUs: atS * 1e6 });
  const say = (
    topic: string,
    data: Record<string, string>,
    {
      operation = "Changed",
      atS = 0,
      source = {},
    }: { operation?: Operation | "none"; atS?: number; source?: object } = {},
  ): void => {
    const property = operation === "none" ? undefined : operation;
    const message = { topic, source: new Map(Object.entries(source)), data: new Map(Object.entries(data)) };
    const batch = signalsOf({ ...message, operation: property, deviceMs: undefined });
    if (batch !== undefined) states.take(batch, property, time(atS));
  };
  return { states, say, reported, known, time, tooMany: () => tooMany };
}

it.each(["true", "True", "1", "on", "ON", "active", "yes"])("motion that begins with %s ends", (word) => {
  const { say, reported } = device();
  const end = { true: "false", True: "False", "1": "0", on: "off", ON: "OFF", active: "inactive", yes: "no" }[
    word
  ];
  say(MOTION, { AnyName: word });
  say(MOTION, { AnyName: end ?? "" });
  expect(reported).toEqual(["motion MotionDetection on", "motion MotionDetection off"]);
});

it("several items of a message are several states, and each ends by itself", () => {
  const { say, reported } = device();
  const topic = "RuleEngine/TPSmartEventDetector/TPSmartEvent";
  say(topic, { IsPeople: "true", IsVehicle: "true", IsPet: "false" });
  say(topic, { IsPeople: "false", IsVehicle: "true", IsPet: "false" });
  expect(reported).toEqual([
    "person TPSmartEventDetector on",
    "vehicle TPSmartEventDetector on",
    "person TPSmartEventDetector off",
  ]);
});

it("two items that say the same of one thing are one", () => {
  const { say, reported } = device();
  say("AudioSource/AudioDetection", { Audio: "1", State: "1" });
  say("AudioSource/AudioDetection", { Audio: "0", State: "1" });
  say("AudioSource/AudioDetection", { Audio: "0", State: "0" });
  expect(reported).toEqual(["sound AudioDetection on", "sound AudioDetection off"]);
});

it("the same rule at two sources is two states", () => {
  const { say, reported } = device();
  for (const state of ["true", "false"])
    for (const Rule of ["A", "B"])
      say("RuleEngine/LoiteringDetector/Alarm", { State: state }, { source: { Rule } });
  expect(reported).toEqual(["loitering A on", "loitering B on", "loitering A off", "loitering B off"]);
});

it("a list says what is there: what it no longer names has ended", () => {
  const { say, reported } = device();
  const topic = "RuleEngine/ObjectDetection/Object";
  say(topic, { ClassTypes: "Human Vehicle" });
  say(topic, { ClassTypes: "Vehicle" });
  say(topic, { ClassTypes: "" });
  expect(reported.map((words) => words.replace(" ObjectDetection", ""))).toEqual([
    "person on",
    "vehicle on",
    "person off",
    "vehicle off",
  ]);
});

it("what a list named ends with the state beside it, though the list is not sent again", () => {
  const { say, reported } = device();
  const topic = "CameraApplicationPlatform/ObjectAnalytics/Device1Scenario1";
  say(topic, { active: "1", classTypes: "human" });
  say(topic, { active: "0" });
  expect(reported).toEqual(["person ObjectAnalytics on", "person ObjectAnalytics off"]);
});

it("a state that is deleted ends, whatever the message says besides", () => {
  const { say, reported } = device();
  say(SHAPE, { State: "true" });
  say(SHAPE, { State: "true" }, { operation: "Deleted" });
  expect(reported).toEqual(["person IVA on", "person IVA off"]);
});

it("a state is deleted by a message without data, too", () => {
  const { say, reported } = device();
  say(SHAPE, { State: "true" });
  say(SHAPE, {}, { operation: "Deleted" });
  expect(reported).toEqual(["person IVA on", "person IVA off"]);
});

it("a camera that says true again and again, and never false, reports a moment each time", () => {
  const { say, reported } = device();
  for (const atS of [0, 15, 100]) say(SHAPE, { State: "true" }, { atS });
  expect(reported).toEqual([
    "person IVA on",
    "person IVA off",
    "person IVA now for 20 s",
    "person IVA now for 5 s",
  ]);
});

it("a state that is repeated within seconds is reported once", () => {
  const { say, reported } = device();
  for (const atS of [0, 1, 2]) say(SHAPE, { State: "true" }, { atS });
  say(SHAPE, { State: "false" }, { atS: 3 });
  expect(reported).toEqual(["person IVA on", "person IVA off"]);
});

it("a state that was said to end is a state from then on, however often it is repeated", () => {
  const { say, reported } = device();
  say(SHAPE, { State: "false" }, { operation: "Initialized" });
  for (const atS of [10, 30, 50]) say(SHAPE, { State: "true" }, { atS });
  say(SHAPE, { State: "false" }, { atS: 70 });
  expect(reported).toEqual(["person IVA on", "person IVA off"]);
});

it("a line that is crossed is a moment where the camera does not call it a property", () => {
  const { say, reported } = device();
  for (const atS of [0, 1])
    say("RuleEngine/LineDetector/Crossed", { State: "true" }, { operation: "none", atS });
  expect(reported).toEqual(["lineCrossed LineDetector now for 5 s", "lineCrossed LineDetector now for 6 s"]);
});

it("what nobody ends is not believed for ever", () => {
  const { states, say, reported, time } = device();
  say(MOTION, { Motion: "1" }, { operation: "none" });
  say(SHAPE, { State: "true" });
  states.expire(time(61));
  expect(reported.slice(2)).toEqual(["motion MotionDetection off"]);
  states.expire(time(601));
  expect(reported.slice(3)).toEqual(["person IVA off"]);
});

it("what a camera calls initial long after the subscription began is news", () => {
  const { states, say, reported } = device();
  const topic = "RuleEngine/LineCrossDetector/LineCross";
  const initial = (atS: number) => ({ operation: "Initialized", atS }) as const;
  states.begin();
  say(topic, { IsLineCross: "true" }, initial(0));
  states.settle(5e6);
  for (const atS of [20, 40]) say(topic, { IsLineCross: "true" }, initial(atS));
  say("VideoSource/Alarm", { State: "Ring" }, initial(60));
  expect(reported).toEqual([
    "lineCrossed LineCrossDetector on",
    "lineCrossed LineCrossDetector off",
    "lineCrossed LineCrossDetector now for 25 s",
    "lineCrossed LineCrossDetector now for 25 s",
    "doorbell Alarm now",
  ]);
});

it("an object whose end was lost is not believed for ever, and leaves room for others", () => {
  const { states, say, reported, time, tooMany } = device();
  const inside = (id: number, isInside: boolean, atS: number): void =>
    say(
      "RuleEngine/FieldDetector/ObjectsInside",
      { IsInside: String(isInside) },
      {
        source: { Rule: "Yard", ObjectId: String(id) },
        atS,
      },
    );
  inside(1, true, 0);
  inside(1, false, 10);
  for (let id = 2; id < CAMERA_STATES_MAX; id += 1) inside(id, true, 20);
  inside(5000, true, 300);
  states.expire(time(700));
  expect(reported).toEqual(["zoneEntered Yard on", "zoneEntered Yard off", "zoneEntered Yard on"]);
  states.expire(time(1000));
  expect(reported.slice(3)).toEqual(["zoneEntered Yard off"]);
  inside(5001, true, 1001);
  expect([reported.slice(4), tooMany()]).toEqual([["zoneEntered Yard on"], 0]);
});

it("what was said to end before lasts as long as it lasts", () => {
  const { states, say, reported, time } = device();
  say(MOTION, { Motion: "0" });
  say(MOTION, { Motion: "1" });
  states.expire(time(3600));
  expect(reported).toEqual(["motion MotionDetection on"]);
});

it("after a lost connection a state goes on, has ended, or ends because it is not told any more", () => {
  const { states, say, reported } = device();
  const rule = (Rule: string) => ({ source: { Rule } });
  const topic = "RuleEngine/FieldDetector/ObjectsInside";
  for (const name of ["A", "B", "C"]) say(topic, { IsInside: "true" }, rule(name));
  reported.length = 0;
  states.begin();
  say(topic, { IsInside: "true" }, { ...rule("A"), operation: "Initialized" });
  say(topic, { IsInside: "false" }, { ...rule("B"), operation: "Initialized" });
  states.settle(0);
  expect(reported).toEqual(["zoneEntered B off", "zoneEntered C off"]);
});

it("a state that a camera has is known before it is active", () => {
  const { say, reported, known } = device();
  say(SHAPE, { State: "false" }, { operation: "Initialized" });
  expect([reported, known]).toEqual([[], ["person"]]);
});

it("thousands of states leave room for one that becomes active", () => {
  const { say, reported, tooMany } = device();
  for (let index = 0; index < CAMERA_STATES_MAX * 4; index += 1)
    say(`UserAlarm/Thing${index}`, { State: "false" });
  say(MOTION, { Motion: "1" });
  expect([reported, tooMany()]).toEqual([["motion MotionDetection on"], 0]);
});

it("more active states than are followed are counted and not told", () => {
  const { say, reported, tooMany } = device();
  for (let index = 0; index < CAMERA_STATES_MAX + 7; index += 1)
    say(`UserAlarm/Thing${index}`, { State: "true" });
  expect([reported.length, tooMany()]).toEqual([CAMERA_STATES_MAX, 7]);
});

it("messages that are not known are distinguished by the camera's own words", () => {
  const { say, reported } = device();
  say("UserAlarm/Foo", { State: "true" });
  say("UserAlarm/Bar", { State: "true" });
  say("RuleEngine/FooDetector/Foo", { State: "true" }, { source: { Rule: "One" } });
  say("RuleEngine/BarDetector/Bar", { State: "true" }, { source: { Rule: "One" } });
  expect(reported).toEqual([
    "other UserAlarm/Foo on",
    "other UserAlarm/Bar on",
    "rule One (FooDetector) on",
    "rule One (BarDetector) on",
  ]);
});

it.each([
  ["{", "a JSON that is none"],
  [`{"a":${"[".repeat(2000)}`, "a JSON without an end"],
  [`${'{"a":'.repeat(400)}true${"}".repeat(400)}`, "a deep JSON"],
  [`[${"true,".repeat(800)}true]`, "a long JSON"],
  [`${"a=      ;".repeat(400)}=!`, "pairs that match in many ways"],
  ["=".repeat(4000), "a long text"],
  ["A".repeat(4000), "a long word"],
])("a value that is meant to hurt is a text: %#", (value, what) => {
  const { say, reported } = device();
  say("UserAlarm/Foo", { Data: value, State: "true" });
  expect([
    what,
    reported.filter((words) => words.includes("State") || words.startsWith("other UserAlarm/Foo on")),
  ]).toEqual([what, ["other UserAlarm/Foo on"]]);
});

it("pairs within one value are items", () => {
  const { say, reported } = device();
  say("RuleEngine/SmartMotion/Data", { Data: "HumanDetect=1; VehicleDetect=0" });
  expect(reported).toEqual(["person SmartMotion on"]);
});

it("each kind has a row that says what cameras call it", async () => {
  const { SEEN_TABLE } = await import("../../../src/camera/event/seen-table.js");
  const named = new Set(SEEN_TABLE.map(({ kind }) => kind));
  expect(SEEN_KINDS.filter((kind) => kind !== "other" && !named.has(kind))).toEqual([]);
});

it("what happens in an area goes on until something else happens there", () => {
  const { say, reported } = device();
  const topic = "OpenApp/WiseAI/IvaArea";
  const source = { RuleName: "Bay" };
  say(topic, { State: "true", Action: "Intrusion" }, { source });
  say(topic, { State: "true", Action: "Exit" }, { source });
  say(topic, { State: "true", Action: "Intrusion" }, { source });
  say(topic, { State: "false", Action: "Exit" }, { source });
  expect(reported).toEqual([
    "zoneEntered Bay on",
    "zoneLeft Bay now",
    "zoneEntered Bay off",
    "zoneEntered Bay on",
    "zoneLeft Bay now",
    "zoneEntered Bay off",
  ]);
});

it("a number beside a state keeps nothing going", () => {
  const { say, reported } = device();
  say("VideoSource/MotionAlarm", { Channel: "1", Priority: "1", State: "1" });
  say("VideoSource/MotionAlarm", { Channel: "1", Priority: "1", State: "0" });
  expect(reported).toEqual(["motion MotionAlarm on", "motion MotionAlarm off"]);
});

it("an action starts and stops what it is about", () => {
  const { say, reported } = device();
  const topic = "VideoSource/VideoBlind";
  for (const [Action, atS] of [
    ["Start", 0],
    ["Stop", 30],
    ["Start", 60],
    ["Stop", 90],
  ] as const)
    say(topic, { Action }, { atS });
  expect(reported).toEqual([
    "covered VideoBlind on",
    "covered VideoBlind off",
    "covered VideoBlind on",
    "covered VideoBlind off",
  ]);
});

it("a pulse beside starts and stops is a moment", () => {
  const { say, reported } = device();
  say("RuleEngine/CrossLineDetection", { Action: "Pulse" }, { operation: "none" });
  expect(reported).toEqual(["lineCrossed CrossLineDetection now"]);
});

it("what is listed beside a state of something else is there until the list comes without it", () => {
  const { say, reported } = device();
  const topic = "RuleEngine/ObjectDetector/ObjectDetection";
  say(topic, { ObjectType: "person", IsMotion: "false" });
  say(topic, { ObjectType: "", IsMotion: "false" });
  expect(reported).toEqual(["person ObjectDetector on", "person ObjectDetector off"]);
});

it("after a new connection each of several things of one message begins and ends by what is said then", () => {
  const { states, say, reported } = device();
  const topic = "RuleEngine/TPSmartEventDetector/TPSmartEvent";
  states.begin();
  say(topic, { IsPeople: "true", IsVehicle: "true", IsPet: "false" }, { operation: "Initialized" });
  say("RuleEngine/ObjectDetection/Object", { ClassTypes: "Human Animal" }, { operation: "Initialized" });
  states.settle(5e6);
  reported.length = 0;
  // The link is lost, the vehicle leaves, a dog comes, and the list of classes is shorter.
  states.begin();
  say(topic, { IsPeople: "true", IsVehicle: "false", IsPet: "true" }, { operation: "Initialized", atS: 60 });
  say("RuleEngine/ObjectDetection/Object", { ClassTypes: "Human" }, { operation: "Initialized", atS: 60 });
  states.settle(65e6);
  expect(reported).toEqual([
    "vehicle TPSmartEventDetector off",
    "animal TPSmartEventDetector on",
    "animal ObjectDetection off",
  ]);
});

it("of several rules one that is deleted ends, and those that are not told of again after a new connection", () => {
  const { states, say, reported } = device();
  const people = (Rule: string, State: string, operation: Operation = "Changed") =>
    say("RuleEngine/MyRuleDetector/PeopleDetect", { State }, { source: { Rule }, operation });
  for (const rule of ["A", "B", "C"]) people(rule, "1");
  people("B", "1", "Deleted");
  states.begin();
  people("C", "1", "Initialized");
  states.settle(5e6);
  expect(reported.slice(3)).toEqual(["person B off", "person A off"]);
});

it("what was started by an action ends where the camera says nothing of it after a new connection", () => {
  const { states, say, reported } = device();
  say("VideoSource/VideoBlind", { Action: "Start" });
  states.begin();
  states.settle(5e6);
  expect(reported).toEqual(["covered VideoBlind on", "covered VideoBlind off"]);
});

it("one denial among repetitions of a state does not end it", () => {
  const { states, say, reported, time } = device();
  for (let atS = 0; atS <= 20; atS += 1) {
    say(MOTION, { State: atS === 10 ? "false" : "true" }, { atS });
    states.expire(time(atS));
  }
  expect(reported).toEqual(["motion MotionDetection on"]);
});

it("a state that is repeated ends when it is denied twice, or denied and not said again, at the first denial", () => {
  const { states, say, reported, time } = device();
  for (let atS = 0; atS <= 5; atS += 1) say(MOTION, { State: "true" }, { atS });
  say(MOTION, { State: "false" }, { atS: 6 });
  say(MOTION, { State: "false" }, { atS: 7 });
  for (let atS = 10; atS <= 15; atS += 1) say(MOTION, { State: "true" }, { atS });
  say(MOTION, { State: "false" }, { atS: 16 });
  expect(states.doubtEndsUs).toBe(20e6);
  states.expire(time(20));
  const once = ["motion MotionDetection on", "motion MotionDetection off"];
  expect(reported).toEqual([...once, ...once]);
  expect(states.doubtEndsUs).toBeUndefined();
});

it("a state that was repeated and denied before, and is not repeated any more, is believed ten minutes", () => {
  const { states, say, reported, time } = device();
  say(MOTION, { State: "false" });
  for (let atS = 1; atS <= 5; atS += 1) say(MOTION, { State: "true" }, { atS });
  states.expire(time(600));
  expect(reported).toEqual(["motion MotionDetection on"]);
  states.expire(time(606));
  expect(reported).toEqual(["motion MotionDetection on", "motion MotionDetection off"]);
});

it.each(["", "<Message/>", "<Message></Message>"])(
  "a topic whose message is missing or empty has ended: %s",
  async (message) => {
    const { states, say, reported, time } = device();
    say(MOTION, { State: "true" }, { source: { VideoSource: "1" } });
    say(SHAPE, { State: "true" }, { source: { VideoSource: "1" } });
    const notification = `<NotificationMessage><Topic>tns1:${MOTION}</Topic>${message}</NotificationMessage>`;
    const body = Buffer.from(`<a><b>${notification}</b></a>`);
    const signal = new AbortController().signal;
    const document = await readXml(body, {
      peer: "camera",
      charset: undefined,
      clock: new SystemClock(),
      signal,
    });
    for (const one of messagesOf(document.at("a", "b") ?? document)) {
      const batch = signalsOf(one);
      if (batch !== undefined) states.take(batch, one.operation, time(1));
    }
    expect(reported).toEqual(["motion MotionDetection on", "person IVA on", "motion MotionDetection off"]);
  },
);
