import { describe, expect, it } from "vitest";
import { SystemClock } from "../../src/base/index.js";

describe("SystemClock", () => {
  const clock = new SystemClock();

  it("returns Unix microseconds and a monotonic time in whole microseconds", () => {
    expect(Math.abs(clock.nowUs() / 1000 - Date.now())).toBeLessThan(1000);
    let last = clock.monotonicUs();
    for (let i = 0; i < 10_000; i += 1) {
      const now = clock.monotonicUs();
      expect(Number.isSafeInteger(now) && now >= last).toBe(true);
      last = now;
    }
  });

  it("runs a timeout once and an interval until it is cleared", async () => {
    let once = 0;
    let often = 0;
    clock.setTimeout(() => {
      once += 1;
    }, 5);
    const keepAlive = setTimeout(() => undefined, 10_000);
    await new Promise<void>((resolve) => {
      const interval = clock.setInterval(() => {
        often += 1;
        if (often < 5) return;
        interval.clear();
        interval.clear();
        resolve();
      }, 5);
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    clearTimeout(keepAlive);
    expect([once, often]).toEqual([1, 5]);
  });

  it("does not run what was cleared", async () => {
    let ran = false;
    clock
      .setTimeout(() => {
        ran = true;
      }, 5)
      .clear();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ran).toBe(false);
  });
});
