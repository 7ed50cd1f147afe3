import fc from "fast-check";
import { expect, it } from "vitest";
import { joined, overlapsAny, type Span } from "../../../src/away/plan/spans.js";

const span = fc.tuple(fc.nat(50), fc.nat(10)).map(([fromUs, us]): Span => ({ fromUs, toUs: fromUs + us }));

it("joins spans that touch, and finds an overlap as a walk over all does", () => {
  fc.assert(
    fc.property(fc.array(span), span, (spans, asked) => {
      const all = joined(spans);
      for (const [index, { fromUs }] of all.entries())
        expect(index === 0 || fromUs > (all[index - 1]?.toUs ?? 0)).toBe(true);
      const overlaps = spans.some(
        ({ fromUs, toUs }) => toUs > fromUs && fromUs < asked.toUs && toUs > asked.fromUs,
      );
      expect(overlapsAny(all, asked)).toBe(overlaps);
    }),
  );
});
