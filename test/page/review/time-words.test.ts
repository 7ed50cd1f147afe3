import { expect, it } from "vitest";
import { filterOf, queryOf } from "../../../src/page/review/filter.js";
import { timeInText } from "../../../src/page/review/time-words.js";
import { Zone } from "../../../src/page/state/zone.js";

const BERLIN = new Zone("Europe/Berlin");
/** Monday, 10:30 in Berlin. */
const NOW = Date.UTC(2026, 10, 23, 9, 30);

const said = (text: string) => {
  const { span, rest } = timeInText(text, BERLIN, NOW) ?? { span: {}, rest: undefined };
  const iso = (ms: number | undefined) => (ms === undefined ? "" : new Date(ms).toISOString().slice(5, 16));
  return [rest, iso(span.from), iso(span.to)];
};

it.each([
  ["person, gate, today", "person gate", "11-22T23:00", "11-23T22:59"],
  ["person, gate, yesterday evening", "person gate", "11-22T17:00", "11-22T22:59"],
  ["last night", "", "11-22T19:00", "11-23T04:59"],
  ["car on Sunday", "car", "11-21T23:00", "11-22T22:59"],
  ["this morning dog", "dog", "11-23T05:00", "11-23T10:59"],
  ["evening", "", "11-22T17:00", "11-22T22:59"],
  ["человек вчера вечером", "человек", "11-22T17:00", "11-22T22:59"],
  ["машина в пятницу", "машина", "11-19T23:00", "11-20T22:59"],
])("%s: what is left, and the time", (text, ...expected) => {
  expect(said(text)).toEqual(expected);
});

it("a text that says nothing of the time stays as it is", () => {
  expect(timeInText("the gate, Last Mile", BERLIN, NOW)).toBeUndefined();
});

it("a search by words of time asks for that time, unless a day was chosen", () => {
  const query = (address: string) => queryOf(filterOf(new URLSearchParams(address)), BERLIN, NOW);
  expect(query("text=person+yesterday&all=1")).toEqual({
    ...{ text: "person", starttime: "2026-11-21T23:00:00.000Z", endtime: "2026-11-22T22:59:59.999Z" },
  });
  expect(query("text=person+yesterday&day=today&all=1")).toMatchObject({ text: "person yesterday" });
});
