import { statSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkArchive } from "../../../src/archive/index.js";
import { openIndex, SILENT_LOG, scratchDirectory } from "../../support/archive/index-harness.js";
import { MemoryVolume } from "../../support/archive/memory-volume.js";
import { makeRetention } from "../../support/archive/retention-harness.js";
import { segmentOf, streamOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SIMULATED_START_US, SimulatedClock } from "../../support/base/simulated-clock.js";

const scratch = scratchDirectory();
afterAll(() => scratch.remove());

const SEGMENT_US = 10 * 60_000_000;
const DAY_US = 86_400_000_000;
const SEGMENT_BYTES = 1_000_000;
const STREAMS = 8;
const KEPT_STREAM = 1;
const KEPT_DAYS = 2;
/** Records on motion: a fragment a segment. */
const MOTION_STREAM = 2;
const DAYS_A_TURN = 1;
const TURNS = 12;
/** How much longer the index file may be after the last turn than after the second one. */
const GROWTH_MAX = 1.25;

test("over twelve turns of retention the index file stays bounded, with a channel kept longer and one of short fragments", async () => {
  const directory = path.join(scratch.path, "index");
  const index = await openIndex(directory);
  const volume = new MemoryVolume(volumeOfNumber(1));
  const clock = new SimulatedClock();
  const kept = streamOfNumber(KEPT_STREAM).channelId;
  const quotaBytes = STREAMS * DAYS_A_TURN * (DAY_US / SEGMENT_US) * SEGMENT_BYTES;
  const { retention, days, notices } = makeRetention({
    ...{ index, volumes: [volume], directory: scratch.path, clock, quota: { quotaBytes } },
    options: { daysOf: (id) => ({ minDays: id === kept ? KEPT_DAYS : 0, maxDays: 30 }) },
  });
  days.start();
  const record = (at: number) => {
    const fromUs = SIMULATED_START_US + at * SEGMENT_US;
    for (let stream = 1; stream <= STREAMS; stream++) {
      const fragment = stream === MOTION_STREAM ? stream + 100 * at : stream;
      const durationUs = stream === MOTION_STREAM ? SEGMENT_US / 2 : SEGMENT_US;
      const shape = { ...{ stream, fragment, sequence: at, fromUs, durationUs }, gopUs: 10_000_000 };
      const segment = segmentOf({ ...shape, bytes: SEGMENT_BYTES });
      index.add(segment);
      volume.put(segment);
    }
    clock.advance(SEGMENT_US);
  };
  const sizes: number[] = [];
  const segmentsADay = DAY_US / SEGMENT_US;
  for (let day = 0; day < DAYS_A_TURN * TURNS; day++) {
    for (let at = 0; at < segmentsADay; at++) {
      record(day * segmentsADay + at);
      if (at % 6 !== 5) continue;
      await index.flush();
      await retention.turn();
    }
    expect(volume.bytes).toBeLessThanOrEqual(quotaBytes);
    if (day % DAYS_A_TURN === DAYS_A_TURN - 1) sizes.push(statSync(path.join(directory, "data.mdb")).size);
  }
  expect(sizes.at(-1)).toBeLessThan(GROWTH_MAX * (sizes[1] ?? 0));
  const keptFrom = Math.min(
    ...[...volume.files.values()].filter((f) => f.key.channelId === kept).map((f) => f.fromUs),
  );
  expect(keptFrom).toBeLessThanOrEqual(clock.nowUs() - KEPT_DAYS * DAY_US);
  expect(notices).toEqual([]);
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
