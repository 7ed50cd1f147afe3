import { describe, expect, test } from "vitest";
import { parseMoment } from "../../../src/page/playback/time/parse-moment.js";
import { Zone } from "../../../src/page/state/zone.js";

const zone = new Zone("Europe/Berlin");
/** Saturday, 10:00 in Berlin. */
const now = Date.parse("2026-11-21T09:00:00Z");

function parsed(text: string, shown = now, clock = now): string | undefined {
  const found = parseMoment(text, { zone, now: clock, shown });
  return found === undefined ? undefined : new Date(found.moment).toISOString();
}

describe("a moment is typed", () => {
  test.each([
    ["yesterday 15:00", "2026-11-20T14:00:00.000Z"],
    ["Yesterday at 3pm", "2026-11-20T14:00:00.000Z"],
    ["вчера 15:00", "2026-11-20T14:00:00.000Z"],
    ["вчера в 15:00", "2026-11-20T14:00:00.000Z"],
    ["позавчера в полдень", "2026-11-19T11:00:00.000Z"],
    ["today", "2026-11-20T23:00:00.000Z"],
    ["сегодня 7:05:09", "2026-11-21T06:05:09.000Z"],
    ["9:30", "2026-11-21T08:30:00.000Z"],
    ["9:30:01.25", "2026-11-21T08:30:01.250Z"],
    ["12.11. 7:30", "2026-11-12T06:30:00.000Z"],
    ["12.11 7:30", "2026-11-12T06:30:00.000Z"],
    ["7:30 12.11.", "2026-11-12T06:30:00.000Z"],
    ["12.11.26, 7:30", "2026-11-12T06:30:00.000Z"],
    ["12.12.", "2025-12-11T23:00:00.000Z"],
    ["2026-11-12 07:30", "2026-11-12T06:30:00.000Z"],
    ["2026-11-12T07:30", "2026-11-12T06:30:00.000Z"],
    ["2026-11-12T07:30:00Z", "2026-11-12T07:30:00.000Z"],
    ["2026-11-12 07:30 +01:00", "2026-11-12T06:30:00.000Z"],
    ["2026-07-12", "2026-07-11T22:00:00.000Z"],
    ["12 nov 7:30", "2026-11-12T06:30:00.000Z"],
    ["Nov 12th, 2025 7:30 am", "2025-11-12T06:30:00.000Z"],
    ["12 ноября 2025 г. в 7:30", "2025-11-12T06:30:00.000Z"],
    ["29 feb", "2024-02-28T23:00:00.000Z"],
    ["monday 15:00", "2026-11-16T14:00:00.000Z"],
    ["в среду 15:00", "2026-11-18T14:00:00.000Z"],
    ["сб", "2026-11-20T23:00:00.000Z"],
    ["-2h", "2026-11-21T07:00:00.000Z"],
    ["−90 min", "2026-11-21T07:30:00.000Z"],
    ["-1h 30m", "2026-11-21T07:30:00.000Z"],
    ["-1.5h", "2026-11-21T07:30:00.000Z"],
    ["2 hours ago", "2026-11-21T07:00:00.000Z"],
    ["час назад", "2026-11-21T08:00:00.000Z"],
    ["5 минут назад", "2026-11-21T08:55:00.000Z"],
    ["-3д", "2026-11-18T09:00:00.000Z"],
    ["now", "2026-11-21T09:00:00.000Z"],
    ["сейчас", "2026-11-21T09:00:00.000Z"],
    ["midnight", "2026-11-20T23:00:00.000Z"],
    ["12 am", "2026-11-20T23:00:00.000Z"],
    ["yesterday 12:15 pm", "2026-11-20T11:15:00.000Z"],
  ])("%s", (text, moment) => {
    expect(parsed(text)).toBe(moment);
  });

  test.each([
    "",
    " ",
    "soon",
    "25:00",
    "12:60",
    "31.02.",
    "30 feb 2026",
    "13.13.2026",
    "2026-02-30",
    "2026-02-30T10:00Z",
    "13 pm",
    "-2",
    "-2x",
    "- ",
    "-99999999h",
    "ago",
    "yesterday 15:00 16:00",
    "yesterday tomorrow",
    "12.11. 7:30 foo",
    "nov",
    "1".repeat(5000),
  ])("%j is none", (text) => {
    expect(parsed(text)).toBeUndefined();
  });

  test("a time without a day is of the day that is shown", () => {
    expect(parsed("15:00", Date.parse("2026-11-03T08:00:00Z"))).toBe("2026-11-03T14:00:00.000Z");
  });

  test("a time that is still to come is yesterday's", () => {
    expect(parsed("15:00")).toBe("2026-11-20T14:00:00.000Z");
  });

  test("a time of the night that is put back has two moments", () => {
    const found = parseMoment("25.10. 2:30", { zone, now, shown: now });
    expect(found).toEqual({
      moment: Date.parse("2026-10-25T00:30:00Z"),
      second: Date.parse("2026-10-25T01:30:00Z"),
    });
  });

  test("a time that the clock leaves out counts on from before", () => {
    expect(parsed("29.3. 2:30")).toBe("2026-03-29T01:30:00.000Z");
  });
});
