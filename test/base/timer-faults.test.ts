import { describe, expect, it, onTestFinished } from "vitest";
import { onTimerFault, SystemClock } from "../../src/base/index.js";

const clock = new SystemClock();

/** The first fault that is reported. */
function firstFault(): Promise<unknown> {
  return new Promise((resolve) => {
    const listener = onTimerFault(resolve);
    onTestFinished(() => listener.clear());
  });
}

const fail = (): never => {
  throw new Error("no descriptor is free");
};

describe("what a timer's function throws", () => {
  it("is reported, once for a single call", async () => {
    const fault = firstFault();
    clock.setTimeout(fail, 1);
    expect(await fault).toMatchObject({ message: "no descriptor is free" });
  });

  // 50 ms have a timer of their own, 100 ms the common one.
  it.each([50, 100])(
    "is told for a repeated call each %i ms, and the next call is made",
    async (periodMs) => {
      const fault = firstFault();
      let calls = 0;
      const again = new Promise<void>((resolve) => {
        const timer = clock.setInterval(() => {
          calls += 1;
          if (calls === 1) fail();
          timer.clear();
          resolve();
        }, periodMs);
      });
      expect(await fault).toMatchObject({ message: "no descriptor is free" });
      await again;
      expect(calls).toBe(2);
    },
  );
});
