import { afterEach, beforeEach, expect, it } from "vitest";
import { EVENT_TYPES, type EventTypeName } from "../../src/event/index.js";
import { RESULTS_MAX } from "../../src/onvif/recording/recorded-events.js";
import { ALICE, MemoryDevice } from "../support/onvif/memory-device.js";

const BEGIN = Date.UTC(2020, 10, 21, 9) * 1000;
const MINUTE_US = 60_000_000;
const DAY = { from: "2020-11-21T00:00:00Z", to: "2020-11-22T00:00:00Z" };
const MOTION = "tns1:VideoSource/MotionAlarm";
const INPUT = "tns1:Device/Trigger/DigitalInput";

let bench: MemoryDevice;

beforeEach(async () => {
  bench = await MemoryDevice.create();
  for (const { id } of [bench.gate, bench.hidden])
    bench.recorded.set(id, [{ fromUs: BEGIN, toUs: BEGIN + 30 * MINUTE_US }]);
});
afterEach(() => bench.close());

function happened(minute: number, name: EventTypeName, channelId = bench.gate.id, comment = "Door"): void {
  bench.events.raise({
    typeId: EVENT_TYPES[name].id,
    channelId,
    comment,
    timeUs: BEGIN + minute * MINUTE_US,
  });
}

interface Search {
  readonly from?: string;
  readonly to?: string;
  readonly topic?: string;
  readonly start?: boolean;
  readonly rest?: string;
}

async function find({ from = DAY.from, to = DAY.to, topic, start = false, rest = "" }: Search) {
  const filter = topic === undefined ? "" : `<n:TopicExpression xmlns:n="x">${topic}</n:TopicExpression>`;
  return await bench.ask("search_service", "FindEvents", {
    login: ALICE,
    content:
      `<m:StartPoint>${from}</m:StartPoint><m:EndPoint>${to}</m:EndPoint><m:Scope/><m:SearchFilter>${filter}</m:SearchFilter>` +
      `<m:IncludeStartState>${start}</m:IncludeStartState>${rest}<m:KeepAliveTime>PT20S</m:KeepAliveTime>`,
  });
}

/** The results as time, last part of the topic and value; `*` for how it was at the start. */
async function results(search: Search): Promise<readonly string[]> {
  const { text } = await find(search);
  const token = /SearchToken>([^<]+)</.exec(text)?.[1] ?? text;
  const found: string[] = [];
  for (let state = ""; state !== "Completed"; ) {
    const content = `<m:SearchToken>${token}</m:SearchToken>`;
    const part = (await bench.ask("search_service", "GetEventSearchResults", { login: ALICE, content })).text;
    expect(part).not.toContain(bench.hidden.id);
    state = /SearchState>(\w+)</.exec(part)?.[1] ?? "Completed";
    found.push(
      ...[
        ...part.matchAll(
          /<tt:Time>2020-11-21T(\d\d:\d\d).*?tns1:[\w/]*?(\w+\/State|\w+)<\/wsnt:Topic>.*?Value="(true|false)".*?StartStateEvent>(\w+)</g,
        ),
      ].map(
        ([, time, topic, value, isStart]) => `${time} ${topic} ${value}${isStart === "true" ? " *" : ""}`,
      ),
    );
  }
  return found;
}

it("tells motion, lost connections and inputs with where the recording begins and ends, by time", async () => {
  happened(5, "motionStarted");
  happened(6, "motionEnded");
  happened(2, "inputActivated");
  happened(7, "cameraLost");
  expect(await results({})).toEqual([
    "09:00 Recording/State true",
    "09:00 Track/State true",
    "09:02 DigitalInput true",
    "09:05 MotionAlarm true",
    "09:06 MotionAlarm false",
    "09:07 SignalLoss true",
    "09:30 Recording/State false",
    "09:30 Track/State false",
  ]);
});

it("goes backwards where the end is before the start", async () => {
  happened(5, "motionStarted");
  happened(6, "motionEnded");
  const [from, to] = ["2020-11-21T09:05:30Z", "2020-11-21T08:00:00Z"];
  expect(await results({ from, to })).toEqual([
    "09:05 MotionAlarm true",
    "09:00 Recording/State true",
    "09:00 Track/State true",
  ]);
});

it("tells how everything was at the start, by the last events before it", async () => {
  happened(1, "motionStarted");
  happened(1, "inputActivated");
  happened(2, "inputDeactivated");
  happened(3, "inputActivated", bench.gate.id, "Window");
  happened(20, "motionEnded");
  expect(await results({ from: "2020-11-21T09:10:00Z", to: "2020-11-21T09:15:00Z", start: true })).toEqual([
    "09:10 Recording/State true *",
    "09:10 Track/State true *",
    "09:10 MotionAlarm true *",
    "09:10 SignalLoss false *",
    "09:10 DigitalInput false *",
    "09:10 DigitalInput true *",
  ]);
});

it("tells what the filter names alone, and refuses filters that it does not know", async () => {
  happened(5, "motionStarted");
  happened(6, "inputActivated");
  expect(await results({ topic: MOTION })).toEqual(["09:05 MotionAlarm true"]);
  expect(await results({ topic: `${MOTION}|${INPUT}`, start: true, from: "2020-11-21T09:05:30Z" })).toEqual([
    "09:05 MotionAlarm true *",
    "09:06 DigitalInput true",
  ]);
  expect((await find({ topic: "boolean(//a)" })).fault).toBe("InvalidArgVal/InvalidFilterFault");
});

it("a hidden camera's events do not exist, nor those before the recording, nor those that the user may not read", async () => {
  happened(5, "motionStarted", bench.hidden.id);
  happened(-5, "motionStarted");
  happened(6, "motionStarted");
  happened(7, "motionEnded");
  bench.isShown = ({ typeId }) => typeId !== EVENT_TYPES.motionEnded.id;
  expect(await results({ topic: MOTION })).toEqual(["09:06 MotionAlarm true"]);
});

it("finds as many as MaxMatches says, and never more than the bound", async () => {
  for (let count = 0; count < RESULTS_MAX + 10; count += 1) happened(1 + count / 100, "motionStarted");
  expect(await results({ topic: MOTION, rest: "<m:MaxMatches>3</m:MaxMatches>" })).toHaveLength(3);
  expect(await results({ topic: MOTION })).toHaveLength(RESULTS_MAX);
});

it("a log that cannot be read is a fault, and no search is left behind", async () => {
  bench.events.fault = new Error("closed");
  for (let count = 0; count < 20; count += 1) expect((await find({ topic: MOTION })).fault).toBe("Action");
  expect((await find({ topic: "tns1:RecordingHistory//." })).status).toBe(200);
});
