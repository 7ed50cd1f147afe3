import { expect, it } from "vitest";
import { reachForecast } from "../../../src/health/report/reach-forecast.js";

const camera = (bytesPerDay: number, minDays = 0, maxDays = 0) => ({ bytesPerDay, minDays, maxDays });

it("channels without limits reach back equally far, whatever they send", () => {
  const { days, channels } = reachForecast([camera(10), camera(30)], 400);
  expect(days).toBeCloseTo(10, 3);
  expect(channels[0]).toBeCloseTo(10, 3);
  expect(channels[1]).toBeCloseTo(10, 3);
});

it("what a channel may not keep is room for the others", () => {
  const { days, channels } = reachForecast([camera(10), camera(10, 0, 4)], 100);
  expect(days).toBeCloseTo(6, 3);
  expect(channels[1]).toBe(4);
});

it("what a channel must keep is taken from the others", () => {
  const { days, channels } = reachForecast([camera(10), camera(10, 8)], 100);
  expect(days).toBeCloseTo(2, 3);
  expect(channels[1]).toBe(8);
});

it("where the room does not suffice for the minimum, all lose the oldest", () => {
  const { days, channels } = reachForecast([camera(10, 20), camera(10, 20)], 100);
  expect(days).toBeCloseTo(5, 3);
  expect(channels[0]).toBeCloseTo(5, 3);
});

it("where the limits are reached before the room is used up, the disks never become full", () => {
  expect(reachForecast([camera(10, 0, 3), camera(10, 0, 5)], 100)).toEqual({
    days: undefined,
    channels: [3, 5],
  });
});

it("nothing that is recorded fills no disk", () => {
  expect(reachForecast([camera(0)], 100).days).toBeUndefined();
  expect(reachForecast([], 100)).toEqual({ days: undefined, channels: [] });
});
