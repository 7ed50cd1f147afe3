import { afterEach, beforeEach, expect, it } from "vitest";
import { localClock } from "../../src/recording/local-clock.js";

/** A Monday, 23:30 in UTC: already Tuesday in Berlin, still Monday in New York. */
const TIME_US = Date.UTC(2026, 10, 30, 23, 30) * 1000;
const BERLIN = { day: "Tuesday", minute: 30 };
const NEW_YORK = { day: "Monday", minute: 18 * 60 + 30 };

let zone: string | undefined;
beforeEach(() => {
  zone = process.env.TZ;
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

it("a clock of a zone tells its time, whichever zone the machine is in", () => {
  process.env.TZ = "America/New_York";
  const clock = localClock("Europe/Berlin");
  expect(clock(TIME_US)).toEqual(BERLIN);
  process.env.TZ = "Asia/Tokyo";
  expect(clock(TIME_US)).toEqual(BERLIN);
});

it("a clock of the machine follows when the machine's zone changes", () => {
  process.env.TZ = "America/New_York";
  const clock = localClock();
  expect(clock(TIME_US)).toEqual(NEW_YORK);
  process.env.TZ = "Europe/Berlin";
  expect(clock(TIME_US)).toEqual(BERLIN);
});

it("midnight is minute 0 of its day", () => {
  expect(localClock("UTC")(Date.UTC(2026, 10, 30) * 1000)).toEqual({ day: "Monday", minute: 0 });
});
