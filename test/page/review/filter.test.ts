import { expect, it } from "vitest";
import { SEEN_KINDS } from "../../../src/base/kinds/index.js";
import { filterOf, KIND_GROUPS, parametersOf, queryOf } from "../../../src/page/review/filter.js";
import { Zone } from "../../../src/page/state/zone.js";

const BERLIN = new Zone("Europe/Berlin");
const NOW = Date.UTC(2026, 10, 23, 9, 30);
const filter = (query: string) => filterOf(new URLSearchParams(query));

it("a filter is what its address says, and nothing that it does not know", () => {
  const query = "camera=gate&kind=person&day=today&hour=7&order=camera";
  expect(parametersOf(filter(query))).toEqual(Object.fromEntries(new URLSearchParams(query)));
  expect(parametersOf(filter("kind=ghost&day=never&hour=25&order=up&all=2"))).toEqual({});
});

it("an hour is one of the recorder's clock", () => {
  const { starttime, endtime } = queryOf(filter("day=today&hour=7"), BERLIN, NOW);
  expect([starttime, endtime]).toEqual(["2026-11-23T06:00:00.000Z", "2026-11-23T06:59:59.999Z"]);
});

it("yesterday ends where today begins", () => {
  const { starttime, endtime } = queryOf(filter("day=yesterday"), BERLIN, NOW);
  expect([starttime, endtime]).toEqual(["2026-11-21T23:00:00.000Z", "2026-11-22T22:59:59.999Z"]);
});

it("last night is from eight in the evening of yesterday to six in the morning of today", () => {
  const { starttime, endtime } = queryOf(filter("day=night"), BERLIN, NOW);
  expect([starttime, endtime]).toEqual(["2026-11-22T19:00:00.000Z", "2026-11-23T04:59:59.999Z"]);
});

it("what was seen is left out, unless it is asked for or a message leads to it", () => {
  expect(["", "all=1", "time=1"].map((query) => queryOf(filter(query), BERLIN, NOW).unseen)).toEqual([
    true,
    undefined,
    undefined,
  ]);
});

it("each group stands for kinds that the recorder has", () => {
  const kinds = Object.values(KIND_GROUPS).flatMap((names) => names.split(","));
  expect(kinds.filter((name) => !SEEN_KINDS.some((kind) => kind === name))).toEqual([]);
});
