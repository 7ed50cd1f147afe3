import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type LmdbSegmentIndex, rebuildIndex, type SegmentSummary } from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import {
  fragmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
let directories = 0;

function freshDirectory(): string {
  directories += 1;
  return path.join(scratch.path, `index-${directories}`);
}

/** All that an index says, in one comparable value. */
function contentOf(index: LmdbSegmentIndex): unknown {
  return index
    .streams()
    .sort((a, b) => a.channelId.localeCompare(b.channelId))
    .map((key) => {
      const segments: SegmentSummary[] = [];
      let segment: SegmentSummary | undefined = index.following(key, { segmentId: 0, epoch: 0, fromUs: 0 });
      while (segment !== undefined) {
        segments.push(segment);
        segment = index.following(key, segment);
      }
      const number = index.store.streamNumber(key);
      const days = [...index.store.totals.days()].filter((row) => row.stream === number);
      return {
        key,
        segments,
        fragments: index.fragments(key, 0, Number.MAX_SAFE_INTEGER),
        days: days.map(({ day, total }) => ({ day, total })),
      };
    });
}

test("an index rebuilt from the segments equals the one that was kept, ids included", async () => {
  const piece = fc.record({
    stream: fc.integer({ min: 1, max: 3 }),
    count: fc.integer({ min: 1, max: 6 }),
    gapS: fc.integer({ min: 1, max: 100_000 }),
    epoch: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      async (pieces, order) => {
        const kept = await openIndex(freshDirectory());
        const volumes = [new MemoryVolume(volumeOfNumber(1)), new MemoryVolume(volumeOfNumber(2))];
        const ends = new Map<number, { toUs: number; epoch: number }>();
        const all: SegmentSummary[] = [];
        for (const [at, { stream, count, gapS, epoch }] of pieces.entries()) {
          const before = ends.get(stream) ?? { toUs: START_US, epoch: 0 };
          const fromUs = before.toUs + (epoch ? -Math.min(gapS, 1000) : gapS) * 1_000_000;
          const shape = {
            stream,
            fragment: at,
            epoch: before.epoch + (epoch ? 1 : 0),
            fromUs,
            volume: 1 + (at % 2),
          };
          const segments = fragmentOf(count, shape);
          ends.set(stream, { toUs: segments.at(-1)?.toUs ?? fromUs, epoch: shape.epoch });
          all.push(...segments.map((segment) => ({ ...segment, segmentId: segment.segmentId + at * 17 })));
        }
        for (const segment of all) kept.add(segment);
        await kept.flush();
        const trimmed = kept.oldest(pieces.length % 4);
        await kept.remove(trimmed);
        const left = all.filter(
          (segment) => !trimmed.some(({ segmentId }) => segmentId === segment.segmentId),
        );
        for (const segment of shuffled(left, order)) {
          volumes.find((volume) => volume.id === segment.volumeId)?.put(segment);
        }
        const rebuilt = await openIndex(freshDirectory());
        const result = await rebuildIndex({ index: rebuilt, volumes, log: SILENT_LOG });
        expect(result).toMatchObject({ files: left.length, indexed: left.length, unreadable: 0 });
        expect(contentOf(rebuilt)).toEqual(contentOf(kept));
        await Promise.all([kept.stop(), rebuilt.stop()]);
      },
    ),
    { numRuns: 20 },
  );
});

test("a rebuild beside recording keeps what is recorded meanwhile, and ends the need for it", async () => {
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (const segment of fragmentOf(500)) volume.put(segment);
  const index = await openIndex(freshDirectory());
  expect(index.isWhole(volumeOfNumber(1))).toBe(false);
  const live = segmentOf({ fragment: 1, sequence: 500, fromUs: START_US + 500 * 60_000_000 });
  const progress: number[] = [];
  const result = await rebuildIndex({
    index,
    volumes: [volume],
    log: SILENT_LOG,
    onProgress: ({ files }) => {
      progress.push(files);
      if (progress.length === 2) index.add(live);
    },
  });
  await index.rebuilt([volumeOfNumber(1)]);
  expect(result.failedVolumes).toEqual([]);
  expect(progress).toEqual([100, 200, 300, 400, 500]);
  expect(index.isWhole(volumeOfNumber(1))).toBe(true);
  expect(index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
  expect(index.newest(streamOfNumber(1))?.segmentId).toBe(live.segmentId);
  await index.stop();
});

test("unreadable files and failing volumes are passed over and named", async () => {
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (const segment of fragmentOf(3)) volume.put(segment);
  volume.torn.add(fragmentOf(3)[1]?.segmentId ?? 0);
  const hostile = { ...segmentOf({ stream: 2 }), toUs: START_US - 1 };
  volume.put(hostile);
  const broken = new MemoryVolume(volumeOfNumber(2));
  broken.listSegments = () => {
    throw new Error("input/output error");
  };
  const index = await openIndex(freshDirectory());
  const result = await rebuildIndex({ index, volumes: [volume, broken], log: SILENT_LOG });
  expect(result).toMatchObject({ files: 4, indexed: 2, unreadable: 2, failedVolumes: [broken.id] });
  expect(result.failures.join()).toContain("ends before it starts");
  await index.stop();
});

function shuffled<T>(items: readonly T[], order: Iterator<number>): T[] {
  return items
    .map((item) => ({ item, rank: order.next().value as number }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
