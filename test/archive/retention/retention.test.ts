import { statSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  checkArchive,
  DAYS_INTERVAL_MS,
  type LmdbSegmentIndex,
  type Retention,
  type VolumeQuota,
} from "../../../src/archive/index.js";
import { type Guid, US_PER_DAY } from "../../../src/base/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import {
  guidOfNumber,
  MINUTE_US,
  openSegmentOf,
  START_US,
  segmentOf,
  streamOfNumber,
  volumeOfNumber,
} from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());
const SEGMENT_BYTES = 1_000_000;
let directories = 0;

async function freshIndex(): Promise<LmdbSegmentIndex> {
  directories += 1;
  return await openIndex(path.join(scratch.path, `index-${directories}`));
}

function retentionOf(
  index: LmdbSegmentIndex,
  volumes: readonly MemoryVolume[],
  quota: VolumeQuota,
): Retention {
  return makeRetention({ index, volumes, directory: scratch.path, quota }).retention;
}

/** One minute of several streams on a volume. */
function record(index: LmdbSegmentIndex, volume: MemoryVolume, minute: number, streams: number): void {
  for (let stream = 1; stream <= streams; stream++) {
    const segment = segmentOf({
      stream,
      fragment: stream,
      sequence: minute,
      fromUs: START_US + minute * MINUTE_US,
      bytes: SEGMENT_BYTES,
      gopUs: 10_000_000,
    });
    index.add({ ...segment, volumeId: volume.id });
    volume.put({ ...segment, volumeId: volume.id });
  }
}

test("bytes stay under the quota over ten turns of the archive, and the index file stays bounded", async () => {
  const index = await freshIndex();
  const volume = new MemoryVolume(volumeOfNumber(1));
  const streams = 16;
  const minutesHeld = 60;
  const quotaBytes = streams * minutesHeld * SEGMENT_BYTES;
  const retention = retentionOf(index, [volume], { quotaBytes });
  const sizes: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    for (let minute = 0; minute < minutesHeld; minute += 5) {
      for (let step = 0; step < 5; step++) record(index, volume, turn * minutesHeld + minute + step, streams);
      await index.flush();
      await retention.turn();
      expect(volume.bytes).toBeLessThanOrEqual(quotaBytes);
      expect(index.volumeBytes(volume.id)).toBe(volume.bytes);
    }
    sizes.push(statSync(path.join(scratch.path, `index-${directories}`, "data.mdb")).size);
  }
  expect(volume.bytes).toBeGreaterThan(quotaBytes * 0.8);
  expect(sizes.at(-1)).toBeLessThan(1.5 * (sizes[2] ?? 0));
  const [fragment, ...others] = index.fragments(streamOfNumber(1), 0, Number.MAX_SAFE_INTEGER);
  expect(others).toEqual([]);
  expect(fragment?.id).toBe(guidOfNumber(1, 4));
  expect(fragment?.fromUs).toBe(index.seek(streamOfNumber(1), 0)?.fromUs);
  await index.rebuilt([volumeOfNumber(1)]);
  const report = await checkArchive({
    index,
    volumes: [volume],
    deep: false,
    rebuild: false,
    log: SILENT_LOG,
  });
  expect(report.problems).toEqual([]);
  await index.stop();
});

test("the oldest segments go first, across all streams", async () => {
  const index = await freshIndex();
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (let minute = 0; minute < 10; minute++) record(index, volume, minute, 3);
  await index.flush();
  await retentionOf(index, [volume], { quotaBytes: 21 * SEGMENT_BYTES }).turn();
  const left = [...volume.files.values()].map(({ fromUs }) => (fromUs - START_US) / MINUTE_US);
  expect(Math.min(...left)).toBe(3);
  expect(left).toHaveLength(21);
  await index.stop();
});

test("what was removed is counted over all volumes and turns, for want of room and for age", async () => {
  const index = await freshIndex();
  const volumes = [new MemoryVolume(volumeOfNumber(1)), new MemoryVolume(volumeOfNumber(2))] as const;
  const days = new Map<Guid, number>();
  const clock = new SimulatedClock(START_US + 20 * MINUTE_US);
  const { retention } = makeRetention({
    ...{ index, volumes, directory: scratch.path, clock },
    quota: { quotaBytes: 8 * SEGMENT_BYTES },
    options: { daysOf: (id) => ({ minDays: 0, maxDays: days.get(id) ?? 0 }) },
  });
  expect(retention.removed).toEqual({ segments: 0, bytes: 0 });
  for (let minute = 0; minute < 20; minute++) record(index, volumes[minute < 10 ? 0 : 1], minute, 1);
  await index.flush();
  const left = () => volumes.reduce((sum, { files }) => sum + files.size, 0);
  const counted = () => {
    const segments = 20 - left();
    return { segments, bytes: segments * SEGMENT_BYTES };
  };
  await retention.turn();
  expect(volumes.map(({ files }) => files.size)).toEqual([8, 8]);
  expect(retention.removed).toEqual(counted());
  days.set(streamOfNumber(1).channelId, (5.5 * MINUTE_US) / US_PER_DAY);
  clock.advance(DAYS_INTERVAL_MS * 1000);
  await retention.turn();
  expect(left()).toBe(5);
  expect(retention.removed).toEqual(counted());
  await index.stop();
});

test("the free-space reserve is kept without a quota", async () => {
  const index = await freshIndex();
  const volume = new MemoryVolume(volumeOfNumber(1), 20 * SEGMENT_BYTES);
  for (let minute = 0; minute < 18; minute++) record(index, volume, minute, 1);
  await index.flush();
  await retentionOf(index, [volume], { reserveBytes: 5 * SEGMENT_BYTES }).turn();
  expect((await volume.space()).freeBytes).toBe(5 * SEGMENT_BYTES);
  await index.stop();
});

