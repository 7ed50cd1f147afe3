import { describe, expect, it } from "vitest";
import { endsUnlessAborted, endsWithin, unlessAborted, withTimeout } from "../../src/base/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const error = (): Error => new Error("it takes too long");

/** A promise and its two ends. */
function pending() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const work = new Promise<string>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { work, resolve, reject };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("withTimeout", () => {
  it("settles as work that ends in time", async () => {
    const limit = { clock: new SimulatedClock(), ms: 100, error };
    expect(await withTimeout(Promise.resolve(1), limit)).toBe(1);
    await expect(withTimeout(Promise.reject(new Error("no")), limit)).rejects.toThrow("no");
  });

  it("rejects once the time is over, and a late rejection has no consequence", async () => {
    const clock = new SimulatedClock();
    const { work, reject } = pending();
    const answer = withTimeout(work, { clock, ms: 100, error });
    clock.advance(100_000);
    await expect(answer).rejects.toThrow("it takes too long");
    reject(new Error("late"));
    await settle();
  });

  it("clears its timer when the work has ended", async () => {
    const clock = new SimulatedClock();
    let cleared = 0;
    const counting = {
      setTimeout: (run: () => void, ms: number) => {
        const timer = clock.setTimeout(run, ms);
        return {
          clear: () => {
            cleared += 1;
            timer.clear();
          },
        };
      },
      setInterval: clock.setInterval.bind(clock),
      nowUs: () => clock.nowUs(),
      monotonicUs: () => clock.monotonicUs(),
    };
    await withTimeout(Promise.resolve(1), { clock: counting, ms: 100, error });
    await withTimeout(Promise.reject(new Error("no")), { clock: counting, ms: 100, error }).catch(() => 0);
    await endsWithin(Promise.resolve(1), { clock: counting, ms: 100 });
    await settle();
    expect(cleared).toBe(3);
  });
});

describe("endsWithin", () => {
  it("resolves with whether the work ended in time, and rejects as it does", async () => {
    const clock = new SimulatedClock();
    expect(await endsWithin(Promise.resolve(), { clock, ms: 100 })).toBe(true);
    await expect(endsWithin(Promise.reject(new Error("no")), { clock, ms: 100 })).rejects.toThrow("no");
    const { work, reject } = pending();
    const late = endsWithin(work, { clock, ms: 100 });
    clock.advance(100_000);
    expect(await late).toBe(false);
    reject(new Error("late"));
    await settle();
  });
});

describe("unlessAborted", () => {
  it("settles as the work, or rejects when the signal is aborted", async () => {
    const ending = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), ending.signal, error)).toBe(1);
    const { work, reject } = pending();
    const answer = unlessAborted(work, ending.signal, error);
    ending.abort();
    await expect(answer).rejects.toThrow("it takes too long");
    reject(new Error("late"));
    await expect(unlessAborted(pending().work, ending.signal, error)).rejects.toThrow("it takes too long");
  });
});

describe("endsUnlessAborted", () => {
  it("resolves with whether the work ended before the signal was aborted", async () => {
    const ending = new AbortController();
    expect(await endsUnlessAborted(Promise.resolve(1), ending.signal)).toBe(true);
    const answer = endsUnlessAborted(pending().work, ending.signal);
    ending.abort();
    expect(await answer).toBe(false);
    expect(await endsUnlessAborted(pending().work, ending.signal)).toBe(false);
  });
});
