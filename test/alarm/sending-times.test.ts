import { describe, expect, it } from "vitest";
import {
  eventAgeUsMax,
  heldBackForMs,
  isOutsideHours,
  LOOK_AGAIN_MS,
  type SendingTimes,
} from "../../src/alarm/sending-times.js";
import { localClock } from "../../src/recording/index.js";
import type { LocalClock } from "../../src/site/index.js";
import { alarmEvent } from "../support/alarm/alarm-samples.js";

const MINUTE_US = 60_000_000;
const night = { quietHours: { fromMinute: 22 * 60, toMinute: 6 * 60, areErrorsTold: true } };
const noon = { quietHours: { fromMinute: 12 * 60, toMinute: 13 * 60, areErrorsTold: true } };
const OFFICE = [{ fromMinute: 8 * 60, toMinute: 18 * 60 }];
const weekOf = (part: Partial<NonNullable<SendingTimes["sendingHours"]>> = {}): SendingTimes => ({
  sendingHours: {
    week: { Monday: OFFICE, Friday: [...OFFICE, { fromMinute: 20 * 60, toMinute: 24 * 60 }] },
    ...{ areOthersKept: true, areErrorsTold: true },
    ...part,
  },
});

/** How many minutes pass until nothing is held back any more, where somebody looks again as often as it is said. */
function minutesHeld(times: SendingTimes, from: string, zone: string): number {
  const local = localClock(zone);
  const beginUs = Date.parse(from) * 1000;
  let nowUs = beginUs;
  for (;;) {
    const heldMs = heldBackForMs(times, [], { nowUs, local });
    expect(heldMs).toBeLessThanOrEqual(LOOK_AGAIN_MS);
    if (heldMs === 0) return (nowUs - beginUs) / MINUTE_US;
    nowUs += heldMs * 1000;
  }
}

describe("quiet hours", () => {
  it.each([
    ["before they begin", night, "21:59", 0],
    ["when they begin", night, "22:00", 8 * 60],
    ["after midnight", night, "02:30", 3 * 60 + 30],
    ["when they end", night, "06:00", 0],
    ["within a day", noon, "12:45", 15],
    ["outside them", noon, "23:00", 0],
  ] as const)("%s hold back for so long", (_, times, time, minutes) => {
    expect(minutesHeld(times, `2026-06-01T${time}Z`, "UTC")).toBe(minutes);
  });

  it("end on the minute, not a minute after what happens last", () => {
    const nowUs = Date.parse("2026-06-01T05:59:45Z") * 1000;
    expect(heldBackForMs(night, [], { nowUs, local: localClock("UTC") })).toBe(15_000);
  });

  it.each([
    ["spring", "2026-03-28T21:00Z", 7 * 60],
    ["autumn", "2026-10-24T20:00Z", 9 * 60],
  ])("of a night in %s in which clocks are changed end at the wall clock's time", (_, from, minutes) => {
    expect(minutesHeld(night, from, "Europe/Berlin")).toBe(minutes);
  });
});

describe("a painted week", () => {
  // 1 June 2026 is a Monday.
  it.each([
    ["within its hours", "2026-06-01T08:00Z", 0],
    ["before them", "2026-06-01T07:10Z", 50],
    ["after them, until Friday", "2026-06-01T18:00Z", 3 * 1440 + 14 * 60],
    ["between two of one day", "2026-06-05T19:00Z", 60],
    ["when a day is over, until Monday", "2026-06-06T00:00Z", 2 * 1440 + 8 * 60],
  ])("holds back %s", (_, from, minutes) => {
    expect(minutesHeld(weekOf(), from, "UTC")).toBe(minutes);
  });

  it.each([
    ["Europe/Berlin", "2026-03-28T23:00Z", 9 * 60 - 60],
    ["Europe/Berlin", "2026-10-24T22:00Z", 9 * 60 + 60],
    ["America/New_York", "2026-03-08T05:00Z", 9 * 60 - 60],
    ["Australia/Lord_Howe", "2026-10-03T13:30Z", 9 * 60 - 30],
  ])("begins at the wall clock's time where clocks are changed before: %s", (zone, from, minutes) => {
    const week = { Sunday: [{ fromMinute: 9 * 60, toMinute: 10 * 60 }] };
    expect(minutesHeld(weekOf({ week }), from, zone)).toBe(minutes);
  });

  it("begins with the hour that follows one that the clocks leave out", () => {
    const week = { Sunday: [{ fromMinute: 150, toMinute: 240 }] };
    expect(minutesHeld(weekOf({ week }), "2026-03-29T00:00Z", "Europe/Berlin")).toBe(60);
  });

  it("of one hour holds back for a week, all but that hour", () => {
    const week = { Monday: [{ fromMinute: 0, toMinute: 60 }] };
    expect(minutesHeld(weekOf({ week }), "2026-06-01T01:00Z", "UTC")).toBe(7 * 1440 - 60);
  });

  it("holds back nothing where an error waits that is reported at all hours", () => {
    const at = { nowUs: Date.parse("2026-06-02T12:00Z") * 1000, local: localClock("UTC") };
    const error = [alarmEvent(1, { category: 2 })];
    expect(heldBackForMs(weekOf(), error, at)).toBe(0);
    expect(heldBackForMs(weekOf({ areErrorsTold: false }), error, at)).toBe(LOOK_AGAIN_MS);
  });

  it("lets events wait for longer than a week, and without one for a day", () => {
    expect(eventAgeUsMax(weekOf())).toBeGreaterThan(7 * 1440 * MINUTE_US);
    expect(eventAgeUsMax(weekOf({ areOthersKept: false }))).toBe(1440 * MINUTE_US);
    expect(eventAgeUsMax(night)).toBe(1440 * MINUTE_US);
  });
});

describe("a painted week outside of which nothing is reported", () => {
  const never = weekOf({ areOthersKept: false });
  const at =
    (day: "Monday" | "Tuesday"): LocalClock =>
    () => ({ day, minute: 12 * 60 });

  it("leaves out what happens at another hour", () => {
    expect(isOutsideHours(never, alarmEvent(1, { category: 1 }), at("Tuesday"))).toBe(true);
    expect(isOutsideHours(never, alarmEvent(1, { category: 1 }), at("Monday"))).toBe(false);
  });

  it("goes by the time of the event, in the recorder's zone", () => {
    const timeUs = Date.parse("2026-06-01T16:30Z") * 1000;
    const event = alarmEvent(1, { category: 1, timeUs });
    expect(isOutsideHours(never, event, localClock("Europe/London"))).toBe(false);
    expect(isOutsideHours(never, event, localClock("Europe/Berlin"))).toBe(true);
  });

  it("leaves out errors too where they are not reported at all hours", () => {
    const error = alarmEvent(1, { category: 2 });
    expect(isOutsideHours(never, error, at("Tuesday"))).toBe(false);
    expect(isOutsideHours(weekOf({ areOthersKept: false, areErrorsTold: false }), error, at("Tuesday"))).toBe(
      true,
    );
  });

  it("holds back nothing: what happened within the hours is reported, also where that takes longer", () => {
    const nowUs = Date.parse("2026-06-02T12:00Z") * 1000;
    expect(heldBackForMs(never, [], { nowUs, local: localClock("UTC") })).toBe(0);
  });
});
