import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatClockTime } from "../../../src/rtsp/message/clock-time.js";
import {
  formatRange,
  type PlayOrder,
  RATE_MAX,
  RATE_MIN,
  readPlayOrder,
} from "../../../src/rtsp/server/play-order.js";
import { RequestError } from "../../../src/rtsp/server/server-request.js";

const START_US = Date.UTC(2026, 10, 21, 9) * 1000;
const AT_START = { startUs: START_US, sentUs: undefined, scale: 1 };

function read(
  headers: Record<string, string>,
  position: Parameters<typeof readPlayOrder>[1] = AT_START,
): PlayOrder {
  return readPlayOrder(new Map(Object.entries(headers)), position).order;
}

describe("a PLAY of a recording", () => {
  it("without headers begins at the URL's start, or continues after what was sent", () => {
    const frames = { keyOnly: false, intervalUs: 0 };
    const rest = { toUs: undefined, scale: 1, speed: 1, rateControl: true, frames };
    expect(read({})).toEqual({ fromUs: START_US, afterUs: undefined, ...rest });
    const sentUs = START_US + 5_000_000;
    const going = { ...AT_START, sentUs, scale: 2 };
    expect(read({}, going)).toEqual({ ...rest, fromUs: sentUs, afterUs: sentUs, scale: 2 });
    expect(read({ range: "npt=now-" }, going)).toEqual(read({}, going));
    expect(read({ range: "npt=0-", scale: "1" }, going)).toEqual(read({}));
  });

  it("reads the ranges it writes: any time, in npt and clock", () => {
    const momentsUs = fc.integer({ min: 0, max: 10 * 365 * 86_400 * 1000 }).map((ms) => START_US + ms * 1000);
    fc.assert(
      fc.property(momentsUs, fc.integer({ min: 1, max: 86_400_000 }), (fromUs, lengthMs) => {
        const toUs = fromUs + lengthMs * 1000;
        for (const unit of ["npt", "clock"] as const) {
          const range = formatRange(unit, { startUs: START_US, fromUs, toUs });
          expect(read({ range })).toMatchObject({ fromUs, toUs, afterUs: undefined });
        }
      }),
    );
  });

  it("keeps Scale and Speed within what is served", () => {
    expect(read({ scale: "1000", speed: "0.001" })).toMatchObject({ scale: RATE_MAX, speed: RATE_MIN });
    expect(read({ speed: "2.5 - 10" }).speed).toBe(2.5);
  });

  it("reads what ONVIF adds", () => {
    expect(read({ "rate-control": "no", frames: "intra/4000" })).toMatchObject({
      rateControl: false,
      frames: { keyOnly: true, intervalUs: 4_000_000 },
    });
    expect(read({ frames: "intra" }).frames).toEqual({ keyOnly: true, intervalUs: 0 });
    expect(read({ frames: "predicted" }).frames.keyOnly).toBe(false);
  });

  it("returns an order within limits, or an RTSP status, for any headers", () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.stringMatching(/^(npt|clock|smpte)=[0-9TZ:.+-]{0,30}$/),
      fc.stringMatching(/^-?[0-9.]{1,12}$/),
    );
    fc.assert(
      fc.property(text, text, text, text, (range, scale, speed, frames) => {
        try {
          const order = read({ range, scale, speed, frames });
          expect(order.fromUs).toBeGreaterThanOrEqual(0);
          expect(order.toUs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(order.fromUs);
          for (const rate of [order.scale, order.speed]) {
            expect(rate).toBeGreaterThanOrEqual(RATE_MIN);
            expect(rate).toBeLessThanOrEqual(RATE_MAX);
          }
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          expect([400, 457, 501]).toContain(error.status);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("formats clock times as in RFC 2326", () => {
    expect(formatClockTime(START_US + 250_000)).toBe("20261121T090000.250000Z");
  });
});
