import fc from "fast-check";
import { expect, it } from "vitest";
import { joined, overlapsAny } from "../../../src/away/plan/spans.js";
import type { Interval } from "../../../src/base/index.js";

const span = fc
  .tuple(fc.nat(50), fc.nat(10))
  .map(([fromUs, us]): Interval => ({ fromUs, toUs: fromUs + us }));

it("joins spans that touch, and finds an overlap as a walk over all does", () => {
  fc.assert(
    fc.property(fc.array(span), span, (spans, asked) => {
      const all = joined(spans);
      for (const [index, { fromUs }] of all.entries())
        expect(index === 0 || fromUs > (all[index - 1]?.toUs ?? 0)).toBe(true);
      const overlaps = spans.some(
        ({ fromUs, toUs }) => Math.max(fromUs, asked.fromUs) < Math.min(toUs, asked.toUs),
      );
      expect(overlapsAny(all, asked)).toBe(overlaps);
    }),
  );
});

it("finds no overlap with an empty span where two spans were joined", () => {
  const all = joined([
    { fromUs: 3, toUs: 4 },
    { fromUs: 0, toUs: 3 },
  ]);
  expect(overlapsAny(all, { fromUs: 3, toUs: 3 })).toBe(false);
});
