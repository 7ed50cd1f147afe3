import { describe, expect, it } from "vitest";
import { knownZone, momentOf, startOfDay, wallTime } from "../../src/page/state/zone.js";

const iso = (timeMs: number | undefined): string =>
  timeMs === undefined ? "never" : new Date(timeMs).toISOString();
const BERLIN = "Europe/Berlin";

describe("times of the box's zone", () => {
  it("are what the clock there shows", () => {
    expect(wallTime(BERLIN, Date.UTC(2026, 6, 1, 22, 30, 5))).toBe("2026-07-02T00:30:05");
    expect(wallTime("Asia/Kolkata", Date.UTC(2026, 6, 1, 22, 30, 5))).toBe("2026-07-02T04:00:05");
  });

  it.each([
    ["in winter", "2026-01-10T12:00", "2026-01-10T11:00:00.000Z"],
    ["in summer", "2026-07-10T12:00:30", "2026-07-10T10:00:30.000Z"],
    ["that the clock shows twice are the first", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
    ["that the clock leaves out are after the gap", "2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
    ["just before the clock changes", "2026-03-29T01:59:59", "2026-03-29T00:59:59.000Z"],
    ["just after it", "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
  ])("%s become moments", (_, shown, moment) => {
    expect(iso(momentOf(BERLIN, shown))).toBe(moment);
  });

  it.each(["", "yesterday", "2026-13-01T00:00", "2026-01-01", "2026-01-01T25:00"])(
    "do not come of %j",
    (text) => expect(momentOf(BERLIN, text)).toBeUndefined(),
  );

  it("give days of 23 and 25 hours", () => {
    const hours = (day: string): number => {
      const noon = momentOf(BERLIN, `${day}T12:00`) ?? 0;
      return (startOfDay(BERLIN, noon, 1) - startOfDay(BERLIN, noon)) / 3_600_000;
    };
    expect(["2026-03-28", "2026-03-29", "2026-10-25"].map(hours)).toEqual([24, 23, 25]);
  });

  it("are UTC's where the browser does not know the zone", () => {
    expect([knownZone("Mars/Olympus"), knownZone(BERLIN)]).toEqual(["UTC", BERLIN]);
  });
});
