import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkArchive, rebuildIndex, type SegmentSummary } from "../../../src/archive/index.js";
import { keyFramesFragmentId } from "../../../src/archive/segment/fragment-origin.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { fragmentOf, volumeOfNumber } from "../../support/archive/segment-fixtures.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let directories = 0;

/** Ten segments, of which the fifth lies on both volumes: a crash came when the copy was in its place. */
function halfMoved() {
  const from = new MemoryVolume(volumeOfNumber(1));
  const to = new MemoryVolume(volumeOfNumber(2));
  const segments = fragmentOf(10);
  for (const segment of segments) from.put(segment);
  const original = segments[4] as SegmentSummary;
  const copy = { ...original, volumeId: to.id };
  to.put(copy);
  to.moves.set(copy.segmentId, 1);
  return { from, to, segments, original, copy };
}

async function newIndex() {
  directories += 1;
  return await openIndex(path.join(scratch.path, `index-${directories}`));
}

describe("a segment whose move was interrupted", () => {
  it.each([["the old volume first"], ["the new volume first"], ["both at once"]])(
    "is rebuilt from the copy, %s",
    async (order) => {
      const { from, to, original, segments } = halfMoved();
      const index = await newIndex();
      const all = [from, to];
      const volumeOf = (id: string) => all.find((volume) => volume.id === id);
      const steps =
        order === "both at once" ? [all] : order.startsWith("the old") ? [[from], [to]] : [[to], [from]];
      for (const volumes of steps) await rebuildIndex({ index, volumes, volumeOf, log: SILENT_LOG });
      expect(index.closed(original)?.volumeId).toBe(to.id);
      expect([index.volumeSegments(from.id), index.volumeSegments(to.id)]).toEqual([9, 1]);
      const [fragment, ...more] = index.fragments(original.key, 0, Number.MAX_SAFE_INTEGER);
      expect(more).toEqual([]);
      expect(fragment).toMatchObject({ id: original.fragmentId, toUs: segments.at(-1)?.toUs });
      await index.stop();
    },
  );

  it("is known from its volume that is there, while the one that it was moved to is not", async () => {
    const { from, original } = halfMoved();
    const index = await newIndex();
    await rebuildIndex({ index, volumes: [from], log: SILENT_LOG });
    expect(index.closed(original)?.volumeId).toBe(from.id);
    await index.stop();
  });

  it("is named by a check, which removes the original where it may repair", async () => {
    const { from, to, segments, original, copy } = halfMoved();
    const index = await newIndex();
    for (const segment of segments) index.add(segment.segmentId === copy.segmentId ? copy : segment);
    await index.rebuilt([from.id, to.id]);
    const check = (rebuild: boolean) =>
      checkArchive({ index, volumes: [from, to], deep: false, rebuild, log: SILENT_LOG });
    expect((await check(false)).problems.map(({ kind }) => kind)).toEqual(["file-twice"]);
    expect(from.files.has(original.segmentId)).toBe(true);
    const { problems } = await check(true);
    expect(problems.map(({ kind, repaired }) => [kind, repaired])).toEqual([["file-twice", true]]);
    expect(from.files.has(original.segmentId)).toBe(false);
    expect((await check(false)).problems).toEqual([]);
    await index.stop();
  });

  it("is taken from the copy by a check where an index from an older day names the original", async () => {
    const { from, to, segments, original } = halfMoved();
    const index = await newIndex();
    for (const segment of segments) index.add(segment);
    await index.rebuilt([from.id, to.id]);
    await checkArchive({ index, volumes: [from, to], deep: false, rebuild: true, log: SILENT_LOG });
    expect(index.closed(original)?.volumeId).toBe(to.id);
    expect(from.files.has(original.segmentId)).toBe(false);
    await index.stop();
  });

  it("keeps both files where the copy cannot be read to its end", async () => {
    const { from, to, segments, original, copy } = halfMoved();
    const index = await newIndex();
    for (const segment of segments) index.add(segment.segmentId === copy.segmentId ? copy : segment);
    await index.rebuilt([from.id, to.id]);
    to.damaged.add(copy.segmentId);
    await checkArchive({ index, volumes: [from, to], deep: false, rebuild: true, log: SILENT_LOG });
    expect([from, to].map(({ files }) => files.has(original.segmentId))).toEqual([true, true]);
    await index.stop();
  });

  it("is no problem while it is being moved", async () => {
    const { from, to, segments, copy } = halfMoved();
    const index = await newIndex();
    for (const segment of segments) index.add(segment.segmentId === copy.segmentId ? copy : segment);
    await index.rebuilt([from.id, to.id]);
    const release = index.hold(copy.segmentId);
    const check = () =>
      checkArchive({ index, volumes: [from, to], deep: false, rebuild: true, log: SILENT_LOG });
    expect((await check()).problems).toEqual([]);
    expect(from.files.has(copy.segmentId)).toBe(true);
    release();
    await index.stop();
  });
});

describe("a segment of which another volume has the key frames alone", () => {
  it.each([["the whole one first"], ["the key frames first"]])(
    "is rebuilt from the whole, %s",
    async (order) => {
      const { from, to, original, copy } = halfMoved();
      const fragmentId = keyFramesFragmentId("11111111-0000-4000-8000-000000000001") ?? "";
      // It was moved as often or more: that it is whole comes before that.
      to.put({ ...copy, fragmentId });
      const index = await newIndex();
      const all = [from, to];
      const volumeOf = (id: string) => all.find((volume) => volume.id === id);
      for (const volume of order.startsWith("the whole") ? all : all.toReversed())
        await rebuildIndex({ index, volumes: [volume], volumeOf, log: SILENT_LOG });
      expect(index.closed(original)).toMatchObject({ volumeId: from.id, fragmentId: original.fragmentId });
      await index.stop();
    },
  );
});
