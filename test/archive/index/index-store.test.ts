import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/archive/index/index-store.js";
import { fragmentOf, segmentOf } from "../../support/archive/segment-fixtures.js";

describe("a stream's number", () => {
  it("is known once a segment is added, though it was asked for before", () => {
    const store = memoryStore();
    const first = segmentOf();
    const other = { ...first.key, streamType: "ThirdAlternative" } as const;
    store.add(first);
    expect(store.streamNumber(first.key)).toBeDefined();
    expect(store.streamNumber(other)).toBeUndefined();
    expect(store.streamNumber(other)).toBeUndefined();
    store.add({ ...first, key: other });
    expect(store.streamNumber(other)).toBeDefined();
    expect(store.streamNumber(other)).not.toBe(store.streamNumber(first.key));
  });
});

describe("the run that was found last", () => {
  it("is found as it is after a segment made it longer", () => {
    const store = memoryStore();
    const [first, second] = fragmentOf(2);
    if (first === undefined || second === undefined) throw new Error("no segments");
    store.add(first);
    const at = { stream: store.streamNumber(first.key) ?? 0, epoch: first.epoch, fromUs: first.fromUs };
    expect(store.fragments.floor(at)?.toUs).toBe(first.toUs);
    store.add(second);
    expect(store.fragments.floor(at)?.toUs).toBe(second.toUs);
  });

  it("is not found any more after its only segment was removed", () => {
    const store = memoryStore();
    const only = segmentOf();
    store.add(only);
    const at = { stream: store.streamNumber(only.key) ?? 0, epoch: only.epoch, fromUs: only.fromUs };
    expect(store.fragments.floor(at)).toBeDefined();
    store.remove([only], { unlink: false });
    expect(store.fragments.floor(at)).toBeUndefined();
  });

  it("is not that of another epoch", () => {
    const store = memoryStore();
    const old = segmentOf();
    const anew = segmentOf({ epoch: old.epoch + 1, segmentId: old.segmentId + 1 });
    store.add(old);
    store.add({ ...anew, key: old.key });
    const stream = store.streamNumber(old.key) ?? 0;
    expect(store.fragments.floor({ stream, epoch: old.epoch, fromUs: old.fromUs })?.epoch).toBe(old.epoch);
    expect(store.fragments.floor({ stream, epoch: anew.epoch, fromUs: anew.fromUs })?.epoch).toBe(anew.epoch);
  });
});

describe("a stored segment", () => {
  it("is read without its GOPs where nobody looks at them, and is the same otherwise", () => {
    const store = memoryStore();
    const segment = segmentOf();
    store.add(segment);
    const stored = store.segments.lastFrom(
      { stream: store.streamNumber(segment.key) ?? 0, epoch: segment.epoch, timeUs: segment.fromUs },
      segment.fromUs,
    );
    if (stored === undefined) throw new Error("it is not stored");
    expect(store.summary(stored)).toEqual(segment);
    expect(store.summary(stored, false)).toEqual({ ...segment, gops: [] });
  });
});
