import { describe, expect, it } from "vitest";
import {
  cellState,
  EMPTY_WEEK,
  painted,
  scheduleOf,
  WHOLE_WEEK,
  weekOf,
  withDayCopied,
} from "../../../src/page/settings/cameras/week/week.js";

const EIGHT = 16;

describe("a week's schedule", () => {
  it("is the whole week where there is none", () => {
    expect(weekOf(null)).toEqual(WHOLE_WEEK);
    expect(scheduleOf(WHOLE_WEEK).Sunday).toEqual([{ From: "00:00", To: "24:00" }]);
  });

  it("is painted as a rectangle of days and half hours, also from its end to its beginning", () => {
    const hours = [{ From: "08:00", To: "18:00" }];
    for (const [one, other] of [
      [
        [0, EIGHT],
        [4, EIGHT + 19],
      ],
      [
        [4, EIGHT + 19],
        [0, EIGHT],
      ],
    ] as const) {
      const schedule = scheduleOf(painted(EMPTY_WEEK, one, other, true));
      expect([schedule.Monday, schedule.Friday, schedule.Saturday]).toEqual([hours, hours, []]);
    }
  });

  it("keeps what was set to the minute, and shows it as a part of a half hour", () => {
    const week = weekOf({ Monday: [{ From: "08:10", To: "09:00" }] });
    expect([15, EIGHT, EIGHT + 1].map((cell) => cellState(week, [0, cell]))).toEqual(["off", "part", "on"]);
    const later = painted(week, [0, EIGHT + 2], [0, EIGHT + 2], true);
    expect(scheduleOf(later).Monday).toEqual([{ From: "08:10", To: "09:30" }]);
    const without = painted(later, [0, EIGHT + 1], [0, EIGHT + 1], false);
    expect(scheduleOf(without).Monday).toEqual([
      { From: "08:10", To: "08:30" },
      { From: "09:00", To: "09:30" },
    ]);
  });

  it("has a day copied to others", () => {
    const week = painted(EMPTY_WEEK, [0, 0], [0, 1], true);
    const copied = scheduleOf(withDayCopied(week, 0, new Set([2, 6])));
    expect([copied.Monday, copied.Tuesday, copied.Wednesday, copied.Sunday]).toEqual([
      [{ From: "00:00", To: "01:00" }],
      [],
      [{ From: "00:00", To: "01:00" }],
      [{ From: "00:00", To: "01:00" }],
    ]);
  });
});
