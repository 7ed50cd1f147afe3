import { expect, it, vi } from "vitest";
import { memoryStore } from "../../../src/archive/index/index-store.js";
import { OpenSegments } from "../../../src/archive/index/open-segments.js";
import { SegmentQueries } from "../../../src/archive/index/segment-queries.js";
import { fragmentOf } from "../../support/archive/segment-fixtures.js";

it("what follows a segment lies behind it: whoever reads on comes to an end", () => {
  const store = memoryStore();
  const [first, second] = fragmentOf(2);
  if (first === undefined || second === undefined) throw new Error("no segments");
  for (const segment of [first, second]) store.add(segment);
  const queries = new SegmentQueries(() => store, new OpenSegments());
  expect(queries.following(first.key, first)?.segmentId).toBe(second.segmentId);
  expect(queries.following(first.key, second)).toBeUndefined();

  const stored = store.segments.firstFrom(
    { stream: store.streamNumber(first.key) ?? 0, epoch: first.epoch, timeUs: first.fromUs },
    first.fromUs,
  );
  vi.spyOn(store.segments, "firstFrom").mockReturnValue(stored);
  expect(() => queries.following(first.key, first)).toThrow(
    expect.objectContaining({ name: "InvariantError", code: "index-order" }),
  );
});
