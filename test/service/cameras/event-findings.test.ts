import { beforeEach, expect, it } from "vitest";
import { EVENT_TYPES, type EventTypeName } from "../../../src/event/catalogue.js";
import { type Finding, LastingFindings } from "../../../src/finding/index.js";
import { EventFindings } from "../../../src/service/report/event-findings.js";
import { GATE_ID, MemorySiteStore } from "../../support/api/api-fakes.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";

let clock: ManualClock;
let events: MemoryEventLog;
let over: Finding[];

beforeEach(() => {
  clock = new ManualClock();
  events = new MemoryEventLog(clock);
  const findings = new LastingFindings(clock);
  over = [];
  findings.onChange((finding, change) => {
    if (change === "ended") over.push(finding);
  });
  new EventFindings({ events, findings, site: new MemorySiteStore() }).start();
});

function post(name: EventTypeName, fields: Record<string, string>): void {
  events.raise({
    ...{ typeId: EVENT_TYPES[name].id, channelId: GATE_ID, channelName: "Gate", fields },
    initiator: { type: 8, id: GATE_ID, name: "ExternalEvent" },
  });
}

it("what another program posts is a finding, with its box, score and words", () => {
  post("vehicleDetected", {
    ...{ Label: "Truck", Confidence: "87,5", Left: "0,1", Top: "0,2", Width: "0,3", Height: "0,4" },
  });
  expect(over).toMatchObject([
    { kind: "vehicle", label: "truck", source: "program", score: 0.875, best: { box: { left: 0.1 } } },
  ]);
});

it("plates and faces are found by their numbers and names, and dogs are animals", () => {
  post("plateRecognized", { Numberplate: "B-AB 123" });
  post("faceRecognized", { lastName: "Ada" });
  post("objectDetected", { Label: "dog" });
  post("objectDetected", { Label: "umbrella" });
  expect(over.map(({ kind, text, label }) => [kind, text, label])).toEqual([
    ["plate", "B-AB 123", ""],
    ["face", "Ada", ""],
    ["animal", "", "dog"],
    ["other", "", "umbrella"],
  ]);
});

it("what is posted of an earlier moment was seen then", () => {
  const timeUs = clock.nowUs() - 60_000_000;
  events.raise({
    ...{ typeId: EVENT_TYPES.plateRecognized.id, channelId: GATE_ID, channelName: "Gate", timeUs },
    ...{ fields: { Numberplate: "B-AB 123" }, initiator: { type: 8, id: GATE_ID, name: "ExternalEvent" } },
  });
  expect(over.map(({ beginUs }) => beginUs)).toEqual([timeUs]);
});

it("what the recorder itself reports of a camera is none", () => {
  events.raise({ typeId: EVENT_TYPES.personDetected.id, channelId: GATE_ID, channelName: "Gate" });
  expect(over).toEqual([]);
});
