import { expect, it } from "vitest";
import { quietForMs } from "../../src/alarm/quiet-hours.js";

const MINUTE_MS = 60_000;
const night = { fromMinute: 22 * 60, toMinute: 6 * 60, areErrorsTold: true };
const noon = { fromMinute: 12 * 60, toMinute: 13 * 60, areErrorsTold: true };

const at =
  (hours: number, minutes = 0) =>
  () =>
    hours * 60 + minutes;

it.each([
  ["before they begin", night, at(21, 59), 0],
  ["when they begin", night, at(22), 8 * 60],
  ["after midnight", night, at(2, 30), 3 * 60 + 30],
  ["when they end", night, at(6), 0],
  ["within a day", noon, at(12, 45), 15],
  ["outside them", noon, at(23), 0],
] as const)("%s it is quiet for so long", (_, hours, minuteOfDay, minutes) => {
  expect(quietForMs(hours, 0, minuteOfDay)).toBe(minutes * MINUTE_MS);
});

it("they end on the minute, not a minute after what happens last", () => {
  expect(quietForMs(night, 45_000_000, at(5, 59))).toBe(15_000);
});
