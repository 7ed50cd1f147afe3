import { describe, expect, it, test } from "vitest";
import { daysBetween, stepFor, ticksIn } from "../../src/page/playback/time/ticks.js";
import { addDays, addMonths, type CalendarDay, DAY_MS, weekdayOf, Zone } from "../../src/page/state/zone.js";

const HOUR = 3_600_000;
const berlin = new Zone("Europe/Berlin");
const spring: CalendarDay = { year: 2026, month: 3, day: 29 };
const autumn: CalendarDay = { year: 2026, month: 10, day: 25 };

function at(day: CalendarDay, hour: number, minute = 0) {
  return { ...day, hour, minute, second: 0, millisecond: 0 };
}

function lengthOfDay(zone: Zone, day: CalendarDay): number {
  return (zone.startOf(addDays(day, 1)) - zone.startOf(day)) / HOUR;
}

function hoursOf(zone: Zone, from: number, to: number, step: number): readonly string[] {
  return ticksIn(zone, from, to, step).map(({ at: moment }) => {
    const { hour, minute } = zone.readingAt(moment);
    return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  });
}

describe("a zone", () => {
  test("has a day of 23 hours in spring, of 25 in autumn, and 24 else", () => {
    expect(lengthOfDay(berlin, spring)).toBe(23);
    expect(lengthOfDay(berlin, autumn)).toBe(25);
    expect(lengthOfDay(berlin, { year: 2026, month: 11, day: 21 })).toBe(24);
  });

  test("with a change of half an hour has days of 23.5 and 24.5 hours", () => {
    const lordHowe = new Zone("Australia/Lord_Howe");
    expect(lengthOfDay(lordHowe, { year: 2026, month: 4, day: 5 })).toBe(24.5);
    expect(lengthOfDay(lordHowe, { year: 2026, month: 10, day: 4 })).toBe(23.5);
  });

  test("names both moments of an hour that comes twice, and none of one that is left out", () => {
    expect(berlin.momentsOf(at(autumn, 2, 30))).toEqual([
      Date.parse("2026-10-25T00:30:00Z"),
      Date.parse("2026-10-25T01:30:00Z"),
    ]);
    expect(berlin.momentsOf(at(spring, 2, 30))).toEqual([]);
  });

  test("takes the first of two moments, and counts a reading that is left out on from before", () => {
    expect(berlin.momentOf(at(autumn, 2, 30))).toBe(Date.parse("2026-10-25T00:30:00Z"));
    expect(berlin.momentOf(at(spring, 2, 30))).toBe(Date.parse("2026-03-29T01:30:00Z"));
  });

  test("begins a day later where the clock leaves midnight out", () => {
    const cairo = new Zone("Africa/Cairo");
    const day = { year: 2026, month: 4, day: 24 };
    expect(cairo.readingAt(cairo.startOf(day))).toMatchObject({ ...day, hour: 1, minute: 0 });
    expect(lengthOfDay(cairo, day)).toBe(23);
  });

  test.each([
    "Europe/Berlin",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "UTC",
  ])("%s reads back every quarter of an hour of a year", (name) => {
    const zone = new Zone(name);
    const start = Date.UTC(2026, 0, 1);
    for (let moment = start; moment < start + 366 * DAY_MS; moment += 61 * 900_000)
      expect(zone.momentsOf(zone.readingAt(moment))).toContain(moment);
  });

  test("that the browser does not know is UTC, and says so", () => {
    expect(new Zone("Mars/Olympus").name).toBe("UTC");
  });
});

