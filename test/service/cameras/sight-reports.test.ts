import { beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventRecord, seenTypes } from "../../../src/event/index.js";
import { type Finding, LastingFindings } from "../../../src/finding/index.js";
import { MotionStates } from "../../../src/recording/motion/motion-states.js";
import { SeenStates } from "../../../src/recording/seen-states.js";
import { ZoneStates } from "../../../src/recording/zone-states.js";
import { SightReports } from "../../../src/service/report/sight-reports.js";
import type { SightThing } from "../../../src/sight/index.js";
import { GATE_ID, MemorySiteStore } from "../../support/api/api-fakes.js";
import { ManualClock } from "../../support/base/manual-clock.js";

interface Raised {
  readonly typeId: string;
  readonly comment?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

let clock: ManualClock;
let findings: LastingFindings;
let over: Finding[];
let raised: Raised[];
let seen: SeenStates;
let zones: ZoneStates;
let reports: SightReports;

beforeEach(() => {
  clock = new ManualClock();
  findings = new LastingFindings(clock);
  over = [];
  raised = [];
  findings.onChange((finding, change) => {
    if (change === "ended") over.push(finding);
  });
  seen = new SeenStates(clock);
  zones = new ZoneStates();
  reports = new SightReports({
    ...{ findings, seen, zones, clock, seenMotion: new MotionStates(clock), site: new MemorySiteStore() },
    events: {
      raise: (event) => {
        raised.push(event as Raised);
        return event as EventRecord;
      },
    },
  });
});

function thing(part: Partial<SightThing> = {}): SightThing {
  const box = { left: 0.1, top: 0.2, width: 0.1, height: 0.3 };
  return {
    ...{
      number: 1,
      channelId: GATE_ID,
      kind: "person",
      label: "person",
      score: 0.83,
      quality: 0.1,
      zones: [],
    },
    ...{
      ...{ box, found: box },
      firstUs: clock.nowUs(),
      seenUs: clock.nowUs(),
    },
    ...part,
  };
}

const names = (): (string | undefined)[] =>
  raised.map(({ typeId }) => Object.values(EVENT_TYPES).find(({ id }) => id === typeId)?.name);

it("one who crosses is one finding, and an event at its begin and its end", () => {
  reports.onBegan(thing());
  for (let look = 1; look <= 10; look++) {
    clock.advance(500);
    reports.onSeen(
      thing({ box: { left: 0.1 + look * 0.05, top: 0.2, width: 0.1, height: 0.3 }, score: 0.9 }),
    );
  }
  reports.onEnded(thing());
  expect(over).toMatchObject([
    { kind: "person", label: "", source: "recorder", score: 0.9, isLasting: false },
  ]);
  expect(over[0]?.path.length).toBeGreaterThan(5);
  expect(names()).toEqual([EVENT_TYPES.personDetected.name, EVENT_TYPES.personGone.name]);
});

it("a car is a vehicle, with its kind, its place and how sure it is", () => {
  reports.onBegan(thing({ kind: "vehicle", label: "car" }));
  expect(raised[0]).toMatchObject({
    typeId: EVENT_TYPES.vehicleDetected.id,
    comment: "car, 83 %",
    fields: { VehicleClass: "car", Label: "car", Confidence: "83", Left: "0,1", Height: "0,3" },
  });
  expect(findings.lasting()).toMatchObject([{ kind: "vehicle", label: "car" }]);
});

it("somebody is there until the last one has gone", () => {
  const states: boolean[] = [];
  seen.onChange((_, kind, active) => {
    if (kind === "person") states.push(active);
  });
  reports.onBegan(thing());
  reports.onBegan(thing({ number: 2 }));
  reports.onEnded(thing());
  expect(states).toEqual([true]);
  reports.onEnded(thing({ number: 2 }));
  expect(states).toEqual([true, false]);
});

it("a line that is crossed is an event, and stands in the finding", () => {
  reports.onBegan(thing());
  reports.onAct(thing(), { kind: "lineCrossed", name: "Gate", direction: "leftToRight" });
  expect(findings.lasting()).toMatchObject([{ line: "Gate", direction: "leftToRight" }]);
  expect(raised.at(-1)).toMatchObject({
    typeId: EVENT_TYPES.lineCrossed.id,
    comment: "Gate (from left to right), person, 83 %",
    fields: { Line: "Gate", Direction: "leftToRight", Label: "person" },
  });
});

it.each(["zoneEntered", "zoneLeft", "loitering"] as const)("%s is an event with the zone's name", (kind) => {
  reports.onBegan(thing({ zones: ["Yard"] }));
  reports.onAct(thing(), { kind, name: "Yard" });
  expect(raised.at(-1)).toMatchObject({
    typeId: seenTypes(kind)[0],
    comment: "Yard, person, 83 %",
    fields: { Zone: "Yard", Label: "person" },
  });
});

it("kinds that are looked for are known before anything is seen", () => {
  reports.know(GATE_ID, ["person", "vehicle"], { names: ["Yard"], kinds: ["person"] });
  expect(zones.of(GATE_ID)).toEqual([{ zone: "Yard", kind: "person", active: false }]);
  expect([...seen.of(GATE_ID)]).toEqual([
    ["person", false],
    ["vehicle", false],
  ]);
});

describe("somebody in a zone", () => {
  const inYard = (): boolean | undefined => zones.of(GATE_ID).find(({ zone }) => zone === "Yard")?.active;

  beforeEach(() => {
    reports.know(GATE_ID, ["person"], { names: ["Yard", "Gate"], kinds: ["person"] });
  });

  it("is there from the look that shows it there until it leaves", () => {
    reports.onBegan(thing());
    expect(inYard()).toBe(false);
    reports.onSeen(thing({ zones: ["Yard"] }));
    expect(inYard()).toBe(true);
    reports.onSeen(thing({ zones: ["Gate"] }));
    expect(inYard()).toBe(false);
  });

  it("is there until the last one has gone", () => {
    reports.onBegan(thing({ zones: ["Yard"] }));
    reports.onBegan(thing({ number: 2, zones: ["Yard"] }));
    reports.onEnded(thing({ zones: ["Yard"] }));
    expect(inYard()).toBe(true);
    reports.onEnded(thing({ number: 2, zones: ["Yard"] }));
    expect(inYard()).toBe(false);
  });

  it("is nobody of whom is known any more once zones are drawn anew", () => {
    reports.onBegan(thing({ zones: ["Yard"] }));
    reports.know(GATE_ID, ["person"], { names: ["Gate"], kinds: ["person"] });
    reports.onEnded(thing({ zones: ["Yard"] }));
    expect(zones.of(GATE_ID)).toEqual([{ zone: "Gate", kind: "person", active: false }]);
  });
});
