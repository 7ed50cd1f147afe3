import { expect, it } from "vitest";
import { readScheduleChange, scheduleChangeText } from "../../src/recording/index.js";
import type { WeeklySchedule } from "../../src/site/index.js";

const WEEK: WeeklySchedule = {
  Sunday: [{ fromMinute: 0, toMinute: 1440 }],
  Wednesday: [
    { fromMinute: 8 * 60, toMinute: 12 * 60 + 5 },
    { fromMinute: 13 * 60, toMinute: 18 * 60 },
  ],
};

it.each([
  ["a week", WEEK, "schedule before: Sunday 00:00-24:00, Wednesday 08:00-12:05 13:00-18:00"],
  ["no schedule", undefined, "schedule before: always"],
  ["an empty one", {}, "schedule before: never"],
])("the comment of a changed schedule tells what it was: %s", (_what, schedule, text) => {
  expect(scheduleChangeText(schedule)).toBe(text);
  expect(readScheduleChange(text)).toEqual({ isKnown: true, schedule });
});

it("a schedule that is too long is said not to be kept", () => {
  const ranges = Array.from({ length: 100 }, (_, at) => ({ fromMinute: at * 10, toMinute: at * 10 + 5 }));
  const text = scheduleChangeText({ Monday: ranges });
  expect(text).toBe("schedule before: too long to be kept");
  expect(readScheduleChange(text)).toEqual({ isKnown: false, schedule: undefined });
});

it.each(["from AlwaysOn to BySchedule", "", "schedule"])("%s is no such comment", (text) => {
  expect(readScheduleChange(text)).toBeUndefined();
});
