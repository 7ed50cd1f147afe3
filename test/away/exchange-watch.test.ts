import { EventEmitter } from "node:events";
import type { ClientRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { ExchangeWatch } from "../../src/away/s3/exchange-watch.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const HOUR_S = 3600;
const LOOK_US = 3_000_000;

/** A request on whose connection something moves between any two looks, and after how many hours it was given up. */
function hoursOf(sentBytes: number): number {
  const clock = new SimulatedClock();
  const socket = { connecting: false, bytesWritten: 0, writableLength: 0, bytesRead: 0 };
  let error: Error | undefined;
  const destroy = (reason: Error): void => {
    error = reason;
  };
  const call = Object.assign(new EventEmitter(), { socket, destroy }) as unknown as ClientRequest;
  const watch = new ExchangeWatch({ call, host: "s3.example", sentBytes, clock, silenceMsMax: 30_000 });
  const beganUs = clock.monotonicUs();
  while (error === undefined) {
    socket.bytesRead += 1;
    clock.advance(LOOK_US);
  }
  watch.end();
  expect(error.message).toBe("s3.example takes too long");
  return (clock.monotonicUs() - beganUs) / 1e6 / HOUR_S;
}

describe("a request that goes on and on", () => {
  it("is given up after an hour where it sends nothing", () => {
    expect(hoursOf(0)).toBeCloseTo(1, 2);
  });

  it.each([64, 16])("of %d MiB has the time that a third of a link of 64 kbit/s needs", (mib) => {
    const bytes = mib * 1024 * 1024;
    const needed = (3 * bytes) / 8000 / HOUR_S;
    expect(hoursOf(bytes)).toBeGreaterThan(needed);
    expect(hoursOf(bytes)).toBeLessThan(2 * needed + 1);
  });
});