test("each volume is kept within its own bounds, however old the others' segments are", async () => {
  const index = await freshIndex();
  const volumes = [new MemoryVolume(volumeOfNumber(1)), new MemoryVolume(volumeOfNumber(2))] as const;
  for (let minute = 0; minute < 50; minute++) record(index, volumes[0], minute, 2);
  for (let minute = 50; minute < 70; minute++) record(index, volumes[1], minute, 2);
  await index.flush();
  const quotaOf = ({ id }: { readonly id: Guid }) =>
    id === volumes[1].id ? { quotaBytes: 10 * SEGMENT_BYTES } : {};
  await makeRetention({ index, volumes, directory: scratch.path, quotaOf }).retention.turn();
  expect(volumes[0].files.size).toBe(100);
  expect(volumes[1].bytes).toBe(10 * SEGMENT_BYTES);
  expect(index.oldest(1, volumes[1].id)[0]?.fromUs).toBe(START_US + 65 * MINUTE_US);
  await index.stop();
});

test("open segments are counted and never removed", async () => {
  const index = await freshIndex();
  const volume = new MemoryVolume(volumeOfNumber(1));
  record(index, volume, 0, 1);
  await index.flush();
  index.trackOpen({ ...openSegmentOf({ stream: 1, fromUs: START_US + MINUTE_US }), bytes: SEGMENT_BYTES });
  expect(index.volumeBytes(volume.id)).toBe(2 * SEGMENT_BYTES);
  await retentionOf(index, [volume], { quotaBytes: 1 }).turn();
  expect(volume.files.size).toBe(0);
  expect(index.newest(streamOfNumber(1))?.fromUs).toBe(START_US + MINUTE_US);
  await index.stop();
});

test("a file that could not be unlinked is noted, and goes when the volume lets it, after a restart too", async () => {
  const index = await freshIndex();
  const volume = new MemoryVolume(volumeOfNumber(1));
  for (let minute = 0; minute < 3; minute++) record(index, volume, minute, 1);
  await index.flush();
  volume.failUnlinks = true;
  await retentionOf(index, [volume], { quotaBytes: 1 }).turn();
  expect(volume.files.size).toBe(3);
  expect(index.oldest(10)).toEqual([]);
  expect(index.pendingUnlinks()).toHaveLength(3);
  await index.stop();
  const again = await openIndex(path.join(scratch.path, `index-${directories}`));
  expect(again.pendingUnlinks()).toHaveLength(3);
  volume.failUnlinks = false;
  await retentionOf(again, [volume], { quotaBytes: 1 }).turn();
  expect(volume.files.size).toBe(0);
  expect(again.pendingUnlinks()).toEqual([]);
  await again.stop();
});

test("a segment noted for unlinking is not indexed again", async () => {
  const index = await freshIndex();
  const segment = segmentOf();
  index.add(segment);
  await index.flush();
  await index.remove([segment]);
  index.add(segment);
  expect(index.seek(segment.key, segment.fromUs)).toBeUndefined();
  index.unlinked(index.pendingUnlinks());
  index.add(segment);
  expect(index.seek(segment.key, segment.fromUs)?.segmentId).toBe(segment.segmentId);
  await index.stop();
});

test("a volume that hangs does not hold up the others", async () => {
  const index = await freshIndex();
  const volumes = [new MemoryVolume(volumeOfNumber(1)), new MemoryVolume(volumeOfNumber(2))] as const;
  for (const volume of volumes) record(index, volume, volume === volumes[0] ? 0 : 1, 4);
  await index.flush();
  volumes[0].unlink = () => new Promise(() => undefined);
  const retention = retentionOf(index, volumes, { quotaBytes: SEGMENT_BYTES });
  retention.start();
  await expect.poll(() => volumes[1].bytes).toBe(SEGMENT_BYTES);
  await retention.stop();
  await index.stop();
});

/** A volume that counts how often its disk is asked for its room. */
class AskedVolume extends MemoryVolume {
  asked = 0;
  streams = 0;

  override space() {
    this.asked += 1;
    return super.space();
  }
}

const SECOND_US = 1_000_000;

async function withAskedVolume(
  test: (volume: AskedVolume, index: LmdbSegmentIndex, clock: SimulatedClock) => Promise<void>,
): Promise<void> {
  const index = await freshIndex();
  const clock = new SimulatedClock();
  const volume = new AskedVolume(volumeOfNumber(1));
  const quota = { quotaBytes: 10 * SEGMENT_BYTES };
  const { retention } = makeRetention({ index, volumes: [volume], directory: scratch.path, quota, clock });
  retention.start();
  await expect.poll(() => volume.asked).toBe(1);
  await test(volume, index, clock);
  await retention.stop();
  await index.stop();
}

test("the disk of a volume that nothing is recorded onto is asked every ten seconds", async () => {
  await withAskedVolume(async (volume, _index, clock) => {
    await clock.advanceSlowly(60 * SECOND_US);
    expect(volume.asked).toBe(7);
  });
});

test("the disk of a volume that is recorded onto is asked once every two seconds", async () => {
  await withAskedVolume(async (volume, _index, clock) => {
    volume.streams = 1;
    await clock.advanceSlowly(60 * SECOND_US);
    expect(volume.asked).toBe(31);
  });
});

test("what comes onto a volume without a stream counts within two seconds", async () => {
  await withAskedVolume(async (volume, index, clock) => {
    record(index, volume, 0, 12);
    await index.flush();
    await clock.advanceSlowly(2 * SECOND_US);
    await expect.poll(() => volume.bytes).toBeLessThanOrEqual(10 * SEGMENT_BYTES);
  });
});
