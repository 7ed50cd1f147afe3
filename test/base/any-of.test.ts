import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { withAnyOf } from "../../src/base/index.js";

/** Work that ends with its signal, and tells why. */
const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted
    ? Promise.resolve(signal.reason)
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));

describe("a signal of several", () => {
  it.each([0, 1])("is aborted with each of them, for its reason: %s", async (which) => {
    const all = [new AbortController(), new AbortController()];
    const outcome = withAnyOf(
      all.map(({ signal }) => signal),
      untilAborted,
    );
    all[which]?.abort("the reason");
    expect(await outcome).toBe("the reason");
  });

  it("is aborted from the beginning where one of them is", async () => {
    const late = new AbortController();
    expect(await withAnyOf([late.signal, AbortSignal.abort("before")], untilAborted)).toBe("before");
  });

  it.each(["ends", "fails"])("leaves nothing at them when the work %s", async (how) => {
    const stop = new AbortController();
    const late = new AbortController();
    const work = async () => {
      if (how === "fails") throw new Error("it failed");
    };
    await withAnyOf([late.signal, stop.signal], work).catch(() => undefined);
    expect([late, stop].map(({ signal }) => getEventListeners(signal, "abort"))).toEqual([[], []]);
  });

  it("is made for much at once without a warning", async () => {
    const stop = new AbortController();
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    const all = Array.from({ length: 20 }, () => withAnyOf([stop.signal], untilAborted));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    stop.abort();
    await Promise.all(all);
    expect(warnings).toEqual([]);
  });
});
