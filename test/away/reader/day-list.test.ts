import { expect, it } from "vitest";
import { DayList, dayNumber, dayText } from "../../../src/away/reader/day-list.js";

const days = new DayList(
  new Map([
    [20, 3],
    [10, 1],
    [30, 7],
    [11, 2],
  ]),
);

it("has its days in order, with the newest revision of each", () => {
  expect([days.size, days.first, days.newest]).toEqual([4, 10, 30]);
  expect([9, 10, 11, 12, 20, 30, 31].map((day) => days.revisionOf(day))).toEqual([
    ...[undefined, 1, 2, undefined, 3, 7, undefined],
  ]);
});

it("tells those of a time, both ends included", () => {
  expect([days.between(10, 20), days.between(11, 11), days.between(12, 19), days.between(0, 99)]).toEqual([
    ...[[10, 11, 20], [11], [], [10, 11, 20, 30]],
  ]);
});

it("tells the day behind one, and the one before", () => {
  expect([9, 10, 11, 29, 30].map((day) => days.after(day))).toEqual([10, 11, 20, 30, undefined]);
  expect([10, 11, 12, 30, 31].map((day) => days.before(day))).toEqual([undefined, 10, 11, 20, 30]);
});

it("without days has none", () => {
  const none = new DayList(new Map());
  expect([none.size, none.first, none.newest, none.after(1), none.before(1), none.revisionOf(0)]).toEqual([
    ...[0, undefined, undefined, undefined, undefined, undefined],
  ]);
  expect(none.between(0, 9)).toEqual([]);
});

it("counts days from 1970, and writes them", () => {
  const noonUs = Date.parse("2026-11-29T12:00:00Z") * 1000;
  const midnightUs = Date.parse("2026-11-30T00:00:00Z") * 1000;
  expect([noonUs, midnightUs - 1, midnightUs].map((us) => dayText(dayNumber(us)))).toEqual([
    ...["2026-11-29", "2026-11-29", "2026-11-30"],
  ]);
});
