import { describe, expect, it } from "vitest";
import type { AwayState } from "../../../src/contract/answer/index.js";
import { forecastOf } from "../../../src/page/settings/away/forecast.js";
import { hoursOf, limitsOf, withLimit } from "../../../src/page/settings/away/limits.js";
import type { Target } from "../../../src/page/settings/away/model.js";
import { type CameraPlan, camerasOf, plansOf, withPlan } from "../../../src/page/settings/away/plans.js";
import { EMPTY_WEEK, painted } from "../../../src/page/settings/cameras/week/week.js";

const hour = (Day: "Monday" | "Sunday", from: number, to: number, rate: number | null) => ({
  ...{ Day, FromMinute: from * 60, ToMinute: to * 60, KilobitsPerSecondMax: rate },
});

describe("limits by the hour of the week", () => {
  it("come back as they were stored", () => {
    const stored = [hour("Monday", 8, 18, 500), hour("Sunday", 0, 24, null), hour("Monday", 18, 20, 0)];
    expect(hoursOf(limitsOf(stored))).toEqual([stored[0], stored[1], stored[2]]);
  });

  it("count by the first that fits where stored ones overlap", () => {
    const limits = limitsOf([
      hour("Monday", 8, 12, 500),
      hour("Monday", 6, 24, 0),
      hour("Monday", 7, 9, null),
    ]);
    expect(limits.map(({ rate, week }) => [rate, week[0]])).toEqual([
      ["500", [[480, 720]]],
      [
        "0",
        [
          [360, 480],
          [720, 1440],
        ],
      ],
      ["", []],
    ]);
  });

  it("leave the hours that another limit is given", () => {
    const limits = limitsOf([hour("Monday", 8, 18, 500)]);
    const night = { rate: "0", week: EMPTY_WEEK };
    const week = painted(EMPTY_WEEK, [0, 20], [0, 47], true);
    const changed = withLimit([...limits, night], 1, { ...night, week });
    expect(hoursOf(changed)).toEqual([hour("Monday", 8, 10, 500), hour("Monday", 10, 24, 0)]);
  });
});

describe("plans of cameras", () => {
  const plan = {
    Content: "Events",
    Stream: "Main",
    From: "Now",
    SecondsBefore: 5,
    SecondsAfter: 30,
  } as const;
  const cameras: readonly CameraPlan[] = [
    { ChannelId: "a", ...plan },
    { ChannelId: "b", ...plan, Content: "Nothing" },
    { ChannelId: "c", ...plan },
  ];

  it("are together where they are the same, and come back as they were stored", () => {
    const plans = plansOf(cameras);
    expect(plans.map(({ cameras: ids }) => [...ids])).toEqual([["a", "c"], ["b"]]);
    expect(camerasOf(plans)).toEqual([cameras[0], cameras[2], cameras[1]]);
  });

  it("lose a camera that another plan is given", () => {
    const plans = plansOf(cameras);
    const second = plans[1] as (typeof plans)[number];
    const changed = withPlan(plans, 1, { ...second, cameras: new Set(["b", "c"]) });
    expect(changed.map(({ cameras: ids }) => [...ids])).toEqual([["a"], ["b", "c"]]);
  });

  it("go with seconds as numbers, and with what is none as it was typed", () => {
    const typed = { ...plan, SecondsBefore: "15", SecondsAfter: "many" };
    expect(camerasOf([{ plan: typed, cameras: new Set(["a"]) }])).toEqual([
      { ChannelId: "a", ...plan, SecondsBefore: 15, SecondsAfter: "many" },
    ]);
  });
});

describe("what the storage will keep", () => {
  const now = Date.parse("2026-11-10T06:00:00Z");
  const target = (KeepDays: number | null) => [{ Id: "t", KeepDays } as Target];
  const state = (...SentDays: AwayState["SentDays"]) => [{ Id: "t", SentBytes: 1000, SentDays } as AwayState];
  const sent = state({ Day: "2026-11-08", Bytes: 60 }, { Day: "2026-11-09", Bytes: 40 });

  it("is not known before a day is over", () => {
    expect(forecastOf(target(null), state({ Day: "2026-11-10", Bytes: 9 }), now)).toBeUndefined();
  });

  it("grows by the average of the days before this one, of which there are seven at most", () => {
    const forecast = forecastOf(target(null), sent, now);
    expect(forecast).toMatchObject({ days: 2, bytesPerDay: 50 });
    expect(forecast?.after(30)).toBe(2500);
    const long = state({ Day: "2026-10-01", Bytes: 1e9 }, { Day: "2026-11-03", Bytes: 70 });
    expect(forecastOf(target(null), long, now)).toMatchObject({ days: 7, bytesPerDay: 10 });
  });

  it("grows no more once what is older is removed", () => {
    const forecast = forecastOf(target(10), sent, now);
    expect(forecast?.after(5)).toBe(1250);
    expect(forecast?.after(365)).toBe(500);
  });
});
