import { expect, it } from "vitest";
import { isUsedUp, monthOf, rateAt } from "../../../src/away/plan/send-limits.js";

/** 2026-03-01 is a Sunday; times are local. */
const at = (hour: number, day = 1) => new Date(2026, 2, day, hour, 30);
const target = {
  kbpsMax: 1000,
  hours: [
    { day: "Sunday", fromMinute: 0, toMinute: 360, kbpsMax: null },
    { day: "Sunday", fromMinute: 600, toMinute: 720, kbpsMax: 0 },
  ],
} as const;

it.each([
  ["without a limit in its hours", at(3), undefined],
  ["nothing in its hours", at(11), 0],
  ["the target's limit at other hours", at(8), 125_000],
  ["the target's limit on other days", at(3, 2), 125_000],
])("sends %s", (_name, time, rate) => {
  expect(rateAt(target, time)).toBe(rate);
});

it("counts a month's volume in gigabytes", () => {
  expect(monthOf(at(3))).toBe("2026-03");
  expect(isUsedUp({ gbPerMonthMax: 1 }, 999_999_999)).toBe(false);
  expect(isUsedUp({ gbPerMonthMax: 1 }, 1_000_000_000)).toBe(true);
  expect(isUsedUp({ gbPerMonthMax: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});
