import { describe, expect, test } from "vitest";
import { localClock } from "../../src/recording/index.js";
import { isScheduled, type WeeklySchedule } from "../../src/site/index.js";

const MINUTE_US = 60_000_000;

/** What of [fromIso, toIso) a schedule covers in a zone, looked at each `stepMinutes`, as runs of UTC times. */
function covered(
  schedule: WeeklySchedule,
  zone: string,
  fromIso: string,
  toIso: string,
  stepMinutes = 1,
): string[] {
  const local = localClock(zone);
  const runs: string[] = [];
  let since: number | undefined;
  const shown = (timeUs: number) => new Date(timeUs / 1000).toISOString().slice(0, 16);
  const endUs = Date.parse(toIso) * 1000;
  for (let timeUs = Date.parse(fromIso) * 1000; timeUs <= endUs; timeUs += stepMinutes * MINUTE_US) {
    const isIn = timeUs < endUs && isScheduled(schedule, local(timeUs));
    if (isIn) since ??= timeUs;
    else if (since !== undefined) {
      runs.push(`${shown(since)} ${(timeUs - since) / MINUTE_US} min`);
      since = undefined;
    }
  }
  return runs;
}

const at = (from: number, to: number) => [{ fromMinute: from * 60, toMinute: to * 60 }];

describe("a schedule follows the local wall clock", () => {
  test("an ordinary week in New York: five working days, at their UTC times", () => {
    const schedule = {
      Monday: at(8, 18),
      Tuesday: at(8, 18),
      Wednesday: at(8, 18),
      Thursday: at(8, 18),
      Friday: at(8, 18),
    };
    expect(covered(schedule, "America/New_York", "2026-06-07T04:00Z", "2026-06-14T04:00Z")).toEqual(
      ["08", "09", "10", "11", "12"].map((day) => `2026-06-${day}T12:00 600 min`),
    );
  });

  test.each([
    // Clocks go from 2:00 to 3:00.
    ["America/New_York", "2026-03-08T05:00Z", "2026-03-09T04:00Z", at(1, 4), ["2026-03-08T06:00 120 min"]],
    ["Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z", at(1, 4), ["2026-03-29T00:00 120 min"]],
    // From 2:00 to 2:30.
    ["Australia/Lord_Howe", "2026-10-03T13:30Z", "2026-10-04T13:00Z", at(1, 4), ["2026-10-03T14:30 150 min"]],
  ])("%s in spring: an hour that is left out is not recorded, what is behind it begins in time", (...row) => {
    const [zone, fromIso, toIso, ranges, expected] = row;
    expect(covered({ Sunday: ranges }, zone, fromIso, toIso)).toEqual(expected);
  });

  test.each([
    ["America/New_York", "2026-11-01T04:00Z", "2026-11-02T05:00Z", at(1, 2), ["2026-11-01T05:00 120 min"]],
    ["Europe/Berlin", "2026-10-24T22:00Z", "2026-10-25T23:00Z", at(2, 3), ["2026-10-25T00:00 120 min"]],
    // From 2:00 back to 1:30.
    ["Australia/Lord_Howe", "2026-04-04T13:00Z", "2026-04-05T13:30Z", at(1, 2), ["2026-04-04T14:00 90 min"]],
  ])("%s in autumn: an hour that is repeated is recorded twice", (...row) => {
    const [zone, fromIso, toIso, ranges, expected] = row;
    expect(covered({ Sunday: ranges }, zone, fromIso, toIso)).toEqual(expected);
  });

  test("a range within the skipped hour does not occur on that day", () => {
    const range = [{ fromMinute: 130, toMinute: 170 }];
    const schedule = { Sunday: range };
    expect(covered(schedule, "Europe/Berlin", "2026-03-28T23:00Z", "2026-03-29T22:00Z")).toEqual([]);
    expect(covered(schedule, "Europe/Berlin", "2026-04-04T22:00Z", "2026-04-05T22:00Z")).toHaveLength(1);
  });

  test("24:00 and 0:00 of the next day meet without a gap, in every week of a year with both changes", () => {
    const whole = [{ fromMinute: 0, toMinute: 1440 }];
    const schedule = { Saturday: whole, Sunday: whole, Monday: whole };
    for (const zone of ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]) {
      const runs = covered(schedule, zone, "2026-01-07T12:00Z", "2026-12-30T12:00Z", 30);
      const lengths = runs.map((run) => Number(run.split(" ")[1]));
      expect(runs).toHaveLength(51);
      // Three days each, but for the changes, of an hour or Lord Howe's half.
      const odd = lengths.filter((length) => length !== 4320).map((length) => length - 4320);
      const shift = zone === "Australia/Lord_Howe" ? [30, -30] : [-60, 60];
      expect(odd).toEqual(["UTC", "Asia/Kolkata"].includes(zone) ? [] : shift);
    }
  });

  test("without a schedule it is always covered, with an empty one never", () => {
    const local = localClock("UTC")(0);
    expect([isScheduled(undefined, local), isScheduled({}, local)]).toEqual([true, false]);
    expect(local).toEqual({ day: "Thursday", minute: 0 });
  });

  test("an unknown zone is reported at once", () => {
    expect(() => localClock("Moon/Base")).toThrow(RangeError);
  });
});
