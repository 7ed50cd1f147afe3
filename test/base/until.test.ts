import { expect, it } from "vitest";
import { until } from "../support/base/until.js";

it("a wait that ends in vain says what it waited for and what it saw", async () => {
  const waits = until("three viewers", () => false, { timeoutMs: 0, seen: () => ({ viewers: 2 }) });
  await expect(waits).rejects.toThrow("not within 0 ms: three viewers; seen: { viewers: 2 }");
});

it("what a wait saw is cut where it is long", async () => {
  const error: unknown = await until("an end", () => false, {
    timeoutMs: 0,
    seen: () => "x".repeat(1_000_000),
  }).catch((reason: unknown) => reason);
  expect(error instanceof Error && error.message.length).toBeLessThan(5000);
});

it("a wait ends as soon as it holds", async () => {
  let looks = 0;
  await until("three looks", () => {
    looks += 1;
    return looks === 3;
  });
  expect(looks).toBe(3);
});