describe("ticks", () => {
  const [start, end] = [berlin.startOf(autumn), berlin.startOf(addDays(autumn, 1))];

  test("of hours show 02:00 twice in the night that is longer", () => {
    expect(hoursOf(berlin, start, end, HOUR).slice(0, 5)).toEqual([
      "00:00",
      "01:00",
      "02:00",
      "02:00",
      "03:00",
    ]);
    expect(hoursOf(berlin, start, end, HOUR)).toHaveLength(25);
  });

  test("of hours leave 02:00 out in the night that is shorter", () => {
    const [from, to] = [berlin.startOf(spring), berlin.startOf(addDays(spring, 1))];
    expect(hoursOf(berlin, from, to, HOUR).slice(0, 4)).toEqual(["00:00", "01:00", "03:00", "04:00"]);
    expect(hoursOf(berlin, from, to, HOUR)).toHaveLength(23);
  });

  test("of several hours stay on round hours behind a change", () => {
    expect(hoursOf(berlin, start, end, 6 * HOUR)).toEqual(["00:00", "06:00", "12:00", "18:00"]);
  });

  test("of days are at midnight of the zone on both sides of a change", () => {
    const days = daysBetween(berlin, start - 2 * DAY_MS, end + 2 * DAY_MS);
    expect(days.map(({ at: moment }) => berlin.readingAt(moment).hour)).toEqual([0, 0, 0, 0, 0]);
    expect(days.every(({ kind }) => kind === "day")).toBe(true);
  });

  test("of days mark a day that begins without midnight", () => {
    const cairo = new Zone("Africa/Cairo");
    const first = cairo.startOf({ year: 2026, month: 4, day: 23 });
    const days = daysBetween(cairo, first, first + 2.5 * DAY_MS);
    expect(days.map(({ at: moment }) => cairo.dayAt(moment).day)).toEqual([23, 24, 25]);
  });

  test("are on full hours in zones of half hours and of quarters", () => {
    for (const name of ["Asia/Kolkata", "Asia/Kathmandu"]) {
      const zone = new Zone(name);
      const from = Date.parse("2026-11-21T00:00:00Z");
      expect(hoursOf(zone, from, from + 3 * HOUR, HOUR).every((time) => time.endsWith(":00"))).toBe(true);
    }
  });

  test("in Lord Howe's long night show the half hour that comes twice", () => {
    const zone = new Zone("Australia/Lord_Howe");
    const day = zone.startOf({ year: 2026, month: 4, day: 5 });
    expect(hoursOf(zone, day + HOUR, day + 3 * HOUR, HOUR / 2)).toEqual(["01:00", "01:30", "01:30", "02:00"]);
  });

  test("of weeks are Mondays", () => {
    const weeks = ticksIn(berlin, start - 30 * DAY_MS, end, 7 * DAY_MS);
    expect(weeks.map(({ at: moment }) => weekdayOf(berlin.dayAt(moment)))).toEqual([0, 0, 0, 0]);
  });

  test("are as far apart as asked", () => {
    expect(stepFor(24 * HOUR, 1200, 60)).toBe(2 * HOUR);
    expect(stepFor(31 * DAY_MS, 390, 60)).toBe(7 * DAY_MS);
    expect(stepFor(1000, 1200, 60)).toBe(100);
  });
});

test("months are added to the last day that there is", () => {
  expect(addMonths({ year: 2026, month: 1, day: 31 }, 1)).toEqual({ year: 2026, month: 2, day: 28 });
  expect(addMonths({ year: 2026, month: 1, day: 5 }, -2)).toEqual({ year: 2025, month: 11, day: 5 });
});

describe("a zone's clock as text", () => {
  it.each([
    ["in winter", "2026-01-10T12:00", "2026-01-10T11:00:00.000Z"],
    ["in summer", "2026-07-10T12:00:30", "2026-07-10T10:00:30.000Z"],
    ["that the clock shows twice is the first", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
    ["that the clock leaves out is after the gap", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
    ["just before the clock changes", "2026-03-29T01:59:59", "2026-03-29T00:59:59.000Z"],
    ["just after it", "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
  ])("%s becomes a moment", (_, shown, moment) => {
    expect(new Date(berlin.momentOfText(shown) ?? 0).toISOString()).toBe(moment);
  });

  it.each(["", "yesterday", "2026-13-01T00:00", "2026-01-01", "2026-01-01T25:00"])("is not %j", (text) =>
    expect(berlin.momentOfText(text)).toBeUndefined(),
  );

  it("is what it shows", () => {
    expect(berlin.textAt(Date.UTC(2026, 6, 1, 22, 30, 5))).toBe("2026-07-02T00:30:05");
    expect(new Zone("Asia/Kolkata").textAt(Date.UTC(2026, 6, 1, 22, 30, 5))).toBe("2026-07-02T04:00:05");
  });

  it("is UTC's where the browser does not know the zone", () => {
    expect(new Zone("Mars/Olympus").name).toBe("UTC");
  });
});
