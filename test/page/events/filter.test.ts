import { describe, expect, it } from "vitest";
import {
  activeFields,
  type EventFilter,
  filterOf,
  initiatorsOf,
  NO_FILTER,
  parametersOf,
  rangeOf,
} from "../../../src/page/events/filter.js";
import { Zone } from "../../../src/page/state/zone.js";

const BERLIN = new Zone("Europe/Berlin");
const NOW_MS = Date.UTC(2026, 9, 25, 12, 34);
const filter = (change: Partial<EventFilter>): EventFilter => ({ ...NO_FILTER, ...change });

describe("the filter of events", () => {
  it("comes back from the address as it was put there", () => {
    const own = filter({
      text: "A123 & B",
      camera: "22222222-0000-4000-8000-000000000001",
      kind: "alarm",
      period: "own",
      from: "2026-10-25T01:00",
    });
    expect(filterOf(new URLSearchParams(parametersOf(own)))).toEqual(own);
    expect([parametersOf(NO_FILTER), activeFields(own)]).toEqual([{}, 4]);
  });

  it("has what users did in a list of its own, unless one type is asked for", () => {
    expect(initiatorsOf(filter({ list: "users" }))).toEqual([1]);
    expect(initiatorsOf(NO_FILTER)).not.toContain(1);
    expect(initiatorsOf(filter({ type: "22222222-0000-4000-8000-000000000001" }))).toBeUndefined();
  });

  it("takes nothing from an address that it does not know", () => {
    const strange = new URLSearchParams("camera=../../x&kind=root&period=never&type=1&text=a");
    expect(filterOf(strange)).toEqual(filter({ text: "a" }));
  });

  it.each([
    ["hour", { fromMs: NOW_MS - 3_600_000 }],
    ["today", { fromMs: Date.UTC(2026, 9, 24, 22) }],
    ["yesterday", { fromMs: Date.UTC(2026, 9, 23, 22), toMs: Date.UTC(2026, 9, 24, 22) - 1 }],
    ["week", { fromMs: Date.UTC(2026, 9, 18, 22) }],
    ["", {}],
  ] as const)("knows the time %j in the box's zone", (period, range) => {
    expect(rangeOf(filter({ period }), BERLIN, NOW_MS)).toEqual(range);
  });

  it("has a time of its own, whose last minute counts whole; an end may be open", () => {
    const own = { period: "own", from: "2026-10-25T01:00", to: "2026-10-25T04:00" } as const;
    const range = { fromMs: Date.UTC(2026, 9, 24, 23), toMs: Date.UTC(2026, 9, 25, 3, 0, 59, 999) };
    expect(rangeOf(filter(own), BERLIN, NOW_MS)).toEqual(range);
    expect(rangeOf(filter({ ...own, to: "" }), BERLIN, NOW_MS)).toEqual({ fromMs: range.fromMs });
  });
});
