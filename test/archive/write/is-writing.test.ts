import { afterEach, beforeEach, expect, it } from "vitest";
import type { Archive } from "../../../src/archive/index.js";
import { UNWRITTEN_US_MAX } from "../../../src/archive/write/stream-writer.js";
import type { StreamKey } from "../../../src/base/index.js";
import {
  append,
  newStreamKey,
  patternBytes,
  SkippingClock,
  startArchive,
  type TestArchive,
  temporaryDirectory,
  until,
} from "../../support/archive/archive-fixture.js";
import { HangingThreads } from "../../support/archive/volume-threads.js";

/** Whether a stream's writer says rightly that what it is given reaches the disk. */

const FRAME_US = 40_000;

let directory: ReturnType<typeof temporaryDirectory>;
let threads: HangingThreads;
let clock: SkippingClock;
let test: TestArchive;
let key: StreamKey;
let count: number;

beforeEach(async () => {
  directory = temporaryDirectory();
  threads = new HangingThreads();
  clock = new SkippingClock();
  test = await startArchive(directory.path, { startThread: threads.start, clock, segmentSeconds: 1 });
  key = newStreamKey();
  count = 0;
});

afterEach(async () => {
  threads.release();
  await test.archive.stop();
  directory.remove();
});

const isWriting = (archive: Archive = test.archive): boolean => archive.writer(key).isWriting;

function record(frames: number, startUs = Date.now() * 1000, keyFrames = true): void {
  for (let at = 0; at < frames; at++, count++) {
    const bytes = patternBytes(500, count);
    const isKey = keyFrames && count % 10 === 0;
    append(test.archive.writer(key), { decodeTimeUs: startUs + at * FRAME_US, bytes, key: isKey });
  }
}

const writeStallMs = (): number =>
  Math.max(...test.archive.overload().volumes.map((volume) => volume.writeStallMs));

it("not before the first frames are written, and not after the recording's end", async () => {
  expect(isWriting()).toBe(false);
  record(10);
  expect(isWriting()).toBe(false);
  await until(isWriting, "the first write");
  const ended = test.archive.writer(key).end();
  expect(isWriting()).toBe(false);
  await ended;
  expect(isWriting()).toBe(false);
});

it("not of frames that cannot be recorded, because no key frame came", async () => {
  record(30, Date.now() * 1000, false);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isWriting()).toBe(false);
});

it("without a break from one segment to the next", async () => {
  const startUs = Date.now() * 1000;
  record(10, startUs);
  await until(isWriting, "the first write");
  for (let round = 1; round < 12; round++) {
    record(10, startUs + round * 10 * FRAME_US);
    for (let look = 0; look < 8; look++) {
      expect(isWriting()).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  // Nothing else has the index commit here: no time passes for it.
  const committed = async (): Promise<number> => {
    await test.index.flush();
    return test.index.committed.size;
  };
  await expect.poll(committed).toBeGreaterThan(1);
});

it("not while the disk does not answer, nor while there is no other", async () => {
  record(10);
  await until(isWriting, "the first write");
  const [volume] = test.archive.volumeAccess();
  threads.hang(volume?.directory ?? "");
  record(10, Date.now() * 1000 + 10 * FRAME_US);
  await until(() => writeStallMs() > 0, "a write under way");
  clock.skip(UNWRITTEN_US_MAX / 1_000_000 + 1);
  expect(isWriting()).toBe(false);
  await until(() => test.archive.absentVolumes().length === 1, "the volume to be left out");
  record(10, Date.now() * 1000 + 20 * FRAME_US);
  expect(isWriting()).toBe(false);
});
