import { describe, expect, it } from "vitest";
import { BusyShare } from "../../src/reserve/busy-share.js";
import { reserveForecast } from "../../src/reserve/forecast.js";
import { ownMeans } from "../../src/service/part/reserve/own-means.js";

const MEGABIT = 125_000;
/** Holds 16 Mbit/s for ten days. */
const MEANS = {
  ...{ roomBytes: 16 * MEGABIT * 864_000, ownBytesPerSecond: 16 * MEGABIT, busy: 0.2 },
  ...{ processors: 4, secondsPerGigabyte: 12 },
};

describe("what a reserve can take", () => {
  it("is how far back recordings reach then, and how busy the processors are", () => {
    const forecast = reserveForecast({ cameras: 4, bytesPerSecond: 16 * MEGABIT, known: 4 }, MEANS);

    expect(forecast).toMatchObject({ cameras: 4, bytesPerSecond: 16 * MEGABIT, limits: [] });
    expect(forecast.daysNow).toBeCloseTo(10);
    expect(forecast.daysThen).toBeCloseTo(5);
    expect(forecast.busyThen).toBeCloseTo(0.2 + (0.002 * 12) / 4);
  });

  it("counts cameras of which nothing is known as the others", () => {
    const { bytesPerSecond } = reserveForecast({ cameras: 6, bytesPerSecond: 8 * MEGABIT, known: 2 }, MEANS);

    expect(bytesPerSecond).toBe(24 * MEGABIT);
  });

  it("is not known while no owner has said what its cameras send", () => {
    expect(reserveForecast({ cameras: 2, bytesPerSecond: 0, known: 0 }, MEANS)).toMatchObject({
      ...{ bytesPerSecond: undefined, daysThen: undefined, busyThen: undefined, limits: [] },
    });
  });

  it("is too much for disks that hold less than a day of it, and for a processor of which less than a fifth is left", () => {
    const load = { cameras: 100, bytesPerSecond: 400 * MEGABIT, known: 100 };

    expect(reserveForecast(load, MEANS).limits).toEqual(["disks"]);
    expect(reserveForecast(load, { ...MEANS, busy: 0.7 }).limits).toEqual(["disks", "processor"]);
  });
});

describe("what recording costs", () => {
  const room = { bytes: 1e12, bytesPerSecond: 2e6 };

  it("is a figure for slow machines until a gigabyte is written, and measured from then on", () => {
    expect(ownMeans(room, 1e8, { user: 9e6, system: 0 })?.secondsPerGigabyte).toBe(12);
    expect(ownMeans(room, 2e9, { user: 9e6, system: 1e6 })?.secondsPerGigabyte).toBe(5);
  });

  it("is never so little or so much that it says nothing", () => {
    expect(ownMeans(room, 1e12, { user: 1e6, system: 0 })?.secondsPerGigabyte).toBe(3);
    expect(ownMeans(room, 1e9, { user: 1e12, system: 0 })?.secondsPerGigabyte).toBe(40);
  });

  it("is not asked for before the disks are known", () => {
    expect(ownMeans({ bytes: 0, bytesPerSecond: 0 }, 0)).toBeUndefined();
  });
});

it("how busy processors are is known after ten seconds of them, as of those", () => {
  let times = { busyMs: 1000, allMs: 100_000 };
  const busy = new BusyShare(() => times);
  busy.look();
  expect(busy.share).toBeUndefined();
  times = { busyMs: 3500, allMs: 110_000 };
  busy.look();
  expect(busy.share).toBe(0.25);
});
